package drill

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"locktop/model"
	"locktop/model/text"
)

// The words of lessons in their languages: what happens, and not how a file says it.

// In says what was measured.
func (m Measured) In(lang string) string {
	zh := lang == "zh"
	switch {
	case m.Number == nil && m.Word == "" && zh:
		return "没有量到"
	case m.Number == nil && m.Word == "":
		return "nothing to measure"
	case m.Number != nil && m.Unit == Seconds && zh:
		return fmt.Sprintf("%.1f 秒", *m.Number)
	case m.Number != nil && m.Unit == Seconds:
		return fmt.Sprintf("%.1f s", *m.Number)
	case m.Number != nil:
		return fmt.Sprintf("%.0f", *m.Number)
	case zh:
		return strings.ReplaceAll(strings.ReplaceAll(m.Word, "nobody", "没有人"), "+", " 和 ")
	}
	return strings.ReplaceAll(m.Word, "+", " and ")
}

// form is a sentence in each language, with the same gaps.
type form struct{ en, zh string }

func (f form) in(lang, who string) string {
	if lang == "zh" {
		return strings.ReplaceAll(f.zh, "%s", who)
	}
	return strings.ReplaceAll(f.en, "%s", who)
}

// In says what happens by a step, in a language.
func (s Step) In(lang string) string {
	switch {
	case s.Fault != nil:
		return happens[s.Fault.Kind].in(lang, orAll(lang, s.Fault.Target))
	case s.Heal != nil && s.Heal.Kind == "":
		return form{"every fault ends", "恢复所有故障"}.in(lang, "")
	case s.Heal != nil:
		return overFault(s.Heal.Kind).in(lang, orAll(lang, s.Heal.Target))
	case s.Start != "":
		return form{"%s starts", "启动 %s"}.in(lang, s.Start)
	case s.Tell != nil:
		return told[s.Tell.Word].in(lang, s.Tell.Contender)
	case s.Wait != nil:
		_, met := s.Wait.In(lang)
		return met
	case s.Pause > 0:
		return PauseIn(lang, s.Pause)
	}
	return ""
}

func orAll(lang, who string) string {
	if who == "all" {
		return Text{"en": "all", "zh": "所有程序"}.In(lang)
	}
	return model.Printable(who)
}

// ActionIn says what somebody did to a lab.
func ActionIn(lang string, a model.Action) string {
	switch a.Kind {
	case model.InjectFault:
		return Step{Fault: &a.Fault}.In(lang)
	case model.HealFault:
		return Step{Heal: &a.Fault}.In(lang)
	case model.HealAll:
		return Step{Heal: &model.Fault{}}.In(lang)
	case model.TellProc:
		return Step{Tell: &Tell{Contender: a.Contender, Word: a.Word}}.In(lang)
	case model.RevokeLease:
		return form{"the lease %s is revoked", "撤销租约 %s"}.in(lang, a.Lease.String())
	case model.DeleteClaim:
		return form{"the claim %s is deleted", "删除排队键 %s"}.in(lang, model.Printable(a.Key))
	case model.SpawnProc:
		if a.Contender == "" {
			return form{"a new program wants %s", "新增一个想要 %s 的程序"}.in(lang, model.Printable(a.Lock))
		}
		return Step{Start: a.Contender}.In(lang)
	}
	return text.Render(lang, a.Message())
}

