package draw

import (
	"strings"
	"unicode"
)

// labels are the words of the console that lessons use, by the English ones. A # is a number.
// One that takes more cells than the English is said only where its room is made for it.
var labels = map[string]string{
	"Lab": "实验", "LAB": "实验", "value": "值", "leader": "Leader", "ENDPOINT": "地址", "TERM": "任期", "REVISION": "版本号", "ANSWER": "回答", "if": "若", "and # more": "还有 # 个", "now": "现在", "line": "行", "will": "将", "it would": "它会", "healing it will": "恢复时", "then, or when healed, it will": "之后或恢复时",
	"done at once, there is nothing to heal": "一次做完，没有要恢复的", "in force": "生效中", "do it": "做",
	"it is active already: leave this, then U on the Lab page heals it": "已经生效：离开后在实验页按 U 恢复它", "what the story left behind does not go": "故事留下的东西没有消失",
	"why": "原因", "pan": "平移", "do:": "做：", "I hold": "我持有", "I wait": "我等待", "#s I hold": "我持有 #s", "#s I wait": "我等待 #s",
	"for": "等", "etcd says": "etcd 记录", "client says": "客户端认为",
	"nothing": "没有", "no lease stands in the queue of a lock": "没有租约在锁的队列里", "moves": "移动", "scrolls": "滚动", "starting": "启动",
	"wait, too many for figures here:": "等待者太多，这里不列数字：",
	"# time, #s, longest #s":           "# 次，#s，最长 #s",
	"# time, #.#s, longest #.#s":       "# 次，#.#s，最长 #.#s", "# times, #.#s, longest #.#s": "# 次，#.#s，最长 #.#s", "# times, #s, longest #s": "# 次，#s，最长 #s",
	"revoking it takes # watched key": "撤销带走 # 个监听的键", "revoking it takes # watched keys": "撤销带走 # 个监听的键",
	"break a lock": "打破一把锁", "claim": "排队", "key": "键", "created": "创建于", "revoke the lease": "撤销租约", "ends the session and all its keys": "结束会话和它所有的键",
	"delete this claim": "删除这个排队键", "this lock only; its owner is not notified": "只动这把锁，主人不会得知", "the key has no lease": "键没有租约",
	"reading what it would touch": "正在读取会影响什么", "Already released. Esc closes.": "已经释放。按 esc 关闭。",
	"nobody holds it and nobody waits": "没有人持有，也没有人等待", "(proxy)": "代理", "value not recorded": "值未记录", "(value not recorded)": "（值未记录）", "values are not recorded, and with them no names": "没有记录值，所以也没有名字", "leader not known": "Leader 未知",
	"clears": "清除", "believes": "自认持有", "handovers/min": "交接/分", "# handover": "# 次交接", "# handovers": "# 次交接", "run": "继续", "I lost": "我丢了", "LAST ACCESS": "上次访问", "NAME": "名称", "no key on it": "没有键",
	"# false": "# 误认", "handovers": "交接", "[contenders]": "[竞争者]", "[cluster]": "[集群]", "this answer": "这个答案", "to the page": "回到页面", "to # answer": "到 # 作答", "answer": "作答", "answers": "作答",
	"let go": "放行", "until healed": "直到恢复", "heals the selected fault": "恢复选中的故障", "heals all": "恢复全部", "# active": "# 个",
	"A lock is a name with keys <name>/<lease id in hex> below it, as etcdctl lock makes them.": "锁是一个名字，下面有键 <名字>/<十六进制租约号>，etcdctl lock 就这样做。", "step": "步", "no longer": "不再",
	"Output": "输出", "output": "输出", "program": "程序", "all programs": "所有程序", "not kept": "未保留", "nothing is printed yet": "还没有输出",
	"no line fits the filter": "没有符合筛选的行", "what it printed is not kept": "它的输出没有保留",
	"Locks": "锁", "Sessions": "会话", "Journal": "日志", "Findings": "诊断", "Time": "时间", "Queue": "队列", "LOCK": "锁", "STATE": "状态",
	"HOLDER": "持有者", "HELD": "已持", "LEASE": "租约", "BEHIND": "排队", "LONGEST": "最久", "WAITED": "等了", "MOVES WHEN": "何时交接",
	"LAST MINUTE": "最近一分钟", "RECIPE": "做法", "ROLE": "角色", "KEY": "键", "WHO": "谁", "CREATED": "创建", "SINCE": "多久", "WAITS FOR": "等谁",
	"NOTE": "备注", "VALUE": "值", "SESSION": "会话", "RHYTHM": "节奏", "GRANTED BY": "来自", "HOLDS": "持有", "OTHER": "其他", "FINDING": "诊断",
	"SURE": "把握", "IN SHORT": "简述", "TIME": "时间", "KIND": "种类", "WHAT": "内容", "CLIENT": "客户端", "AGENT": "代理", "MEMBER": "成员",
	"CONTENDER": "竞争者", "CLIENT SAYS": "客户端认为", "ETCD SAYS": "etcd 记录", "PROCESS": "进程",
	"FAULT": "故障", "live": "实时", "ended": "结束", "req/s": "次/秒", "waiting": "等待", "holds": "持有", "waits": "等待",
	"queued": "排队", "next": "下一", "idle": "空闲", "runs": "运行", "paused": "暂停", "killed": "杀掉", "acquired": "获取", "left": "离开",
	"handover": "交接", "finding": "诊断", "action": "操作", "drill": "演练", "cluster": "集群", "contenders": "竞争者", "faults": "故障",
	"no lease": "无租约", "no lease yet": "还没租约", "no key": "没有键", "none": "无", "election": "选举", "fair": "公平", "certain": "确定",
	"strong": "较确定", "hint": "线索", "free": "空闲", "gone": "没了", "busy": "在用", "hold": "持有", "wait": "等待", "usual": "通常", "error": "错误",
	"warning": "警告", "info": "提示", "help": "帮助", "heal": "恢复", "heal it": "恢复它", "filter": "筛选", "kill": "杀", "add": "加", "pause": "停",
	"stop": "停", "break": "打破", "explain": "解释", "open": "打开", "lock": "锁", "back": "返回", "quit": "退出", "freeze": "冻结", "zoom": "缩放",
	"list": "列表", "pane": "窗格", "text": "文字", "session": "会话", "this lock": "本锁", "keep": "保留", "copy": "复制", "cancel": "取消",
	"close": "关闭", "choose": "选择", "sort": "排序", "clear": "清除", "journal": "日志", "journal of this lock": "这把锁的日志", "queue": "队列",
	"last minute": "最近一分钟", "never two holders": "没有两个持有者", "two holders": "两个持有者", "event by event": "逐个事件", "explains": "解释",
	"findings": "诊断", "the cluster": "集群", "how long": "多久", "who waited for whom": "谁等了谁", "who waits for whom": "谁在等谁",
	"what happened to": "发生在", "what ending a session takes along": "结束会话会带走什么", "client's view beside etcd's": "客户端所见与 etcd 所记",
	"No active faults:": "没有故障：", "breaks the selected item": "给选中的加故障", "use it from any shell": "在任何终端里用",
	"No locks yet": "还没有锁", "No locks yet: nothing was judged.": "还没有锁：什么都没有判断。", "Waiting for the first one: it will show here at once.": "等第一把锁，一出现就显示。",
	"No problems visible in etcd":                                     "etcd 里看不到问题",
	"A hung program whose client still renews looks healthy in etcd.": "程序卡住而客户端仍在续租时，etcd 里看不出来。",
	"nobody waits": "无人等待",
	"granted by":   "来自", "marks": "标记", "do": "做", "don't": "别",
	"looks the same:": "看起来一样：", "evidence": "依据", "show it": "看", "heals": "恢复", "# lock": "# 锁", "# locks": "# 锁", "# behind": "后 #",

	"blocks": "挡住", "unknown": "未知", "nobody": "没有人", "connection refused": "拒绝连接", "down": "停了", "follows": "跟随",
	"READ-ONLY": "只读", "returns to now": "回到现在",
	"neither can proceed": "谁也走不下去", "none of them can proceed": "谁也走不下去", "costs least": "代价最小", "fewest keys seen": "见到的键最少", "# key": "# 键", "# keys": "# 键",
	"# waiting": "# 等待", "# waiter": "# 等待", "# waiters": "# 等待", "# line": "# 行", "# lines": "# 行", "# finding": "# 诊断",
	"# findings": "# 诊断", "# error": "# 错误", "# errors": "# 错误", "# warning": "# 警告", "# warnings": "# 警告", "# fault": "# 故障",
	"# false belief": "# 误认", "# false beliefs": "# 误认", "# in trouble": "# 有问题", "# req/s": "# 次/秒", "# more": "另 #",
	"and # warning": "和 # 警告", "and # warnings": "和 # 警告", "#/# members": "#/# 成员", "#s behind a": "a 后 #s", "place #": "第 # 位",
	"#s idle": "闲 #s", "budget # reads/s": "预算 # 次/秒", "and": "和",
	"not renewed": "没有续租",
	"renewed":     "续租", "no reading": "没有读数", "not read": "未读", "is no more": "已经没了",
}

