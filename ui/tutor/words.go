package tutor

import "fmt"

// english and chinese are the pane's own words, by the same ids and with the same gaps.
var english = map[string]string{
	"lesson": "lesson: ", "part": "%d of %d",
	"start": "start", "more": "more", "next": "next", "answer": "answer", "to": "to", "answers": "answers",
	"close": "close the lesson", "hint": "a hint", "give-up": "skip the task",
	"acts": "the lab acts", "shows": "shows", "hides": "hides",
	"shows-end": "shows how it ended", "shows-wait": "shows what it waits for",
	"plays": "the lesson goes on by itself; r stops that", "stops": "the lesson waits for you again", "runs": "runs by itself",
	"broke": "the lesson broke off: %s", "stays": "the lab stays as it is; A heals every fault",
	"over": "The lesson is over; the lab is yours.",
	"back": "back", "forward": "forward", "to-now": "back to now", "step": "step %d of %d", "past": "PAST",
	"as-then": "the screen is as it was at this step; the lab waits", "behind": "you have gone back: n goes forward to where you were",
	"first": "this is the first step", "busy-back": "the lesson goes back when the lab has done its part",
	"who": "WHO", "vain": "IN VAIN", "idle": "WOKEN FOR NOTHING", "txns": "TXN", "gets": "GET", "writes": "WRITE", "watches": "WATCH", "renewals": "RENEW",
	"all": "all %d", "more-rows": "and %d more", "nobody-asked": "nobody has asked the members for anything yet",
	"does": "DOES", "token": "TOKEN", "seen": "SEEN", "gave": "ETCD GAVE", "resource": "THE RESOURCE", "reads": "reads", "writes-it": "writes", "no-access": "nobody has read or written the resource yet",
	"accepted": "accepts", "accepted-old": "accepts the older token", "refused-old": "refuses: it has seen a newer",
	"has": "HOLDS", "wants": "WAITS FOR", "of-whom": "BEHIND", "nobody-there": "nobody holds, and nobody waits",
	"busy": "the lesson goes on when the lab has done its part", "no-answer": "there is no such answer",
	"said": "You said %d.", "right": "Right.", "wrong": "Not quite: the answer is %d.",
	"measured":      "Measured: %s. So it is: %s",
	"measured-same": "Measured: %s.", "predicted-same": "You predicted it. Measured: %s.", "mistaken-same": "You said: %s. Measured: %s.",
	"measured-none": "Measured: %s. None of the answers is so; this prediction does not count.",
	"predicted":     "You predicted it. Measured: %s. So it is: %s",
	"mistaken":      "You said: %s. Measured: %s. So it is: %s",
	"lets":          "letting it run for %s", "let": "let it run for %s",
	"waits": "waiting for %s", "waits-most": "waiting for %s, at most %s", "so-far": " (%s so far)", "after": " (after %s)",
	"verdict-held": "Passed. ", "verdict-violated": "Not as expected. ", "verdict-unknown": "It cannot be told. ",
	"score": "You predicted %d of %d.",
}

var chinese = map[string]string{
	"lesson": "课程：", "part": "%d / %d",
	"start": "开始", "more": "更多", "next": "继续", "answer": "回答", "to": "到", "answers": "作答",
	"close": "结束本课", "hint": "提示", "give-up": "跳过任务",
	"acts": "实验进行中", "shows": "显示", "hides": "隐藏",
	"shows-end": "显示结果", "shows-wait": "显示在等什么",
	"plays": "课程自己继续，按 r 停下", "stops": "课程又等你按键", "runs": "自动继续",
	"broke": "课程中断：%s", "stays": "实验保持原样。A 恢复所有故障。",
	"over": "本课结束，实验归你使用。",
	"back": "后退", "forward": "前进", "to-now": "回到现在", "step": "第 %d 步，共 %d 步", "past": "过去",
	"as-then": "屏幕是这一步当时的样子，实验在等你。", "behind": "你在回看：按 n 前进到原来的地方",
	"first": "这是第一步", "busy-back": "等实验做完这一步，才能后退",
	"who": "谁", "vain": "落空", "idle": "白白被叫醒", "txns": "事务", "gets": "读", "writes": "写", "watches": "监听", "renewals": "续租",
	"all": "共 %d 个", "more-rows": "还有 %d 个", "nobody-asked": "还没有人向成员请求过什么",
	"does": "做什么", "token": "令牌", "seen": "见过", "gave": "etcd 给出", "resource": "资源", "reads": "读", "writes-it": "写", "no-access": "还没有人读写过资源",
	"accepted": "接受", "accepted-old": "接受了更旧的令牌", "refused-old": "拒绝：见过更新的",
	"has": "持有", "wants": "等待", "of-whom": "排在谁后", "nobody-there": "没有人持有，也没有人等待",
	"busy": "等实验做完这一步，课程才继续", "no-answer": "没有这个选项",
	"said": "你选了 %d。", "right": "正确。", "wrong": "不对：答案是 %d。",
	"measured":      "测得：%s。所以是：%s",
	"measured-same": "测得：%s。", "predicted-same": "你预测对了。测得：%s。", "mistaken-same": "你选的是：%s。测得：%s。",
	"measured-none": "测得：%s。没有一个选项相符，这次预测不计。",
	"predicted":     "你预测对了。测得：%s。所以是：%s",
	"mistaken":      "你选的是：%s。测得：%s。所以是：%s",
	"lets":          "让它运行 %s", "let": "运行了 %s",
	"waits": "等待：%s", "waits-most": "等待：%s，最多 %s", "so-far": "（已过 %s）", "after": "（用了 %s）",
	"verdict-held": "通过。", "verdict-violated": "与预期不符。", "verdict-unknown": "无法判定。",
	"score": "你预测对了 %d / %d。",
}

// say is a sentence in the language of the lesson.
func (p *Panel) say(id string, args ...any) string {
	s := english[id]
	if p.l.Lang == "zh" {
		s = chinese[id]
	}
	if len(args) == 0 {
		return s
	}
	return fmt.Sprintf(s, args...)
}