// happens is what a fault does, healed what its end does, and told what a contender does that
// was told a word.
var (
	happens = map[model.FaultKind]form{
		model.FaultPause: {"%s is paused", "暂停 %s"}, model.FaultKill: {"%s is killed", "杀掉 %s"}, model.FaultStop: {"%s is asked to end", "让 %s 正常结束"},
		model.FaultHoldKeepalives: {"the renewals of %s are held back", "拦住 %s 的续租"}, model.FaultHold: {"messages of %s are held back", "拦住 %s 的消息"},
		model.FaultDelay: {"messages of %s come late", "让 %s 的消息迟到"}, model.FaultDropReply: {"replies to %s are lost", "丢弃给 %s 的回答"},
		model.FaultFreeze: {"nothing of %s passes", "冻结 %s 的连接"}, model.FaultCut: {"%s is cut off", "切断 %s 的连接"}, model.FaultSlow: {"the link of %s is slow", "让 %s 的连接变慢"},
		model.FaultStopMember: {"the member %s stops", "停掉成员 %s"}, model.FaultPauseMember: {"the member %s is paused", "暂停成员 %s"},
		model.FaultIsolate: {"the member %s is isolated", "隔离成员 %s"}, model.FaultSlowMember: {"the member %s is slow", "让成员 %s 变慢"},
		model.FaultMoveLeader: {"another member becomes the leader", "换另一个成员做 Leader"}, model.FaultLoseQuorum: {"a majority of the members stops", "停掉多数成员"},
		model.FaultDeadlock: {"two programs take two locks in opposite order", "两个程序以相反的顺序拿两把锁"}, model.FaultCompact: {"the history is compacted", "压缩历史"},
		model.FaultFill: {"the database is full", "填满数据库"}, model.FaultPut: {"the key %s is put without a lease", "写入没有租约的键 %s"},
		model.FaultDetach: {"the key of %s loses its lease", "让 %s 的键脱离租约"}, model.FaultRevoke: {"the lease of %s is revoked", "撤销 %s 的租约"}, model.FaultDelete: {"the claim of %s is deleted", "删除 %s 的排队键"},
	}
	healed = map[model.FaultKind]form{
		model.FaultPause: {"%s runs on", "让 %s 继续运行"}, model.FaultHoldKeepalives: {"the renewals of %s pass again", "放行 %s 的续租"},
	}
	told = map[string]form{
		"lock": {"%s asks for the lock", "%s 请求锁"}, "unlock": {"%s lets the lock go", "%s 释放锁"},
		"lock-again": {"%s locks once more with its session", "%s 用同一会话再次加锁"}, "unlock-again": {"%s lets the lock go once more", "%s 再释放一次"},
		"read": {"%s reads the resource", "%s 读资源"}, "put": {"%s writes what it made of it", "%s 写资源"}, "write": {"%s reads and writes the resource", "%s 读写资源"},
		"close": {"%s closes its session", "%s 关闭会话"}, "drop": {"%s stops renewing", "%s 停止续租"}, "proclaim": {"%s writes a new value", "%s 改写自己的值"},
	}
)

// overFault says that a fault is, in words of its own or by what it did.
func overFault(k model.FaultKind) form {
	if f, ok := healed[k]; ok {
		return f
	}
	return form{"no longer: " + happens[k].en, "不再：" + happens[k].zh}
}

