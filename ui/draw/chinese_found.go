package draw

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"locktop/model"
	"locktop/model/diagnose"
	"locktop/model/fold"
	"locktop/model/journal"
)

// found are the findings in Chinese, by their code: what it is, of a lock, and what to do first.
var found = map[model.Code]struct{ story, do string }{
	model.CodeNoQuorum:             {"没有 Leader：锁不能获取、释放，也不会到期", "恢复成员，直到超过一半"},
	model.CodeNoSpace:              {"数据库已满：锁可以释放，不能获取", "压缩，逐个成员整理碎片，再解除告警（etcdctl alarm disarm）"},
	model.CodeMemberDivergence:     {"成员存储的数据不一致", "用 etcdctl endpoint hashkv --cluster 比较，移除不一致的成员，再用空目录加入"},
	model.CodeLeaseGhostList:       {"一个成员列出了已不存在的租约", "重启或更换这个成员"},
	model.CodePinnedBadMember:      {"客户端连在被切断或卡住的成员上", "看看那个成员：被暂停、CPU 不够、磁盘卡住还是被切断？重启卡住的客户端"},
	model.CodeMassRevocation:       {"换 Leader 时撤销了许多租约", "升级"},
	model.CodeOverloadReject:       {"etcd 过载：{lock} 的续租迟到", "先减负：大范围读取，和从很旧的版本开始的监听"},
	model.CodeTTLReset:             {"新的 Leader 又给 {lock} 的已死持有者完整的 TTL", "等新的期限过去；如果确定持有者已死，就打破锁"},
	model.CodeOrphanKey:            {"没有租约的键挡住了 {lock}", "先确认写它的程序已经不在，再删除这个键"},
	model.CodeLeaseDetached:        {"一次写入让 {lock} 的持有者的键脱离了租约", "确认写入者已经不在，再按创建版本号有条件地删除这个键"},
	model.CodeForeignKey:           {"不是排队键的键挡住了 {lock}", "查清是谁的数据并移走，或者给锁改名"},
	model.CodeNestedPrefix:         {"嵌套的锁挡住了 {lock}", "等更深的锁释放；如果它的持有者已死，就打破它"},
	model.CodeDeadHolder:           {"{lock} 的持有者不再续租", "等它到期；如果确定持有者已死，现在就撤销租约"},
	model.CodeKeepaliveStalled:     {"{lock} 的持有者续租迟到", "趁还有时间：看看持有者的机器和网络，提醒它的负责人"},
	model.CodeUnattendedLease:      {"没有人给 {lock} 的租约续租", "修改调用方：申请租约，给它续租，再传给调用"},
	model.CodeLeaseOverdue:         {"{lock} 的租约已经结束，但 etcd 还留着键", "看看是一个租约还是许多，数量是否在减少"},
	model.CodeExpiryBacklog:        {"etcd 结束租约太慢，耽误了 {lock}", "等待，积压会自己减少"},
	model.CodeRevokeFailing:        {"etcd 撤销不了 {lock} 的已结束租约", "以 root 身份手动撤销这个租约"},
	model.CodeRevokeForgotten:      {"etcd 忘了撤销 {lock} 的已结束租约", "手动撤销这个租约"},
	model.CodeProxyKeepalive:       {"etcd grpc-proxy 可能在替 {lock} 的已死持有者续租", "没有坏：在 grpc-proxy 后面，接手要算两个 TTL"},
	model.CodeTTLRollover:          {"{lock} 的租约读数不合理", "不用做什么：租约会再读一次"},
	model.CodeTTLFloor:             {"服务器给 {lock} 的 TTL 比请求的长", "按实际给的 TTL 计算"},
	model.CodePredecessorClaim:     {"{lock} 的持有者重启过，旧的排队键还在", "看看程序是否认为自己持有：键挂在自己的租约上才是自己的"},
	model.CodeKubeLeaseOverdue:     {"{lock} 的 Kubernetes Lease 已过期，没有人接手", "看看参与的 pod：有没有在运行的，能不能连到 API server？"},
	model.CodeLockCycle:            {"{lock} 死锁：会话互相等待", "打破一边，选工作容易重做的那一边"},
	model.CodeSharedLease:          {"几把锁共用 {lock} 的租约", "撤销之前，看清会一起消失的键"},
	model.CodeLeaseLeak:            {"一个程序每次尝试 {lock} 都留下一个租约", "在客户端里：每个进程一个会话，失败或用完就关闭"},
	model.CodeLongHeld:             {"{lock} 的持有者不放手", "看看持有者的进程：在工作吗，知道自己持有吗？如果只是慢，就不要动它"},
	model.CodeZombieHolder:         {"{lock} 的持有者卡住了，租约仍在续", "先看进程（栈、日志、CPU）"},
	model.CodeUnlockLost:           {"{lock} 的解锁没有到达", "问它的负责人是否还持有"},
	model.CodeForeignKeepalive:     {"别人在给 {lock} 的租约续租", "先找到另一个续租者"},
	model.CodeGhostWaiter:          {"{lock} 的一个排队键已放弃，仍在续租", "问它的负责人；如果不要锁，就撤销那个租约"},
	model.CodeMissedDelete:         {"{lock} 的持有者不知道自己持有", "重启那个客户端，它的键消失，下一个上前"},
	model.CodeSameSession:          {"两个工作者凭同一个排队键使用 {lock}", "给每个工作者自己的会话，或者在锁外面加一个本地互斥锁"},
	model.CodeLeaderOffLeader:      {"{lock} 上 PD 的领导者不是领导 etcd 的成员", "看看键里写的成员：磁盘、CPU、与其他成员的连接"},
	model.CodeDeadWaiter:           {"{lock} 的一个等待者不再续租", "如果租约上没有别的键，现在就撤销它：死的客户端不怕"},
	model.CodeZombieCandidate:      {"一个竞争者丢了 {lock} 队列里的位置，自己不知道", "在需要更换持有者之前，重启队列里缺少的客户端"},
	model.CodeDeadSessionLoop:      {"一个客户端用已结束的租约不停请求 {lock}", "重启那个客户端"},
	model.CodeLockOverrunsDeadline: {"对 {lock} 的一次 Lock 调用超过了期限", "如果客户端卡住就重启它，它的键随 TTL 消失"},
	model.CodeCompactedWait:        {"{lock} 的一个等待者失败：它的版本号被压缩了", "让客户端再试，它排到队尾"},
	model.CodeLongQueue:            {"{lock} 的队列很长", "先看队首是否在工作，持有时间是否和平时一样"},
	model.CodeKeepaliveCancelled:   {"{lock} 的续租随它的 context 结束", "当作锁在 TTL 结束时丢失：在那之前停下工作"},
	model.CodeKeepaliveHalted:      {"{lock} 的客户端出错后不再续租", "重启那个客户端，再升级它的库"},
	model.CodeKeepaliveUnread:      {"持有 {lock} 的程序不读续租的回答", "循环读 channel 直到它关闭，并升级客户端"},
	model.CodeKeepaliveDenied:      {"{lock} 的持有者无权再续租", "给角色这把锁的写权限，或更新令牌，再重启客户端"},
	model.CodeHalfOpenTCP:          {"{lock} 的客户端在对断掉的连接说话", "重启客户端，或者等它重新连接"},
	model.CodeRenewRace:            {"撤销 {lock} 的租约时，一次续租得到了回答", "升级"},
	model.CodeStaleUnlock:          {"一次迟到的解锁释放了别人持有的 {lock}", "停下持有者的工作：它已不再持有"},
	model.CodeExternalRevoke:       {"有人从外面撤销了 {lock} 的租约", "先问是谁做的，再看旧的持有者是否已停下"},
	model.CodeExternalDelete:       {"有人从外面删除了 {lock} 的排队键", "问旧的持有者是否放手，没有就让它停下"},
	model.CodeStaleHolder:          {"两个程序都在使用 {lock}", "先停下旧的持有者，再检查它在交接之后写了什么"},
	model.CodeLateDone:             {"持有者太晚才得知丢了 {lock}", "所有靠租约的锁都会这样，客户端没有错也一样"},
	model.CodeExpiredWaiterWins:    {"{lock} 的已死等待者可能得知自己持有", "升级服务器和客户端库"},
	model.CodeGhostLeader:          {"一个候选者没有键，却领导着 {lock}", "找到以领导者自居的进程，重启它"},
	model.CodeRWExpiredWriter:      {"一个程序没有键，却在 {lock} 下工作", "重启没有键却在工作的进程"},
}

