package text

import "locktop/model"

// failures are why the watcher could not see something.
var failures = map[model.MessageID]Sentence{
	"trying-again": {"{0}; trying again", "{0}；正在重试"},
	"listing-anew": {"{0}; listing anew", "{0}；正在重新列出"},

	// What was tried. Chinese leaves it out: what stands before tells it.
	"cannot":     {"cannot {0} {1}: {2}", "{2}"},
	"cannot-on":  {"cannot {0} {1} {2}", "{2}"},
	"to-list":    {"list", "列出"},
	"to-watch":   {"watch", "监听"},
	"to-read":    {"read", "读取"},
	"to-look-at": {"look at", "查看"},
	"keys-under": {"{0:q}", "{0:q}"},

	// Why, where, and what to do.
	"no-connection-to":       {"no connection to {0} ({1}); check that etcd runs there and that endpoint, TLS and firewall are right", "连不上 {0}（{1}）；检查那里的 etcd 是否在运行，地址、TLS 和防火墙是否正确"},
	"no-answer-in-time-from": {"no answer in time from {0}; the cluster may have lost its quorum or be overloaded, or that member lags: etcdctl endpoint status --cluster", "{0} 没有及时回答；集群可能失去了多数派或过载，或者那个成员落后：etcdctl endpoint status --cluster"},
	"answers-that-it-cannot": {"{0} answers that it cannot now ({1}); that member may be overloaded: etcdctl endpoint status --cluster", "{0} 回答说现在不行（{1}）；那个成员可能过载：etcdctl endpoint status --cluster"},
	"no-leader-as-seen-from": {"no leader as seen from {0}; the leader changes, that member is cut off, or the cluster lost its quorum: etcdctl endpoint status --cluster", "从 {0} 看不到 Leader；Leader 正在更换，那个成员被隔离，或者集群失去了多数派：etcdctl endpoint status --cluster"},
	"no-permission-at-all":   {"no permission on {0}. Try --prefix with one you may read, or a role that grants all keys: {1:grant}", "在 {0} 上没有权限。用 --prefix 指定你能读的前缀，或用授予所有键的角色：{1:grant}"},
	"no-permission":          {"no permission on {0}; a role that grants it: {1:grant}", "在 {0} 上没有权限；授予权限的角色：{1:grant}"},
	"or-begin-below":         {"{0}, or begin below a prefix that may be read", "{0}，或从你能读的前缀开始"},
	"wants-a-login":          {"{0} wants a valid user name and password: {1}; name the user with --user, and set ETCDCTL_PASSWORD or name --password-file", "{0} 要求有效的用户名和密码：{1}；用 --user 指定用户，并设置 ETCDCTL_PASSWORD 或指定 --password-file"},
	"too-much-on":            {"on {0}: {1}; name narrower prefixes with --prefix (\"locktop discover\" finds them)", "在 {0} 上{1}；用 --prefix 指定更窄的前缀（locktop discover 能找到）"},
	"failed-on":              {"on {0}: {1}", "在 {0} 上失败：{1}"},
	"were-compacted":         {"the revisions to continue from were compacted on {0}; listing {1} anew, what happened in between is not known", "要接着读的修订版本在 {0} 上已被压缩；正在重新列出 {1}，这期间发生了什么不清楚"},
	"was-restored":           {"{0} on {1}: it was restored from a backup or replaced; listing {2} anew", "{0}（{1}）：它从备份恢复过，或者被换掉了；正在重新列出 {2}"},
	"may-be-cut-off":         {"{0} on {1}: its member may be cut off; opening the watch again, on another endpoint if there is one", "{0}（{1}）；那个成员可能被隔离；正在重新打开监听，有别的地址就换一个"},
	"is-another-cluster":     {"{0}: what was known of the old one does not apply to it", "{0}：对旧集群的所知不适用于它"},
	"endpoints-of-clusters":  {"the endpoints are of {0} clusters: {1}; name those of one cluster only (--endpoints)", "这些地址属于 {0} 个集群：{1}；请只指定一个集群的地址（--endpoints）"},
	"belong-to-cluster":      {"{0} {1|belongs|belong} to cluster {2}", "{0}（{1} 个）属于集群 {2}"},
	"one-and-another":        {"{0}; {1}", "{0}；{1}"},
	"clusters-by-turns":      {"clusters answer by turns (ids {0} and {1}) at {2}: let it lead to one of them only", "{2} 轮流由不同的集群回答（ID {0} 和 {1}）：请让它只通向其中一个"},

	// Errors of our own.
	"list-stalled":            {"no part of the list arrived in time", "列表的任何部分都没有及时到达"},
	"watch-does-not-follow":   {"the watch does not follow the cluster", "监听跟不上集群"},
	"watch-stands-at":         {"the watch does not follow the cluster: it stands at revision {0}, the cluster at {1}", "监听跟不上集群：它停在修订版本 {0}，集群已到 {1}"},
	"revision-went-back":      {"the revision of the cluster went back", "集群的修订版本退回了"},
	"revision-went-back-to":   {"the revision of the cluster went back from {0} to {1}", "集群的修订版本从 {0} 退回到 {1}"},
	"watch-ended":             {"the watch ended without a reason", "监听没有原因地结束了"},
	"too-many-keys":           {"more than 2,000,000 keys, or 512 MiB of keys and values, are not listed", "超过 2,000,000 个键，或键和值超过 512 MiB，不会列出"},
	"another-cluster-answers": {"another cluster answers", "回答的是另一个集群"},
	"another-cluster":         {"another cluster answers (id {0} instead of {1}) at {2}", "{2} 上回答的是另一个集群（ID 是 {0}，不是 {1}）"},

	// In a few words, of a member or a lease.
	"no-answer-in-time": {"no answer in time", "没有及时回答"},
	"no-leader-there":   {"no leader", "没有 Leader"},
	"no-connection":     {"no connection: {0}", "没有连接：{0}"},
	"may-not":           {"no permission", "没有权限"},
	"not-logged-in":     {"not logged in: {0}", "没有登录：{0}"},
	"odd-reading":       {"the answer said {0} s left of {1} granted: a new leader adds its election timeout, and a deposed one answers wrongly", "回答说剩 {0} 秒，而授予的是 {1} 秒：新 Leader 会加上它的选举超时，被取代的 Leader 会答错"},

	// What was not seen.
	"not-listed-to-its-end":      {"it was not listed to its end", "没有列到头"},
	"cluster-did-not-answer":     {"the cluster did not answer, or the watch does not follow it", "集群没有回答，或者监听跟不上它"},
	"lost-until-next-list":       {"the watch was lost, and what happened until the next list was not seen", "监听断过，到下一次列出之前发生的没有看到"},
	"not-read-yet":               {"not read yet: the time was too short for the budget of readings", "还没有读：按读取的预算，时间太短"},
	"no-list-by-then":            {"no list of keys is in the recording by then", "到那时录制里还没有键的列表"},
	"members-could-not-be-asked": {"{0} of {1} {1|member|members} could not be asked: name the endpoints of all", "{1} 个成员里有 {0} 个问不到：请指定所有成员的地址"},
	"no-member-asked-leads":      {"no member that could be asked leads the cluster", "问得到的成员里没有 Leader"},

	// Why the history begins later than it was asked for.
	"no-history-since":         {"there is no history since revision {0}: the cluster stands at {1}", "修订版本 {0} 之后没有历史：集群在 {1}"},
	"history-too-far-back":     {"revision {0} is {1} {1|revision|revisions} back and {2} {2|is|are} read at most (--since-max), from {3} on", "修订版本 {0} 在 {1} 个之前，最多读 {2} 个（--since-max），从 {3} 开始"},
	"history-only-the-last":    {"of the history only the last {0} {0|revision is|revisions are} read (--since-max), from {1} on", "历史只读最后 {0} 个修订版本（--since-max），从 {1} 开始"},
	"history-compacted":        {"revision {0} is compacted: the first one that can be had is {1}", "修订版本 {0} 已被压缩：能读到的第一个是 {1}"},
	"history-compacted-before": {"what is older than revision {0} is compacted", "比修订版本 {0} 更早的已被压缩"},
}