// In says what a wait waits for, and that it is so. It is "" for what no lesson waits for.
func (w *Wait) In(lang string) (want, met string) {
	var wants, mets []string
	add := func(do, does, zh string, args ...any) {
		if lang == "zh" {
			do, does = zh, zh
		}
		wants, mets = append(wants, fmt.Sprintf(do, args...)), append(mets, fmt.Sprintf(does, args...))
	}
	if w.Nobody {
		add("nobody to hold %s", "nobody holds %s", "没有人持有 %s", w.Lock)
	}
	said := maps.Clone(w.Beliefs)
	for _, name := range w.Holders {
		if said[name] == model.BeliefHolding {
			delete(said, name)
			add("%s to hold %s and know it", "%s holds %s and knows it", "%s 持有 %s，自己也知道", name, w.Lock)
		} else {
			add("%s to hold %s", "%s holds %s", "%s 持有 %s", name, w.Lock)
		}
	}
	switch names, n := listed(lang, w.Waiters), len(w.Waiters); {
	case n == 1 && len(w.Holders) > 0:
		add("%s to wait", "%s waits", "%s 在等待", names)
	case n > 1 && len(w.Holders) > 0:
		add("%s to wait in this order", "%s wait in this order", "%s 按这个顺序等待", names)
	case n == 1:
		add("%s to wait for %s", "%s waits for %s", "%s 等待 %s", names, w.Lock)
	case n > 1:
		add("%s to wait for %s in this order", "%s wait for %s in this order", "%s 按这个顺序等待 %s", names, w.Lock)
	}
	for _, name := range w.Gone {
		add("%s to leave the queue of %s", "%s has no claim on %s", "%s 在 %s 没有排队键", name, w.Lock)
	}
	if w.Queue >= 0 {
		keys := model.CountOf(w.Queue, "key")
		if lang == "zh" {
			keys = fmt.Sprintf("%d 个键", w.Queue)
		}
		add("%s to have %s", "%s has %s", "%s 有 %s", w.Lock, keys)
	}
	for _, b := range believing {
		var names []string
		for _, name := range slices.SortedFunc(maps.Keys(said), byNumber) {
			if said[name] == b.state {
				names = append(names, name)
			}
		}
		switch who := listed(lang, names); len(names) {
		case 0:
		case 1:
			add("%s to "+b.do, "%s "+b.does, "%s "+b.zh, who)
		default:
			add("%s to "+b.all, "%s "+b.all, "%s "+b.zh, who)
		}
	}
	for _, name := range w.Alive {
		add("%s to run", "%s runs", "%s 在运行", name)
	}
	switch who := listed(lang, w.Ended); len(w.Ended) {
	case 0:
	case 1:
		add("%s to end", "%s has ended", "%s 已结束", who)
	default:
		add("%s to end", "%s have ended", "%s 已结束", who)
	}
	if w.Acquisitions > 0 {
		add("%d turns", "there were %d turns", "获取锁 %d 次", w.Acquisitions)
	}
	if len(w.Findings)+len(w.Absent)+len(w.Says)+w.Up > 0 || w.Leader != "" {
		return "", ""
	}
	sep := Text{"en": ", ", "zh": "，"}.In(lang)
	return strings.Join(wants, sep), strings.Join(mets, sep)
}

// listed are names as one writes them in a sentence. Of many that are numbered one after
// another the first and the last are named.
func listed(lang string, names []string) string {
	n := len(names) - 1
	if kind := numbered(names); n > 2 && kind != "" {
		return fmt.Sprintf(Text{"en": "%s1 to %s%d", "zh": "%s1 到 %s%d"}.In(lang), kind, kind, n+1)
	}
	if n < 1 {
		return strings.Join(names, "")
	}
	return strings.Join(names[:n], Text{"en": ", ", "zh": "、"}.In(lang)) + Text{"en": " and ", "zh": " 和 "}.In(lang) + names[n]
}

// byNumber puts h2 before h10.
func byNumber(a, b string) int { return cmp.Or(cmp.Compare(len(a), len(b)), cmp.Compare(a, b)) }

// numbered is what the names begin with, if they are all from NAME1 to NAMEn, else "".
func numbered(names []string) string {
	if len(names) == 0 {
		return ""
	}
	kind := strings.TrimRight(names[0], "0123456789")
	for i := range names {
		if names[i] != kind+strconv.Itoa(i+1) {
			return ""
		}
	}
	return kind
}

// believing are the words for what one believes, is to believe, and several do.
var believing = []struct {
	state             model.BeliefState
	do, does, all, zh string
}{
	{model.BeliefHolding, "believe that it holds", "believes that it holds", "believe that they hold", "认为自己持有锁"},
	{model.BeliefWaiting, "wait", "waits", "wait", "在等待"},
	{model.BeliefLost, "know that it lost the lock", "knows that it lost the lock", "know that they lost the lock", "得知锁已丢失"},
	{model.BeliefLeaving, "let go", "is letting go", "let go", "正在释放"},
	{model.BeliefIdle, "no longer want the lock", "no longer wants the lock", "no longer want the lock", "不想要锁"},
}

