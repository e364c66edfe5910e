package draw

// chinese are the words for how a lock or a session is, by the English ones, for lessons that
// are told in Chinese.
var chinese = map[string]string{
	"free": "空闲", "group, no lock": "不是锁", "blocked": "被挡住", "moving": "正常交接", "held": "有持有者", "encrypted": "已加密",
	"healthy": "健康", "lease not read": "租约未读", "lease late": "续租迟到", "lease gone": "租约没了", "lease silent": "没有续租", "lease overdue": "租约逾期",

	"TTL reset": "TTL 重置", "backlog": "积压", "bad member": "成员异常", "call overruns": "调用超时", "dead session": "会话已死", "dead waiter": "等待者已死",
	"deadlock": "死锁", "deadlock?": "死锁？", "deleted": "被删除", "ghost leases": "幽灵租约", "ghost waiter": "幽灵等待者", "grpc-proxy": "grpc-proxy", "half open": "半开连接",
	"held long": "持有过久", "holder hangs": "持有者卡住", "holder silent": "持有者沉默", "learned late": "得知太晚", "lease detached": "租约脱离",
	"lease leak": "租约泄漏", "long queue": "队列过长", "longer TTL": "TTL 变长", "lost its place": "丢了位置", "mass revoke": "大量撤销",
	"may not renew": "无权续租", "members differ": "成员不一致", "missed turn": "错过轮次", "nested": "名字嵌套", "no key": "没有键", "no leader": "没有 Leader",
	"no lease": "没有租约", "no space": "空间已满", "not renewed": "没有续租", "odd reading": "读数异常", "of a dead run": "前次遗留", "off its leader": "偏离 Leader",
	"overload": "过载", "renew race": "续租竞争", "renewals end": "续租中止", "renewed by two": "两方续租", "renews late": "续租太晚", "revoke fails": "撤销失败",
	"revoke lost": "撤销丢失", "revoked": "被撤销", "shared lease": "共用租约", "stale unlock": "迟到的释放", "two act": "两个在工作", "two may act": "或有两个工作",
	"unlock lost": "释放丢失", "unread replies": "回答未读", "wait failed": "等待失败",
}