// about puts the name of the lock into what is found.
func about(text, lock string) string { return strings.ReplaceAll(text, "{lock}", lock) }

// Summary says what is found, in a sentence.
func (th *Theme) Summary(f *model.Finding) string {
	if x, ok := found[f.Code]; ok && th.Lang == "zh" {
		return th.Prose(about(x.story, model.Printable(f.Lock)))
	}
	return th.Prose(f.Summary)
}

// Evidence is what a finding rests on. It is told in English alone: the figures that it rests on
// are on the screen in every language.
func (th *Theme) Evidence(f *model.Finding) []string {
	if th.Lang == "zh" {
		return nil
	}
	return f.Evidence
}

// Advice is what to do about a finding, in order.
func (th *Theme) Advice(f *model.Finding) []string {
	if x, ok := found[f.Code]; ok && th.Lang == "zh" {
		return []string{x.do}
	}
	return f.Advice
}

// Headline is a verdict in a line.
func (th *Theme) Headline(v diagnose.Verdict) string {
	x, ok := found[v.Finding.Code]
	if !ok || th.Lang != "zh" {
		return th.Prose(v.Title())
	}
	what := model.Printable(v.Finding.Lock)
	if v.Locks > 1 {
		what = fmt.Sprintf("%d 把锁", v.Locks)
	}
	return th.Prose(about(x.story, what))
}