// Label is a word of the console in the language of the lesson, the English one where it has none.
// Blanks around it stay.
func (th *Theme) Label(s string) string {
	if th.Lang != "zh" {
		return s
	}
	core := strings.TrimSpace(s)
	if sign, word, ok := strings.Cut(core, " "); ok && !strings.ContainsFunc(sign, wordy) {
		core = strings.TrimSpace(word) // a sign that says the same
	}
	if zh := labelled(core); zh != "" {
		return strings.Replace(s, core, zh, 1)
	}
	return s
}

// wordy says whether a character is part of a word or a number: a sign is not.
func wordy(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) || r == '#' || r == '/' }

// ofKeys are words that mean something else at a key than elsewhere.
var ofKeys = map[string]string{"hold": "拦续租", "pause": "暂停", "kill": "杀掉", "add": "新增"}

// KeyLabel is Label for what a key does.
func (th *Theme) KeyLabel(s string) string {
	if zh := ofKeys[strings.TrimSpace(s)]; zh != "" && th.Lang == "zh" {
		return " " + zh
	}
	return th.Label(s)
}

// inPlace is Label with as many cells as the English takes.
func (th *Theme) inPlace(s string) string {
	zh := th.Label(s)
	if room := Width(s) - Width(zh); room >= 0 {
		return zh + Blank(room)
	}
	return s
}

func labelled(s string) string {
	if zh := labels[s]; zh != "" || s == "" {
		return zh
	}
	var numbers []string
	var text strings.Builder
	for rest := s; rest != ""; {
		n := strings.IndexFunc(rest, func(r rune) bool { return r < '0' || r > '9' })
		if n < 0 {
			n = len(rest)
		}
		if n == 0 {
			text.WriteByte(rest[0])
			rest = rest[1:]
			continue
		}
		numbers, rest = append(numbers, rest[:n]), rest[n:]
		text.WriteByte('#')
	}
	zh := labels[text.String()]
	if len(numbers) == 0 || zh == "" {
		return ""
	}
	for _, n := range numbers {
		zh = strings.Replace(zh, "#", n, 1)
	}
	return zh
}
