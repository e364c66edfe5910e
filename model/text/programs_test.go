package text

import (
	"testing"

	"locktop/model"
)

// TestWhatIsSaidOfTheLabInChinese: how a program ended, what an action hit, and why it was not done.
func TestWhatIsSaidOfTheLabInChinese(t *testing.T) {
	a := model.Action{Kind: model.SpawnProc, Lock: "/jobs/lock-a"}
	for _, row := range []struct {
		reason string
		said   model.Message
		want   string
	}{
		{"its code", model.Say("process-ended-how", "c1", 7, model.ProcEnded, model.Contender{Ended: "exit 3"}.HowEnded()), "c1（pid 7）已结束：退出 3"},
		{"which process it is", model.Outcome{Done: true, Action: a, Detail: model.Say("detail-named-process", "c9", 7)}.Message(), "新增竞争者：/jobs/lock-a（c9，pid 7）"},
		{"a reason of ours", model.Outcome{Action: a, Err: "c9 runs already", Why: model.Say("runs-already", "c9")}.Message(), "没有做：新增竞争者：/jobs/lock-a：c9 已经在运行"},
		{"the words of another", model.Outcome{Action: a, Err: "fork: no memory"}.Message(), "没有做：新增竞争者：/jobs/lock-a：fork: no memory"},
		{"a problem by its name", model.Say("met-over", model.Say("state-lock-cycle")), "没有诊断出「死锁」"},
	} {
		if got := Render(Chinese, row.said); got != row.want {
			t.Errorf("%s: %q, want %q", row.reason, got, row.want)
		}
	}
}