// How says how a verdict came. In Chinese its headline says all.
func (th *Theme) How(v diagnose.Verdict) string {
	if _, ok := found[v.Finding.Code]; ok && th.Lang == "zh" {
		return ""
	}
	return th.Prose(v.How())
}

// Do is what to do first about a verdict, "" for nothing.
func (th *Theme) Do(v diagnose.Verdict) string {
	if v.Do() == "" {
		return ""
	}
	return th.Advice(&v.Finding)[0]
}

// causes are why a claim went.
var causes = map[journal.Cause]string{
	journal.CauseReleased: "已释放", journal.CauseExpired: "租约到期", journal.CauseRevoked: "租约被撤销或会话关闭",
	journal.CauseDeleted: "键被删除", journal.CauseReplaced: "键被覆盖", journal.CauseUnknown: "原因不明",
}

// sureness is how sure something is.
var sureness = map[model.Confidence]string{model.Certain: "确定", model.Strong: "较有把握", model.Hint: "线索"}

// Sure says how sure something is.
func (th *Theme) Sure(c model.Confidence) string {
	if zh := sureness[c]; zh != "" && th.Lang == "zh" {
		return zh
	}
	return string(c)
}

// course is a line that a lesson tells of itself. Its pane says what the step does.
func course(text string) string {
	var n int
	if _, err := fmt.Sscanf(text, "step %d", &n); err != nil {
		return ""
	}
	if strings.HasPrefix(text, fmt.Sprintf("step %d over", n)) {
		return fmt.Sprintf("课程第 %d 步完成", n)
	}
	return fmt.Sprintf("课程第 %d 步", n)
}

// foundOrOver is a line about a finding that came, or is over.
func foundOrOver(f *journal.Entry) string {
	code, rest, _ := strings.Cut(f.Text, " ")
	x, ok := found[model.Code(code)]
	if !ok {
		return ""
	}
	story := about(x.story, model.Printable(f.Lock))
	if _, after, over := strings.Cut(rest, " is over, after "); over || strings.HasPrefix(rest, "is over, after ") {
		return fmt.Sprintf("%s 已结束，历时 %s：%s", code, cmp.Or(after, strings.TrimPrefix(rest, "is over, after ")), story)
	}
	return fmt.Sprintf("%s（%s）：%s", code, sureness[f.Confidence], story)
}

// reports are what the lab tells of a program: how the English ends, and the Chinese.
var reports = []struct{ en, zh string }{
	{" noticed that its lease is gone", " 得知租约没了"}, {" is running", " 在运行"}, {" is paused", " 被暂停"}, {" is ended", " 已结束"},
	{" is ended: killed", " 被杀掉"}, {" is ended: stopped", " 已按请求结束"},
}

