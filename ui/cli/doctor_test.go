package cli

import (
	"bytes"
	"errors"
	"strings"
	"testing"
	"time"

	"locktop/model"
	"locktop/model/modeltest"
	"locktop/model/store"
	"locktop/ui/cli/session"
)

// TestDoctorTellsWhatIsOver: an error that came and went while doctor looked is told, and counts for the exit.
func TestDoctorTellsWhatIsOver(t *testing.T) {
	const orphan = "/lock/a/694d81e5fc650001"
	h := modeltest.New()
	h.Loaded(0)
	h.Put(1, orphan, "", 0)
	h.Put(2, modeltest.ClaimKey("/lock/a", 0x694d81e5fc650002), "", 0x694d81e5fc650002)
	h.Read(3, 0x694d81e5fc650002, 60, 59)
	h.Del(5, orphan)
	s := store.New()
	s.Apply(model.Batch{Events: h.Events})
	for _, r := range []struct {
		reason string
		out    outFlags
		failOn model.Severity
		failed bool
		says   string
		not    string
	}{
		{"for people", outFlags{output: "table", watch: 30 * time.Second}, model.SevError, true, "No problems now on 1 lock (1 claim)\nSeen in these 30s, and not any more:\n  /lock/a: error key without a lease blocks (certain): ", "No problems on"},
		{"for programs", outFlags{output: "json", watch: 30 * time.Second}, model.SevError, true, `"over": [`, "Seen in"},
		{"lines for programs have it beside them", outFlags{output: "jsonl", watch: 30 * time.Second}, model.SevWarning, true, "/lock/a: error key without a lease blocks (certain)", "No problems"},
		{"one look sees no time", outFlags{output: "table"}, model.SevError, false, "No problems on 1 lock (1 claim)", "Seen in"},
		{"nor has it any in JSON", outFlags{output: "json"}, model.SevError, false, `"findings": []`, `"over"`},
	} {
		var out bytes.Buffer
		e := &env{}
		e.streams = streams{out: &out, err: &out}
		at := &observation{Session: &session.Session{State: s, Name: "the lab"}, not: unseenBy(s, "heads")}
		err := tellDoctor(e, at, r.out, r.failOn)
		if errors.Is(err, exitCode(exitFailed)) != r.failed || !strings.Contains(out.String(), r.says) || strings.Contains(out.String(), r.not) {
			t.Errorf("%s: %v\n%s", r.reason, err, &out)
		}
	}
}
