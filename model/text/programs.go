package text

import (
	"regexp"
	"strings"

	"locktop/model"
)

// programs are the words of the lab's own programs about themselves, which speak English. In another
// language they are known again by these.
var programs = map[model.MessageID]Sentence{
	"program-observes":   {"observes: the leader is {0}", "观察：领导者是 {0}"},
	"program-observed":   {"observed last: the leader is {0}", "最后观察到：领导者是 {0}"},
	"program-asked":      {"asked: the leader is {0}", "询问：领导者是 {0}"},
	"program-resumed":    {"resumed: the leader is {0}", "恢复后：领导者是 {0}"},
	"program-proclaimed": {"proclaimed {0}", "改写宣告 {0}"},
	"program-wrote":      {"wrote {0}", "写入 {0}"},
	"program-refused":    {"{0}: {1} the resource: refused: token {2} is older than {3}", "{0}：{1} 资源：拒绝，令牌 {2} 比 {3} 旧"},
	"program-gave-up":    {"gave up; its call waits on", "已放弃，它的调用还在等"},
	"program-lost":       {"the session is gone: its lease was not renewed in time", "会话没了：租约没有及时续租"},
	"program-key-gone":   {"the key is gone, though the session is not", "键没了，而会话还在"},
	"program-drops":      {"renews no more", "不再续租"},
	"program-renews":     {"renews the lease {0}", "给租约 {0} 续租"},
	"program-others":     {"unlock: the lock belongs to others", "释放：锁属于别人"},
	"program-unlocked":   {"unlocked {0} once more", "又释放了一次 {0}"},
	"program-no-answer":  {"unlock: no answer within {0}", "释放：{0} 内没有回答"},
	"program-killed":     {"killed", "被杀掉"},
	"program-none":       {"unlock: the lock does not exist", "释放：锁不存在"},

	// What the watcher failed in, behind what it cannot do.
	"failure-no-connection": {"no connection to {0} ({1}); check that etcd runs there and that endpoint, TLS and firewall are right; trying again", "连不上 {0}（{1}）；检查那里的 etcd 是否在运行，地址、TLS 和防火墙是否正确；正在重试"},
	"failure-no-answer":     {"no answer in time from {0}; the cluster may have lost its quorum or be overloaded, or that member lags: etcdctl endpoint status --cluster; trying again", "{0} 没有及时回答；集群可能失去了多数派或过载，或者那个成员落后：etcdctl endpoint status --cluster；正在重试"},
	"failure-no-leader":     {"no leader as seen from {0}; the leader changes, that member is cut off, or the cluster lost its quorum: etcdctl endpoint status --cluster; trying again", "从 {0} 看不到 Leader；Leader 正在更换，那个成员被隔离，或者集群失去了多数派：etcdctl endpoint status --cluster；正在重试"},
	"failure-silent":        {"no answer in time", "没有及时回答"},
	"failure-overloaded":    {"{0} answers that it cannot now ({1}); that member may be overloaded: etcdctl endpoint status --cluster; trying again", "{0} 回答说现在不行（{1}）；那个成员可能过载：etcdctl endpoint status --cluster；正在重试"},
	"failure-permissions":   {"no permission on {0}. Try --prefix with one you may read, or a role that grants all keys: {1}", "在 {0} 上没有权限。用 --prefix 指定你能读的前缀，或用授予所有键的角色：{1}"},
	"failure-permission":    {"no permission on {0}; a role that grants it: {1}", "在 {0} 上没有权限；授予权限的角色：{1}"},
	"failure-login":         {"{0} wants a valid user name and password: {1}; name the user with --user, and set ETCDCTL_PASSWORD or name --password-file", "{0} 要求有效的用户名和密码：{1}；用 --user 指定用户，并设置 ETCDCTL_PASSWORD 或指定 --password-file"},

	// And all of what it failed in.
	"failure-compacted":     {"the revisions to continue from were compacted on {0}; listing all keys anew, what happened in between is not known", "要接着读的修订版本在 {0} 上已被压缩；正在重新列出所有的键，这期间发生了什么不清楚"},
	"failure-compacted-of":  {"the revisions to continue from were compacted on {0}; listing {1} anew, what happened in between is not known", "要接着读的修订版本在 {0} 上已被压缩；正在重新列出 {1}，这期间发生了什么不清楚"},
	"failure-restored":      {"the revision of the cluster went back from {0} to {1} on {2}: it was restored from a backup or replaced; listing all keys anew", "{2} 上集群的修订版本从 {0} 退回到 {1}：它从备份恢复过，或者被换掉了；正在重新列出所有的键"},
	"failure-restored-of":   {"the revision of the cluster went back from {0} to {1} on {2}: it was restored from a backup or replaced; listing {3} anew", "{2} 上集群的修订版本从 {0} 退回到 {1}：它从备份恢复过，或者被换掉了；正在重新列出 {3}"},
	"failure-behind":        {"the watch does not follow the cluster: it stands at revision {0}, the cluster at {1} on {2}: its member may be cut off; opening the watch again, on another endpoint if there is one", "{2} 上的监听跟不上集群：它停在修订版本 {0}，集群已到 {1}；那个成员可能被隔离；正在重新打开监听，有别的地址就换一个"},
	"failure-too-much":      {"on {0}: more than {1} keys, or {2} of keys and values, are not listed; name narrower prefixes with --prefix (\"locktop discover\" finds them)", "{0} 上超过 {1} 个键，或键和值超过 {2}，不会列出；用 --prefix 指定更窄的前缀（locktop discover 能找到）"},
	"failure-somewhere":     {"on {0}: {1}; trying again", "在 {0} 上失败：{1}；正在重试"},
	"failure-odd-answer":    {"{0}; trying again", "{0}；正在重试"},
	"failure-connection":    {"no connection: {0}", "没有连接：{0}"},
	"failure-not-logged-in": {"not logged in: {0}", "没有登录：{0}"},
	"failure-leaderless":    {"no leader", "没有 Leader"},
	"failure-may-not":       {"no permission", "没有权限"},
}

