package proxy

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"locktop/model"
	"locktop/model/text"
)

func TestATimedFaultIsRead(t *testing.T) {
	for _, r := range []struct {
		text, want string // want begins with ! for a part of an error
		reason     string
	}{
		{"hold-keepalives@5s+8s", "5s hold keepalives of it for 8s", "a fault with a length"},
		{"pause@20s", "20s pause it", "until it is healed"},
		{"kill@0s", "0s kill it", "one that is over at once, at once"},
		{"hold,method=KV/Txn,direction=replies,count=1@1m+3s", "1m0s hold replies of KV/Txn of it, 1 of them for 3s", "with fields"},
		{"slow,delay=200ms@1.5s+2s", "1.5s slow it by 200ms for 2s", "with one that it wants"},
		{"pause", "!want KIND@START", "no time"},
		{"pause@soon", `!start "soon"`, "no duration"},
		{"pause@-5s", `!start "-5s"`, "before the start"},
		{"pause@5s+", `!length ""`, "an open length"},
		{"pause@5s+0s", `!length "0s"`, "no length at all"},
		{"kill@5s+5s", "!cannot last", "death does not end"},
		{"isolate@5s", `!"isolate": want one of pause, `, "members are not the program's"},
		{"revoke@5s", `!"revoke": want one of`, "nor are its keys: the proxy never writes"},
		{"hold,methods=KV/Txn@5s", `!hold takes no "methods"`, "no such field"},
		{"pause,delay=1s@5s", "!pause takes no delay", "not a field of that kind"},
		{"slow@5s", "!slow needs a delay or a rate", "a field is missing"},
		{"delay,delay=x@5s", "!delay: ", "a field that is no duration"},
	} {
		e, err := ParseTimedFault(r.text)
		e.Target = "it"
		got := fmt.Sprint(e.At, " ", strings.ToLower(text.English(e.Message())[:1])+text.English(e.Message())[1:])
		if part, fails := strings.CutPrefix(r.want, "!"); fails {
			if err == nil || !strings.Contains(err.Error(), part) {
				t.Errorf("%s: %q: %v, want %q", r.reason, r.text, err, part)
			}
		} else if err != nil || got != r.want {
			t.Errorf("%s: %q: %q, %v; want %q", r.reason, r.text, got, err, r.want)
		}
	}
}

func TestAScheduleIsDone(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var s Schedule
		for _, text := range []string{"pause@20s+6s", "kill@30s", "cut@5s", "freeze@1m"} {
			e, err := ParseTimedFault(text)
			if err != nil {
				t.Fatal(err)
			}
			s = append(s, e)
		}
		begun := time.Now()
		ctx, cancel := context.WithTimeout(t.Context(), 40*time.Second)
		defer cancel()
		var did []string
		undone := s.Run(ctx, "worker", func(_ context.Context, a model.Action) model.Outcome {
			did = append(did, fmt.Sprintf("%s %s %s", time.Since(begun), a.Fault.Kind, a.Fault.Target))
			return model.Outcome{Action: a, Done: a.Fault.Kind != model.FaultKill, Err: "it has ended"}
		})
		if want := []string{"5s cut worker", "20s pause worker", "30s kill worker"}; !slices.Equal(did, want) {
			t.Errorf("%q, want %q", did, want)
		}
		if len(undone) != 2 || !strings.Contains(undone[0], "it has ended") || !strings.Contains(undone[1], "at 1m0s: it ended before") || time.Since(begun) != 40*time.Second {
			t.Errorf("not done: %q, after %s", undone, time.Since(begun))
		}
	})
}