// reported is a line that the lab told, "" for one that has no words.
func reported(text string) string {
	for _, r := range reports {
		if who, ok := strings.CutSuffix(text, r.en); ok {
			return who + r.zh
		}
	}
	if what, ok := strings.CutPrefix(text, "fault: "); ok {
		return "故障：" + ofFault(what)
	}
	if what, ok := strings.CutPrefix(text, "fault ended: "); ok {
		return "故障结束：" + strings.Replace(strings.Replace(ofFault(what), " (healed)", "（已恢复）", 1), " (target ended)", "（目标已结束）", 1)
	}
	if who, rest, ok := strings.Cut(text, " wrote with the old token "); ok {
		var old, newer int64
		if _, err := fmt.Sscanf(rest, "%d: accepted, though %d was given", &old, &newer); err == nil {
			return fmt.Sprintf("%s 用旧令牌 %d 写入：被接受，而 %d 已经发出", who, old, newer)
		}
	}
	if who, how, ok := strings.Cut(text, " is ended: "); ok {
		return who + " 已结束：" + how
	}
	return ""
}

// deeds are what the console or the lesson did, by how the English begins; whom it was done to
// follows.
var deeds = []struct{ en, zh string }{
	{"Paused member ", "暂停成员 "}, {"Stopped member ", "停掉成员 "}, {"Slowed member ", "拖慢成员 "}, {"Paused ", "暂停 "}, {"Killed ", "杀掉 "},
	{"Sent SIGTERM to ", "请结束："}, {"Holding keepalives of ", "拦住续租："}, {"Froze ", "冻结 "}, {"Cut off ", "切断 "}, {"Isolated ", "隔离 "},
	{"Moved the leader", "更换 Leader"}, {"Stopped a majority of the members", "停掉多数成员"}, {"Started a deadlock", "制造死锁"},
	{"Compacted the history", "压缩历史"}, {"Filled the database", "填满数据库"}, {"Put key ", "写入键 "}, {"Took the lease off the claim of ", "脱离租约："},
	{"Revoked the lease of ", "撤销租约："}, {"Deleted the claim of ", "删除排队键："}, {"Revoked lease ", "撤销租约 "}, {"Deleted claim ", "删除排队键 "},
	{"Added a contender on ", "新增竞争者："}, {"Started ", "启动 "}, {"Healed every fault", "恢复所有故障"}, {"Healed: ", "恢复："}, {"Told ", "告诉 "},
}

// done is an action in Chinese, "" for one that has no words.
func done(text string) string {
	for _, d := range deeds {
		if rest, ok := strings.CutPrefix(text, d.en); ok {
			if d.en == "Healed: " {
				rest = ofFault(rest)
			}
			return d.zh + strings.Replace(strings.Replace(rest, " to ", "：", 1), " for ", "，持续 ", 1)
		}
	}
	return ""
}

// told is an entry in Chinese, "" for a kind whose sentence is that of whoever wrote it.
func told(s *fold.State, f *journal.Entry) string {
	lock, who := model.Printable(f.Lock), s.Who
	why := causes[f.Cause]
	switch {
	case f.Pending && f.Cause == journal.CauseUnknown:
		why = "原因还不清楚"
	case f.Confidence != model.Certain && f.Cause != journal.CauseUnknown && sureness[f.Confidence] != "":
		why += "（" + sureness[f.Confidence] + "）"
	}
	held := ""
	if (f.Held > 0 || f.HeldAtLeast) && !f.Past {
		held = "，持有了 " + model.Duration(f.Held, f.HeldAtLeast)
	}
	switch f.Kind {
	case journal.Queued:
		return fmt.Sprintf("%s 加入 %s 的队列，第 %d 位，在 %s 之后", who(f.Claim), lock, f.Place, who(f.WaitsFor))
	case journal.Acquired:
		switch {
		case f.Unseen:
			return fmt.Sprintf("监听中断期间 %s 拿到 %s", who(f.Claim), lock)
		case !f.From.IsZero():
			return fmt.Sprintf("%s 拿到曾被 %s 挡住的 %s", who(f.Claim), model.Printable(f.From.Key), lock)
		}
		return fmt.Sprintf("%s 拿到空闲的 %s", who(f.Claim), lock)
	case journal.Shared:
		return fmt.Sprintf("%s 也持有 %s，第 %d 位", who(f.Claim), lock, f.Place)
	case journal.Left:
		if f.WasHolder {
			return fmt.Sprintf("%s 不再持有 %s%s：%s", who(f.Claim), lock, held, why)
		}
		return fmt.Sprintf("%s 离开 %s 的队列，原第 %d 位：%s", who(f.Claim), lock, f.Place, why)
	case journal.Handover:
		switch {
		case f.Unseen:
			return fmt.Sprintf("监听中断期间 %s 从 %s 换到 %s", lock, who(f.From), who(f.Claim))
		case f.Gap > 0:
			return fmt.Sprintf("%s 从 %s 接手 %s%s：%s，空闲了 %s", who(f.Claim), who(f.From), lock, held, why, model.Seconds(f.Gap))
		}
		return fmt.Sprintf("%s 从 %s 接手 %s%s：%s，立即交接", who(f.Claim), who(f.From), lock, held, why)
	case journal.First:
		return fmt.Sprintf("%s 在 %s 排到最前，因为 %s 走了：%s", who(f.Claim), lock, who(f.From), why)
	case journal.Finding:
		return foundOrOver(f)
	case journal.Lab:
		return reported(f.Text)
	case journal.Drill:
		return course(f.Text)
	case journal.Action:
		return done(f.Text)
	case journal.Blocked:
		return fmt.Sprintf("%s 被 %s 挡住，它不是排队键", lock, model.Printable(f.Claim.Key))
	}
	return ""
}

