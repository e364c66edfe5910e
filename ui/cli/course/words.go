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
