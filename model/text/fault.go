package text

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"locktop/model"
)

// chineseFaults are the kinds of faults in Chinese: what each is called, does, and what healing it does.
var chineseFaults = map[model.FaultKind]struct{ name, what, heal string }{
	model.FaultPause:          {"暂停", "让进程原地停住（SIGSTOP）", "让它继续运行（SIGCONT）"},
	model.FaultKill:           {"杀掉", "立即结束进程（SIGKILL）", ""},
	model.FaultStop:           {"请结束", "请进程结束（SIGTERM）", ""},
	model.FaultHoldKeepalives: {"拦续租", "拦住它的续租请求", "放行每个租约最近的一次"},
	model.FaultHold:           {"拦消息", "拦住一种方法、一个方向的消息", "按顺序放行"},
	model.FaultDelay:          {"延迟", "延迟一种方法、一个方向的消息", "不再延迟"},
	model.FaultDropReply:      {"丢回答", "成员照做，客户端得不到回答", "不再丢弃，卡住的调用中断"},
	model.FaultFreeze:         {"冻结", "什么都过不去，连接还开着", "按顺序全部放行"},
	model.FaultCut:            {"切断", "断开它的连接，也不接受新的", "重新接受"},
	model.FaultSlow:           {"变慢", "让它的线路又慢又窄", "恢复速度"},
	model.FaultStopMember:     {"停掉成员", "停掉这个成员", "重新启动它"},
	model.FaultPauseMember:    {"暂停成员", "让成员的进程原地停住（SIGSTOP）", "让它继续运行（SIGCONT）"},
	model.FaultIsolate:        {"隔离成员", "切断它与其他成员的连接，不切断客户端", "重新连上"},
	model.FaultSlowMember:     {"拖慢成员", "延迟其他成员发给它的消息", "不再延迟"},
	model.FaultMoveLeader:     {"更换 Leader", "让另一个成员成为 Leader", ""},
	model.FaultLoseQuorum:     {"停掉多数成员", "停掉一半以上的成员", "重新启动它们"},
	model.FaultDeadlock:       {"制造死锁", "启动两个程序，以相反顺序拿两把锁", "结束这两个程序"},
	model.FaultCompact:        {"压缩历史", "压缩到现在为止的历史", ""},
	model.FaultFill:           {"填满数据库", "填满数据库，直到 NOSPACE 告警", "删掉填充，压缩，整理碎片，解除告警"},
	model.FaultPut:            {"写入键", "写入一个没有租约的键", "删除它，如果还是那一个"},
	model.FaultDetach:         {"脱离租约", "再写一次它的排队键，不带租约", "删除排队键，如果还是那一个"},
	model.FaultRevoke:         {"撤销租约", "撤销它的租约", ""},
	model.FaultDelete:         {"删除排队键", "删除它的排队键", ""},
}

// faultWords are what there is to choose for a fault.
var faultWords = map[string]string{
	"method": "方法", "direction": "方向", "delay": "延迟", "rate": "速率", "count": "条数", "at": "在成员", "for": "持续",
	"every method": "所有方法", "requests": "请求", "replies": "回答", "all": "全部", "all members": "所有成员", "not thin": "不变窄", "until healed": "直到恢复",
}

// ChineseFaultKind is what a kind of fault is called in Chinese, does, and what healing it does;
// "" for a kind that has no words.
func ChineseFaultKind(kind model.FaultKind) (name, what, heal string) {
	x := chineseFaults[kind]
	return x.name, x.what, x.heal
}

// ChineseFaultWord is the name or a value of what there is to choose for a fault, "" for one that
// has no words.
func ChineseFaultWord(s string) string { return faultWords[s] }

// ChineseFault says what a fault is in Chinese, as [model.Fault.Describe] does in English.
func ChineseFault(f model.Fault) string {
	name := chineseFaults[f.Kind].name
	if name == "" {
		return f.Describe()
	}
	if f.Target != "" {
		name += " " + model.Printable(f.Target)
	}
	return name + faultRest(f)
}

// chineseDeed says in Chinese that a fault was done.
func chineseDeed(f model.Fault) string {
	deed, known := deeds[f.Kind]
	if !known {
		return ChineseFault(f)
	}
	return strings.TrimSpace(deed+model.Printable(f.Target)) + faultRest(f)
}

// deeds say that a fault was done; whom it was done to follows.
var deeds = map[model.FaultKind]string{
	model.FaultPauseMember: "暂停成员 ", model.FaultStopMember: "停掉成员 ", model.FaultSlowMember: "拖慢成员 ", model.FaultStop: "请结束：",
	model.FaultHoldKeepalives: "拦住续租：", model.FaultIsolate: "隔离 ", model.FaultDetach: "脱离租约：", model.FaultRevoke: "撤销租约：", model.FaultDelete: "删除排队键：",
}

// faultRest is what follows the name and the target of a fault.
func faultRest(f model.Fault) string {
	info, _ := f.Kind.Info()
	var rest strings.Builder
	add := func(ok bool, words string) {
		if ok {
			rest.WriteString("，" + words)
		}
	}
	word := func(s string) string { return cmp.Or(faultWords[s], model.Printable(s)) }
	add(slices.Contains(info.Takes, "direction"), word(string(cmp.Or(f.Direction, model.Requests))))
	add(slices.Contains(info.Takes, "method"), word(cmp.Or(f.Method, "every method")))
	add(f.Member != "", "在 "+model.Printable(f.Member))
	add(f.Delay > 0, "延迟 "+f.Delay.String())
	add(f.Rate > 0, fmt.Sprintf("%d B/s", f.Rate))
	add(f.Count > 0, fmt.Sprintf("%d 条", f.Count))
	add(f.For > 0 && !info.Instant, "持续 "+f.For.String())
	return rest.String()
}
