package ui

import (
	"bytes"
	"cmp"
	"encoding/csv"
	"encoding/json"
	"regexp"
	"slices"
	"strings"
	"testing"

	"locktop/chaos/drill"
	"locktop/chaos/drill/check"
	"locktop/chaos/drill/runner"
	"locktop/model"
	"locktop/model/findings"
	"locktop/model/locks"
	"locktop/model/status"
	"locktop/model/text"
	"locktop/ui/page"

	"locktop/ui/report"
	"locktop/ui/table"
)

// Whatever is found about a lock, all say that it is in the same state: the console, on
// three pages, every output for people and for programs, and a drill that waits for the lock.
func TestAllSayTheSameState(t *testing.T) {
	b := newBench(t, Options{})
	b.size(200, 50)
	b.w.claim(1, "/l", "", 0xa1)
	b.w.claim(2, "/l", "", 0xb2)
	b.w.claim(2, "/free", "", 0xc3)
	b.w.put(2, "/group/host-a:80", "x", 0xd4)
	b.w.put(2, "/group/host-b:80", "x", 0xd5)
	b.w.del(3, leaseKey("/free", 0xc3))
	for _, lease := range []struct {
		reason        string
		granted, left int64
	}{{"unread", 0, 0}, {"healthy", 60, 58}, {"late", 60, 36}, {"silent", 60, 5}, {"overdue", 60, -2}, {"gone", 0, -1}} {
		if lease.reason != "unread" {
			b.w.read(4, 0xa1, lease.granted, lease.left)
		}
		b.sync(5)
		for _, l := range b.state.Locks() {
			b.state.SetFindings(l, nil)
			sameState(b, l, lease.reason)
			for _, e := range findings.Catalogue() {
				for _, sev := range []model.Severity{model.SevInfo, model.SevWarning, model.SevError} {
					b.state.SetFindings(l, []model.Finding{about(l, e.Code, sev)})
					sameState(b, l, lease.reason)
				}
			}
			b.state.SetFindings(l, nil)
		}
	}
}

// about is a finding of that code about the head of the lock.
func about(l *locks.Lock, code model.Code, sev model.Severity) model.Finding {
	head := l.Head().Ref()
	return model.Finding{Code: code, Severity: sev, Confidence: model.Certain, Lock: l.Name, Summary: model.Say("quote", "it is "+string(code)),
		Lease: head.Lease, Claim: head}
}

// sameState asks all for the state of a lock.
func sameState(b *bench, l *locks.Lock, reason string) {
	b.t.Helper()
	word, said := status.ConditionOf(b.state, l).Word, text.English(findings.StateWord(status.ConditionOf(b.state, l))) // for programs, and for people
	wants := func(where, text, want string) {
		b.t.Helper()
		if !slices.ContainsFunc(strings.Split(text, "  "), func(part string) bool { return strings.TrimSpace(part) == want }) {
			b.t.Errorf("lease %s, %s: %s does not say %q:\n%s", reason, l.Name, where, want, text)
		}
	}
	f := b.Frame()
	mark := f.Th.FormatCondition(status.ConditionOf(b.state, l)).Text
	r := &table.Row{Widths: table.FitColumns(page.LockCells.Columns(), 200, 1)}
	page.LockRow(f.View, l, r)
	state := slices.IndexFunc(page.LockCells.Columns(), func(c table.Column) bool { return c.Title == "title-state" })
	wants("the page of locks", r.Spans[r.Ends[state-1]].Text, mark)
	var title []string
	for _, sp := range (&page.QueuePane{}).Title(f, l, 200, false) {
		title = append(title, sp.Text)
	}
	wants("the title of the queue", strings.Join(title, "  "), mark)
	if h := l.Head(); h != nil && status.ConditionOf(b.state, l).Trouble() && status.ConditionOf(b.state, l).Code() != "" && h.LeaseInfo().State() != model.LeaseNone {
		r = &table.Row{Widths: table.FitColumns(page.SessionCells.Columns(), 200, 1)}
		page.Row(f.View, h.LeaseInfo(), r)
		wants("the page of sessions", r.Spans[len(r.Spans)-1].Text, mark)
	}

	var out bytes.Buffer
	o := report.Observation{At: b.state.Now()}
	written := func(one bool, format string) string {
		out.Reset()
		err := report.Locks(&out, b.state.View, []*locks.Lock{l}, o, format)
		if one {
			out.Reset()
			err = report.OneLock(&out, b.state.View, l, o, format)
		}
		if err != nil {
			b.t.Fatal(err)
		}
		return out.String()
	}
	row := strings.Split(written(false, "table"), "\n")[1]
	if when := cmp.Or(text.English(status.NextMove(b.state, l, o.At).When), "-"); !regexp.MustCompile("  " + regexp.QuoteMeta(said) + " +" + regexp.QuoteMeta(when) + "$").MatchString(row) {
		b.t.Errorf("ls does not say %q: %s", said, row)
	}
	wants("ls -o wide", strings.Split(written(false, "wide"), "\n")[1], said)
	for _, format := range []string{"table", "wide"} {
		if text := written(true, format); !strings.Contains(text, "\n  state    "+said+"\n") {
			b.t.Errorf("describe -o %s does not say %q:\n%s", format, said, text)
		}
	}
	waited := runner.NewView(b.state.View, check.New(&drill.Drill{}, b.state.Now())).Queue(l.Name).Words()
	if !strings.HasSuffix(waited, " ("+said+")") {
		b.t.Errorf("lease %s, %s: a drill says %q, want the state %q", reason, l.Name, waited, said)
	}
	records, err := csv.NewReader(strings.NewReader(written(false, "csv"))).ReadAll()
	if err != nil || records[1][slices.Index(records[0], "state")] != word {
		b.t.Errorf("ls -o csv does not say %q: %v, %v", word, records, err)
	}
	type stated struct {
		State string
		Moves *string `json:"moves_when"`
	}
	var doc struct{ Locks []stated }
	var line stated
	if err := json.Unmarshal([]byte(written(true, "json")), &doc); err != nil {
		b.t.Fatal(err)
	}
	if err := json.Unmarshal([]byte(written(false, "jsonl")), &line); err != nil {
		b.t.Fatal(err)
	}
	for _, got := range []stated{doc.Locks[0], line} {
		moves := ""
		if got.Moves != nil {
			moves = *got.Moves
		}
		if got.State != word || moves != text.English(status.NextMove(b.state, l, o.At).When) {
			b.t.Errorf("JSON says %q, moves when it %q; want %q, %q", got.State, moves, word, text.English(status.NextMove(b.state, l, o.At).When))
		}
	}
}
