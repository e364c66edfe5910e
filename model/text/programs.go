package text

import "locktop/model"

// programs are what the lab's own programs say of themselves. They speak English, and name the sentence besides.
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
}
