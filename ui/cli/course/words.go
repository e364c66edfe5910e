package course

import (
	"fmt"
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
	"exam-ready":   {"the exam to be ready", "考试准备好"},
	"exam-heal":    {"in the exam find the fault, and heal that one", "考试里要找到故障，只恢复它"},
	"exam-broke":   {"The exam could not be set up. Take the lesson once more. The reason is:", "考试没能准备好，再上一次这一课。原因是："},
	"exam-passed":  {"You found the fault of the exam and healed it.", "你找到并恢复了考试里的故障。"},
	"exam-skipped": {"The fault of the exam is not healed.", "考试里的故障没有恢复。"},
	"own": {"Now your own program. This line puts it into a drill, and says for how long it works on after it has lost its lock. REHEARSE.md tells the rest.",
		"接着是你自己的程序。这一行让它参加演练，并说出它丢了锁以后还工作多久。其余见 REHEARSE.md。"},
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
