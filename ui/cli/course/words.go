package course

import (
	"fmt"
	"regexp"
	"strings"
)

// words are what a pupil is told beside the lesson's own texts, in English and in Chinese.
var words = map[string][2]string{
	"missed":       {"This did not come to pass: %s. The lesson goes on from what is.", "这一步没有实现：%s。课程从现状继续。"},
	"by-hand":      {"You changed the lab (%s), so this did not come to pass: %s. The lesson goes on from what is.", "你改动了实验（%s），所以这一步没有实现：%s。课程从现状继续。"},
	"meddled":      {"You changed the lab during the story: %s. What was expected does not count.", "你在故事里改动了实验：%s。预期不再作数。"},
	"etcdctl":      {"By hand, with etcdctl:", "用 etcdctl 亲手做："},
	"go":           {"In Go:", "用 Go："},
	"elsewhere":    {"Elsewhere: ", "在别的系统里："},
	"task":         {"Your turn: ", "轮到你："},
	"task-done":    {"Done: the lab shows it.", "完成：实验里看得到。"},
	"task-left":    {"Skipped. This is how: ", "已跳过。做法是："},
	"hint":         {"Hint: ", "提示："},
	"task-passed":  {"You did the task.", "你完成了任务。"},
	"task-skipped": {"The task is not done.", "任务没有完成。"},
	"exam":         {"The exam: ", "考试："},
	"exam-wait":    {"the exam to be ready", "考试准备好"},
	"exam-ready":   {"the exam is ready", "考试准备好了"},
	"exam-heal":    {"in the exam find the fault, and heal that one", "考试里要找到故障，只恢复它"},
	"exam-broke":   {"The exam could not be set up. Take the lesson once more. The reason is:", "考试没能准备好，再上一次这一课。原因是："},
	"exam-passed":  {"You found the fault of the exam and healed it.", "你找到并恢复了考试里的故障。"},
	"exam-skipped": {"The fault of the exam is not healed.", "考试里的故障没有恢复。"},
	"own": {"Now your own program. This line puts it into a drill, and says for how long it works on after it has lost its lock. REHEARSE.md tells the rest.",
		"接着是你自己的程序。这一行让它参加演练，并说出它丢了锁以后还工作多久。其余见 REHEARSE.md。"},
}

// comments are those in the lines that a lesson shows, in Chinese.
var comments = map[string]string{
	"one lease leads here and waits there": "同一个租约在这里领先，在那里等待", "the same order in every program": "每个程序都用同一顺序", "let go, and try again later": "放开，以后再试",
	"and to observe: etcdctl elect -l /leader": "观察：etcdctl elect -l /leader", "cancel ctx when s.Done() closes": "s.Done() 关闭时取消 ctx", "... before each step as the leader:": "... 领导者每走一步之前：",
	`mod("data") = "N", then put data`: `mod("data") = "N"，然后 put data`, "read again": "重新读", "it finds ETCD_LOCK_REV": "它得到 ETCD_LOCK_REV", "not the lease id": "不是租约号", "and in the resource:": "资源里：",
	"nobody is ahead: it is mine": "前面没有人：锁是我的", "wait for its DELETE, then look again": "等它的 DELETE，再看一次", "and: etcdctl move-leader MEMBER": "还有：etcdctl move-leader MEMBER",
	"all of them": "全部成员", "a dead connection is noticed": "能发现断掉的连接", "ends when there is no leader:": "没有 Leader 时结束：", "ctx as long as the lock": "ctx 和锁一样久",
	"renewed: the full TTL again": "已续租：又有完整的 TTL", "the channel is closed: the lease is lost": "channel 已关闭：租约丢了", "NewMutex adds a slash to the name; code of your own has to:": "NewMutex 在名字后加斜杠，自己写的代码也要加：",
	`not "/orders" beside "/orders/eu":`: `不要同时用 "/orders" 和 "/orders/eu"：`, "waits for its turn": "等待轮到自己", "the lease is lost: stop": "租约丢了：停下", "before: lease revoke LEASE": "先看它，再 lease revoke LEASE",
	"One session for each worker, or a mutex and a counter in the program:": "每个工作者一个会话，或者在程序里用互斥锁和计数：", `create("/lock|||report") = "0", then put it with a lease`: `create("/lock|||report") = "0"，然后带租约 put`,
	"no place in the queue": "不占队列里的位置", "somebody else does the work": "工作由别人做", "A lock that has to outlive its TTL is renewed:": "锁要活得比 TTL 久，就要续租：", `value("/safe") = "me", then del /safe`: `value("/safe") = "me"，然后 del /safe`,
	"somebody else holds it, or nobody": "别人持有，或者没有人持有", "of the dead waiter": "死去的等待者的租约", "giving up deletes the claim": "放弃时会删除排队键", "do not leave a claim behind": "不要留下排队键", "...": "...",
}

// comment is where one begins in a line.
var comment = regexp.MustCompile(`^(.*(?:// |   # ))(.+)$`)

// code are lines that are shown as they are, but for their comments.
func (p *Pupil) code(lines []string) (in []string) {
	for _, line := range lines {
		if m := comment.FindStringSubmatch(line); m != nil && p.lang == "zh" && comments[m[2]] != "" {
			line = m[1] + comments[m[2]]
		}
		in = append(in, line)
	}
	return in
}

func (p *Pupil) say(id string, args ...any) string {
	return fmt.Sprintf(words[id][map[bool]int{true: 1}[p.lang == "zh"]], args...)
}

// Language is the language of the course that the locale names, English if it names none.
func Language(getenv func(string) string) string {
	for _, name := range []string{"LC_ALL", "LC_MESSAGES", "LANG"} {
		if v := getenv(name); v != "" {
			if lang, _, _ := strings.Cut(v, "_"); strings.HasPrefix(lang, "zh") {
				return "zh"
			}
			return "en"
		}
	}
	return "en"
}
