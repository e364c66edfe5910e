package cli

import (
	"io"
	"strings"
	"testing"

	"locktop/model/modeltest"
)

func TestARecordingIsAskedForAPart(t *testing.T) {
	home(t, "")
	name := stored(t, anHourApart().Events...)
	for _, row := range []struct {
		reason     string
		args       []string
		code       int
		has, lacks []string
	}{
		{"a prefix", []string{"ls", "--prefix", "/lock/x", "--recording"}, exitOK, []string{"/lock/x"}, []string{"/lock/y"}},
		{"a lock", []string{"events", "--lock", "/lock/y", "--recording"}, exitOK, []string{"took /lock/y"}, []string{"/lock/x"}},
		{"two locks are enough for a deadlock", []string{"doctor", "--lock", "/lock/x", "--lock", "/lock/y", "--at", "03:10:00", "--recording"}, exitFailed, []string{"deadlock"}, nil},
		{"a period of events", []string{"events", "--from", "03:04:10", "--to", "03:04:15", "--recording"}, exitOK, []string{"b2 joined the queue of /lock/x"}, []string{"took /lock/x", "over"}},
		{"the worst of a period", []string{"doctor", "--from", "03:04:05", "--recording"}, exitFailed, []string{"deadlock"}, nil},
		{"a calm period is seen at its end", []string{"doctor", "--to", "03:04:08", "--from", "03:04:05", "--recording"}, exitOK, []string{"No problems on 2 locks"}, []string{"deadlock"}},
		{"two moments", []string{"diff", "--at", "03:04:10", "--at", "03:10:00"}, exitOK, []string{"/lock/x  state     lease not read  lock-cycle", "/lock/y  waiters   0               1"}, nil},
		{"two moments for programs", []string{"diff", "-o", "csv", "--lock", "/lock/x", "--at", "03:04:10", "--at", "03:10:00"}, exitOK, []string{"lock,field,before,after", "/lock/x,waiters,0,1"}, []string{"/lock/y"}},
		{"one moment and the end", []string{"diff", "-o", "jsonl", "--at", "03:10:00"}, exitOK, []string{`{"lock":"/lock/x","field":"holder","before":"a1","after":"b2"}`}, nil},
		{"nothing happened in between", []string{"diff", "--at", "03:10:00", "--at", "03:20:00"}, exitOK, []string{"nothing differs"}, nil},
		{"one moment is none to compare", []string{"diff"}, exitBad, []string{"diff needs two moments"}, nil},
	} {
		code, out, errs := inProcess(t, nil, append(row.args, name)...)
		if code != row.code {
			t.Errorf("%s: exit %d: %s%s", row.reason, code, out, errs)
		}
		wantsText(t, row.reason, out+errs, row.has, nil)
		wantsText(t, row.reason, out, nil, row.lacks)
	}
}

// TestAFilmOfAPeriod: what was so at its beginning is there, and no earlier marker.
func TestAFilmOfAPeriod(t *testing.T) {
	home(t, "")
	name := stored(t, anHourApart().Events...)
	file := t.TempDir() + "/x.cast"
	if code, _, errs := inProcess(t, nil, "replay", name, "--cast", file, "--from", "03:10:00", "--to", "03:10:05"); code != exitOK {
		t.Fatalf("exit %d: %s", code, errs)
	}
	p := play(t, file)
	if !strings.Contains(p.screens[0], "Deadlock") || len(p.markers) != 0 || p.at[len(p.at)-1] > 10 {
		t.Errorf("%d markers, %v s:\n%s", len(p.markers), p.at, p.screens[0])
	}
}

func TestTheFolderOfARingTellsWhatHappened(t *testing.T) {
	home(t, "")
	name := stored(t, anHourApart().Events...)
	e := &env{}
	e.err = io.Discard
	p, _, err := e.happened(t.Context(), pastFlags{file: name}, nil)
	if err != nil {
		t.Fatal(err)
	}
	at, said := openingWords(p)
	if want := "opened at 03:04:19: Deadlock (strong) on /lock/x and /lock/y"; said != want || !at.Equal(modeltest.At(14)) {
		t.Errorf("%s: %q, want %q", at, said, want)
	}
	if all := p.Incidents(); len(all) != 1 || !strings.Contains(all[0], "ada: Revoked lease a1") {
		t.Errorf("incidents %q", all)
	}
}