func init() {
	verbs["why"] = func(lang string, arg any) string { // they say sentences themselves
		said, _ := arg.(string)
		return model.Printable(Failure(lang, said))
	}
}

// Failure is why something failed, in a language where its words are known, and else as it was said.
func Failure(lang, said string) string {
	why, cannot := strings.CutPrefix(said, "cannot ")
	if cannot {
		var what string
		what, why, _ = strings.Cut(why, ": ")
		if i := strings.LastIndex(what, " on "); i >= 0 && !strings.HasSuffix(what, `"`) { // and not in the name of a prefix
			why = what[i+1:] + ": " + why
		}
	}
	if known := Program(lang, why); known != why {
		return known
	}
	return said
}

// spoken are all of programs, as they are looked for.
var spoken = []model.Message{model.Say("program-observes", ""), model.Say("program-observed", ""), model.Say("program-asked", ""), model.Say("program-resumed", ""),
	model.Say("program-proclaimed", ""), model.Say("program-wrote", ""), model.Say("program-refused", "", "", "", ""), model.Say("program-gave-up"), model.Say("program-lost"),
	model.Say("program-key-gone"), model.Say("program-drops"), model.Say("program-renews", ""), model.Say("program-others"), model.Say("program-none"), model.Say("program-killed"),
	model.Say("program-unlocked", ""), model.Say("program-no-answer", ""), model.Say("failure-no-connection", "", ""), model.Say("failure-no-answer", ""),
	model.Say("failure-no-leader", ""), model.Say("failure-permission", "", ""), model.Say("failure-permissions", "", ""), model.Say("failure-overloaded", "", ""), model.Say("failure-silent"),
	model.Say("failure-login", "", ""), model.Say("failure-compacted", ""), model.Say("failure-compacted-of", "", ""), model.Say("failure-restored", "", "", ""),
	model.Say("failure-restored-of", "", "", "", ""), model.Say("failure-behind", "", "", ""), model.Say("failure-too-much", "", "", ""),
	model.Say("failure-somewhere", "", ""), model.Say("failure-odd-answer", ""), model.Say("failure-connection", ""), model.Say("failure-not-logged-in", ""),
	model.Say("failure-leaderless"), model.Say("failure-may-not")}

// blank finds the arguments in a sentence.
var blank = regexp.MustCompile(`\\\{\d\\\}`)

// patterns find the English of spoken.
var patterns = func() (all []*regexp.Regexp) {
	for _, m := range spoken {
		all = append(all, regexp.MustCompile("^"+blank.ReplaceAllString(regexp.QuoteMeta(programs[m.ID].English), "(.+)")+"$"))
	}
	return all
}()

// Program is what a program said of itself, in a language where its words are known, and else as it
// said it.
func Program(lang, said string) string {
	if lang == "" || lang == "en" || strings.TrimSpace(said) == "" {
		return said
	}
	for i, p := range patterns {
		m := p.FindStringSubmatch(said)
		if m == nil {
			continue
		}
		of := model.Message{ID: spoken[i].ID}
		for _, arg := range m[1:] {
			of.Args = append(of.Args, arg)
		}
		return Render(lang, of)
	}
	return said
}