// sentences say what came of an expectation, in each language.
var sentences = map[string]map[Verdict]Text{
	"one-holder":      {Held: {"en": "In etcd the lock had one holder at a time.", "zh": "在 etcd 里，锁每次只有一个持有者。"}, Violated: {"en": "The lock had a holder that was not first in the queue.", "zh": "持有锁的不是队列里的第一个。"}, Unknown: {"en": "It cannot be told whether the lock ever had two holders.", "zh": "无法判定锁是否有过两个持有者。"}},
	"fifo":            {Held: {"en": "It was served in the order of arrival.", "zh": "锁按到达的顺序交接。"}, Violated: {"en": "It was not served in the order of arrival.", "zh": "锁没有按到达的顺序交接。"}, Unknown: {"en": "It cannot be told in which order it was served.", "zh": "无法判定锁按什么顺序交接。"}},
	"overlap":         {Held: {"en": "The time of two believers was as expected.", "zh": "两个客户端同时认为自己持有的时间与预期相符。"}, Violated: {"en": "The time of two believers was not as expected.", "zh": "两个客户端同时认为自己持有的时间与预期不符。"}, Unknown: {"en": "It cannot be told for how long two believed.", "zh": "无法判定两个客户端同时认为自己持有了多久。"}},
	"handover":        {Held: {"en": "The lock changed hands in time.", "zh": "锁按时交接。"}, Violated: {"en": "The lock did not change hands as expected.", "zh": "锁没有按预期交接。"}, Unknown: {"en": "It cannot be told whether the lock changed hands in time.", "zh": "无法判定锁是否按时交接。"}},
	"failed-attempts": {Held: {"en": "Requests failed as often as expected.", "zh": "落空的请求与预期相符。"}, Violated: {"en": "Requests did not fail as often as expected.", "zh": "落空的请求与预期不符。"}, Unknown: {"en": "It cannot be told how many requests failed.", "zh": "无法判定多少请求落空。"}},
	"lost-updates":    {Held: {"en": "An update was lost, as expected.", "zh": "如预期丢失了一次更新。"}, Violated: {"en": "No update was lost, against what was expected.", "zh": "没有更新丢失，与预期不符。"}, Unknown: {"en": "It cannot be told whether an update was lost.", "zh": "无法判定是否丢失了更新。"}},
	"no-lost-update":  {Held: {"en": "No update was lost.", "zh": "没有更新丢失。"}, Violated: {"en": "An update was lost.", "zh": "丢失了一次更新。"}, Unknown: {"en": "It cannot be told whether an update was lost.", "zh": "无法判定是否丢失了更新。"}},
	"no-old-token":    {Held: {"en": "The resource accepted no token older than one it had seen.", "zh": "资源没有接受过比见过的更旧的令牌。"}, Violated: {"en": "The resource accepted a token older than one it had seen.", "zh": "资源接受过比见过的更旧的令牌。"}, Unknown: {"en": "It cannot be told whether the resource accepted a token older than one it had seen.", "zh": "无法判定资源是否接受过比见过的更旧的令牌。"}},
	"answer":          {Held: {"en": "The lesson's answer is what was measured.", "zh": "课程的答案与测量结果一致。"}, Violated: {"en": "The lesson's answer is not what was measured.", "zh": "课程的答案与测量结果不一致。"}, Unknown: {"en": "None of the lesson's answers is what was measured.", "zh": "课程的答案里没有一个与测量结果相符。"}},
}

// Sentence says what came of an expectation, "" where the language has no words for it.
func (r Result) Sentence(lang string) string { return sentences[r.Name][r.Verdict][lang] }

// span of time in words.
func seconds(d time.Duration) string { return fmt.Sprintf("%g", d.Seconds()) }

// PauseIn says that time passes.
func PauseIn(lang string, d time.Duration) string {
	if lang == "zh" {
		return "让它运行 " + seconds(d) + " 秒"
	}
	return "letting it run for " + model.Duration(d, false)
}

// Untold counts the texts of a drill that are not there in a language, and all of them.
func (d *Drill) Untold(lang string) (lacking, all int) {
	count := func(texts ...Text) {
		for _, t := range texts {
			if len(t) == 0 {
				continue
			}
			if all++; t[lang] == "" {
				lacking++
			}
		}
	}
	for _, s := range d.Steps {
		count(s.Say)
		if s.Ask == nil {
			continue
		}
		count(s.Ask.Text, s.Ask.After)
		for _, o := range s.Ask.Options {
			count(o.Text, o.Why)
		}
	}
	return lacking, all
}
