package draw

import (
	"cmp"
	"fmt"
	"strings"
	"time"

	"locktop/model"
	"locktop/model/findings"
	"locktop/model/journal"
	"locktop/model/text"
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
	model.CodeExternalDelete:       {"{lock} 的上一任持有者已没有键，却仍在续租", "问旧的持有者是否放手，没有就让它停下"},
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
		return th.FormatSentence(about(x.story, model.Printable(f.Lock)))
	}
	return th.FormatSentence(text.English(f.Summary))
}

// Evidence is what a finding rests on. It is told in English alone: the figures that it rests on
// are on the screen in every language.
func (th *Theme) Evidence(f *model.Finding) []string {
	if th.Lang == "zh" {
		return nil
	}
	return text.EnglishAll(f.Evidence)
}

// Advice is what to do about a finding, in order.
func (th *Theme) Advice(f *model.Finding) []string {
	if x, ok := found[f.Code]; ok && th.Lang == "zh" {
		return []string{x.do}
	}
	return text.EnglishAll(f.Advice)
}

// Headline is a verdict in a line.
func (th *Theme) Headline(v findings.Verdict) string {
	x, ok := found[v.Finding.Code]
	if !ok || th.Lang != "zh" {
		return th.FormatSentence(v.Title())
	}
	what := model.Printable(v.Finding.Lock)
	if v.Locks > 1 {
		what = fmt.Sprintf("%d 把锁", v.Locks)
	}
	return th.FormatSentence(about(x.story, what))
}

// How says how a verdict came. In Chinese its headline says all.
func (th *Theme) How(v findings.Verdict) string {
	if _, ok := found[v.Finding.Code]; ok && th.Lang == "zh" {
		return ""
	}
	return th.FormatSentence(v.How())
}

// Do is what to do first about a verdict, "" for nothing.
func (th *Theme) Do(v findings.Verdict) string {
	if v.Do() == "" {
		return ""
	}
	return th.Advice(&v.Finding)[0]
}

// FormatConfidence says how sure something is.
func (th *Theme) FormatConfidence(c model.Confidence) string {
	return text.Word(th.Lang, c)
}

// foundOrOver is a line about a finding that came, or is over, "" for one that has no words.
func foundOrOver(f *journal.Entry) string {
	x, ok := found[f.Code]
	if !ok {
		return ""
	}
	story := about(x.story, model.Printable(f.Lock))
	if f.Text.ID == "found" {
		return fmt.Sprintf("%s（%s）：%s", f.Code, text.Word(text.Chinese, f.Confidence), story)
	}
	lasted, _ := f.Text.Args[1].(time.Duration)
	return fmt.Sprintf("%s 已结束，历时 %s：%s", f.Code, model.Duration(lasted, false), story)
}

// FaultKind is what a kind of fault is called, does, and what healing it does.
func (th *Theme) FaultKind(info model.FaultInfo) (name, what, heal string) {
	if name, what, heal := text.ChineseFaultKind(info.Kind); name != "" && th.Lang == "zh" {
		return name, what, heal
	}
	return string(info.Kind), info.What, info.Heal
}

// FaultWord is the name or a value of what there is to choose for a fault.
func (th *Theme) FaultWord(s string) string {
	if zh := text.ChineseFaultWord(s); zh != "" && th.Lang == "zh" {
		return zh
	}
	return th.Clean(s)
}

// Fault says what a fault is.
func (th *Theme) Fault(f model.Fault) string {
	if th.Lang == "zh" {
		return th.Clean(text.ChineseFault(f))
	}
	return th.Clean(f.Describe())
}

// FaultState is how one is to whom a fault is done, in a word for a list.
func (th *Theme) FaultState(info model.FaultInfo) string {
	if name, _, _ := text.ChineseFaultKind(info.Kind); name != "" && th.Lang == "zh" {
		return name
	}
	return th.Clean(cmp.Or(info.State, string(info.Kind)))
}

// FormatOutcome says what was done, or why not.
func (th *Theme) FormatOutcome(o model.Outcome) string {
	return th.Message(o.Message())
}

// Message says a message in the language of the lesson.
func (th *Theme) Message(m model.Message) string {
	return th.FormatSentence(text.Render(th.Lang, m))
}
