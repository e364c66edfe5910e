package text

import "locktop/model"

// states are what a lock or a session is called where nothing was found, or a finding is said in
// more than its state.
var states = map[model.MessageID]Sentence{
	"problem-two-programs-act":    {"two programs act", "两个程序在工作"},
	"problem-key-without-a-lease": {"key without a lease blocks", "没有租约的键挡住"},
	"state-free":                  {"free", "空闲"},
	"state-leased-keys":           {"leased keys", "带租约的键"},
	"state-perhaps-a-lock":        {"a lock?", "是锁吗？"},
	"state-blocked":               {"blocked", "被挡住"},
	"state-moving":                {"moving", "正常交接"},
	"state-held":                  {"held", "有持有者"},
	"state-encrypted":             {"encrypted", "已加密"},
	"state-renewed":               {"renewed", "正常续租"},
	"state-lease-not-read":        {"lease not read", "租约未读"},
	"state-lease-late":            {"lease late", "续租迟到"},
	"state-no-lease":              {"no lease", "没有租约"},
	"state-lease-gone":            {"lease gone", "租约没了"},
	"state-lease-silent":          {"lease silent", "没有续租"},
	"problems":                    {"{0}", "{0}"},
	"state-perhaps":               {"{0}?", "{0}？"},
}

// headlines are those of more than one code.
var headlines = map[model.MessageID]Sentence{
	"was-in-the-way":         {"A key that is no claim stood in the queue of {0} for {1}, until {2} ago", "{0} 的队列里有过一个不能排队的键，持续 {1}，{2} 前结束"},
	"was":                    {"{0} on {1} for {2}, until {3} ago", "{1}：{0}，持续 {2}，{3} 前结束"},
	"a-moment":               {"a moment", "片刻"},
	"was-of-cluster":         {"{0} for {1}, until {2} ago", "{0}，持续 {1}，{2} 前结束"},
	"locks":                  {"{0} locks", "{0} 把锁"},
	"each-of-locks":          {"each of {0} locks", "{0} 把锁"},
	"headline-cycle-perhaps": {"Deadlock? Sessions of {0} wait for each other, perhaps only in passing", "死锁？{0} 的会话互相等待，也许只是暂时"},
	"dont-break":             {"break the lock", "打破锁"},
}

// breaks are what comes of breaking a claim, whatever was found.
var breaks = map[model.MessageID]Sentence{
	"break-holder-dead":           {"it frees the lock before the lease ends; make sure first that the holder is dead", "锁在租约到期前就空出来；先确认持有者已死"},
	"break-writer-gone":           {"the key never expires, so only a delete frees the lock; make sure first that its writer is gone", "键永不过期，只有删除才能放开锁；先确认写它的程序已经不在"},
	"break-ghost-at-work":         {"no claim in the queue is to blame: restart the program that works without one", "不怪队列里的排队键：重启没有排队键却在工作的程序"},
	"break-gone-stop-it":          {"the claim is gone already: make sure that its old owner has stopped; the one who holds now is innocent", "排队键已经没了：确认它的旧主人已停下；现在的持有者没有错"},
	"breaking-cures":              {"breaking this claim is a cure: {0}", "打破这个排队键可以解决：{0}"},
	"breaking-harms-nobody":       {"breaking this claim harms nobody: {0}", "打破这个排队键不伤害谁：{0}"},
	"breaking-is-wrong":           {"breaking this claim is the wrong cure: {0}", "打破这个排队键解决不了：{0}"},
	"no-claim-to-break":           {"there is no claim to break: {0}", "没有可打破的排队键：{0}"},
	"break-it-so":                 {"break the lock: {0}", "打破锁：{0}"},
	"break-any-so":                {"break a lock: {0}", "打破某把锁：{0}"},
	"break-not-on-a-hint":         {"break the lock yet: this is a hint, and {0} looks the same", "先别打破锁：这只是线索，{0} 看起来一样"},
	"breaking-on-a-hint":          {"this is a hint, {0} looks the same: breaking the claim may be a cure or do harm, so look at its client first", "这只是线索，{0} 看起来一样：打破排队键可能有用也可能有害，先看看它的客户端"},
	"quoted":                      {"\"{0}\"", "\"{0}\""},
	"something-else":              {"something else", "别的情况"},
	"code":                        {"{0}", "{0}"},
	"about-code":                  {"{0}: {1}", "{0}：{1}"},
	"old-holder-may-believe":      {"the old holder may still believe that it holds", "原来的持有者可能仍认为自己持有"},
	"not-a-claim-of-this-lock":    {"it is not a claim of this lock: some program may need it", "它不是这把锁的排队键：可能有程序需要它"},
	"program-is-not-told":         {"its program is not told that it went, and may need it", "它的程序不会得知它没了，可能还需要它"},
	"client-may-believe-it-waits": {"its client may still believe that it waits in the queue", "它的客户端可能仍认为自己在排队"},
}