// faults are the kinds of faults in Chinese: what each is called, does, and what healing it does.
var faults = map[model.FaultKind]struct{ name, what, heal string }{
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

// FaultKind is what a kind of fault is called, does, and what healing it does.
func (th *Theme) FaultKind(info model.FaultInfo) (name, what, heal string) {
	if zh, ok := faults[info.Kind]; ok && th.Lang == "zh" {
		return zh.name, zh.what, zh.heal
	}
	return string(info.Kind), info.What, info.Heal
}

// FaultWord is the name or a value of what there is to choose for a fault.
func (th *Theme) FaultWord(s string) string {
	if zh := faultWords[s]; zh != "" && th.Lang == "zh" {
		return zh
	}
	return th.Clean(s)
}

// Fault says what a fault is.
func (th *Theme) Fault(f model.Fault) string {
	info, _ := f.Kind.Info()
	if th.Lang != "zh" || faults[f.Kind].name == "" {
		return th.Clean(f.Describe())
	}
	text := faults[f.Kind].name
	if f.Target != "" {
		text += " " + f.Target
	}
	add := func(said bool, words string) {
		if said {
			text += "，" + words
		}
	}
	add(slices.Contains(info.Takes, "direction"), th.FaultWord(string(cmp.Or(f.Direction, model.Requests))))
	add(slices.Contains(info.Takes, "method"), th.FaultWord(cmp.Or(f.Method, "every method")))
	add(f.Member != "", "在 "+f.Member)
	add(f.Delay > 0, "延迟 "+f.Delay.String())
	add(f.Rate > 0, fmt.Sprintf("%d B/s", f.Rate))
	add(f.Count > 0, fmt.Sprintf("%d 条", f.Count))
	add(f.For > 0 && !info.Instant, "持续 "+f.For.String())
	return th.Clean(text)
}

// FaultState is how one is to whom a fault is done, in a word for a list.
func (th *Theme) FaultState(info model.FaultInfo) string {
	if zh, ok := faults[info.Kind]; ok && th.Lang == "zh" {
		return zh.name
	}
	return th.Clean(cmp.Or(info.State, string(info.Kind)))
}

// Deed is an action that was done.
func (th *Theme) Deed(text string) string {
	if zh := done(text); zh != "" && th.Lang == "zh" {
		text = zh
	}
	return th.Clean(text)
}

// ofFault is what the lab told of a fault. One that has more to it than whom and how long stays.
func ofFault(text string) string {
	best, zh := 0, text
	for _, info := range model.FaultKinds() {
		words := cmp.Or(info.Words, strings.ReplaceAll(string(info.Kind), "-", " "))
		rest, ok := strings.CutPrefix(text+" ", words+" ")
		if !ok || len(words) < best {
			continue
		}
		best, zh = len(words), text
		if !slices.Contains(info.Takes, "method") && !slices.Contains(info.Takes, "delay") {
			rest = strings.TrimSpace(strings.TrimPrefix(rest, "of "))
			zh = strings.TrimSpace(faults[info.Kind].name + " " + strings.Replace(rest, " for ", "，持续 ", 1))
		}
	}
	return zh
}
