package ticket

import (
	"cmp"
	"fmt"
	"io"
	"maps"
	"strings"
	"time"

	"locktop/model"
	"locktop/ui/report"
)

// markdown writes the page for a ticket. What others wrote is escaped, so that it is text
// and nothing else.
func (p *Page) markdown(w io.Writer) error {
	v := p.view()
	var b strings.Builder
	line := func(format string, args ...any) {
		for i, a := range args {
			if s, ok := a.(string); ok {
				args[i] = inMarkdown(s)
			}
		}
		fmt.Fprintf(&b, format+"\n", args...)
	}
	line("# locktop report\n\n%s: %s to %s (%s)\n\n**%s**\n", p.Source, v.Begin, v.End, v.Span, p.Verdict.Text)
	for _, x := range v.Blind {
		line("- **Not seen:** %s", x)
	}
	for _, x := range v.Facts {
		line("- %s", x)
	}
	line("- %s %s", v.MaskedWords, v.Left)
	if d := v.Rehearsal; d != nil {
		line("\n## %s\n\n**%s**\n", cmp.Or(d.Title, "A drill"), d.Outcome)
		if d.Defect != nil {
			line("A known defect, expected to show: %s\n", *d.Defect)
		}
		line("%s\n", d.Why)
		for i, j := range d.Judged {
			if i == 0 {
				line("| | expected | seen |\n|---|---|---|")
			}
			line("| %s | %s | %s |", j.Verdict, j.Expected, strings.TrimPrefix(strings.Join(append([]string{j.Seen}, j.Evidence...), "; "), "; "))
		}
		if len(d.Judged) > 0 {
			line("")
		}
		for _, r := range d.StepRows {
			line("- %s %s", r[0], strings.TrimSuffix(r[1]+": "+r[2], ": "))
		}
	}
	line("\n## What happened\n")
	for _, s := range v.Cards {
		on := ""
		if s.On != "" {
			on = " on " + s.On
		}
		line("### %s%s, %s\n\n%s\n", s.Title, on, s.When, s.What)
		if s.Ended != nil {
			line("- **%s** %s", s.How, *s.Ended)
		}
		for _, e := range s.Evidence {
			line("- %s", e)
		}
		for _, a := range s.Advice {
			line("- **do:** %s", a)
		}
		for _, e := range s.Etcdctl {
			b.WriteString("\n" + fenced(e) + "\n")
		}
		if s.Lines != "" {
			b.WriteString("\n" + fenced(s.Lines) + "\n")
		}
		line("")
	}
	if len(v.Cards) == 0 {
		line("%s", v.Quiet())
	}
	if len(v.Noted) > 0 {
		line("\n## Also noted at the end\n")
	}
	for _, f := range v.Noted {
		line("### %s %s (%s)\n\n%s [%s]\n", f.Severity, f.Problem(), f.Confidence, f.Summary, f.Code)
		for _, e := range f.Evidence {
			line("- %s", e)
		}
		for _, a := range f.Advice {
			line("- **do:** %s", a)
		}
		for _, e := range f.Etcdctl {
			b.WriteString("\n" + fenced(e) + "\n")
		}
		line("")
	}
	line("\n## Locks\n\n| lock | recipe | state at the end | holder | waiting | handovers | held | waited for |\n|---|---|---|---|--:|--:|--:|--:|")
	for _, l := range v.Lanes {
		line("| %s | %s | %s | %s | %s | %d | %s | %s |", l.Name, l.Recipe, l.State, l.Who, l.Behind, l.Handovers, l.Held, l.Waited)
	}
	line("\n## Who waits for whom\n")
	if v.Ring != "" {
		line("**%s**\n", v.Ring)
	}
	if len(p.WaitsFor) == 0 {
		line("Nobody is seen to wait at %s.", v.End)
	}
	for _, e := range p.WaitsFor {
		line("- %s waits for %s (%s)", e.Who, e.For, e.Lock)
	}
	for _, part := range []struct {
		title, none string
		rows        [][2]string
	}{{believedFalsely, "", v.OverlapRows}, {"Holders that came and went", "None was seen.", v.HandoverRows}, {"What else happened", "Nothing was seen.", v.HappenedRows}} {
		if len(part.rows) == 0 && part.none == "" {
			continue
		}
		line("\n## %s\n", part.title)
		if len(part.rows) == 0 {
			line("%s", part.none)
		}
		for _, r := range part.rows {
			line("- %s %s", r[0], r[1])
		}
	}
	line("\n## What was done, and by whom\n")
	if len(v.DoneRows) == 0 {
		line("Nothing was done through this program.")
	}
	for _, r := range v.DoneRows {
		line("- %s %s: %s", r[0], r[1], r[2])
	}
	line("\n## To see it again\n")
	for _, x := range p.Again {
		b.WriteString(fenced(x) + "\n")
	}
	if _, err := w.Write(model.EscapeUnshown([]byte(b.String()))); err != nil {
		return fmt.Errorf("writing the page: %w", err)
	}
	return nil
}

// inMarkdown escapes what Markdown, or HTML in it, would obey.
func inMarkdown(s string) string {
	var b strings.Builder
	for i, r := range s {
		switch {
		case r == ':' && !strings.HasPrefix(s[i:], "://"):
			b.WriteRune(r)
		case r == '<':
			b.WriteString("&lt;")
		case r == '&':
			b.WriteString("&amp;")
		case r == '\n':
			b.WriteByte(' ')
		case strings.ContainsRune("\\`*_[]#|~>$@:", r):
			b.WriteByte('\\')
			b.WriteRune(r)
		default:
			b.WriteRune(r)
		}
	}
	return b.String()
}

// fenced is a line of code, between fences longer than any in it.
func fenced(code string) string {
	fence := "```"
	for strings.Contains(code, fence) {
		fence += "`"
	}
	return fence + "\n" + code + "\n" + fence
}

// traceEvent is one event of the trace format that Perfetto and others read.
type traceEvent struct {
	Name string         `json:"name"`
	Ph   string         `json:"ph"`
	Cat  string         `json:"cat,omitempty"`
	Ts   *int64         `json:"ts,omitempty"`  // µs
	Dur  *int64         `json:"dur,omitempty"` // µs
	Pid  int            `json:"pid"`
	Tid  int            `json:"tid"`
	S    string         `json:"s,omitempty"`
	Args map[string]any `json:"args,omitempty"`
}

// perfetto writes the intervals: a process is a lock, a thread one who waited for it or
// held it.
func (p *Page) perfetto(w io.Writer) error {
	us := func(t time.Time) *int64 { n := t.UnixMicro(); return &n }
	events := []traceEvent{}
	for i, l := range p.Locks {
		pid := i + 1
		events = append(events, traceEvent{Name: "process_name", Ph: "M", Pid: pid, Args: map[string]any{"name": model.Printable(l.raw)}})
		tids := map[string]int{}
		for _, s := range l.spans {
			who := p.s.Who(s.Claim)
			tid := tids[who]
			if tid == 0 {
				tid = len(tids) + 1
				tids[who] = tid
				events = append(events, traceEvent{Name: "thread_name", Ph: "M", Pid: pid, Tid: tid, Args: map[string]any{"name": who}})
			}
			own := map[string]any{"key": model.Printable(s.Claim.Key), "create_revision": s.Claim.CreateRev}
			if s.Claim.Lease != 0 {
				own["lease"] = s.Claim.Lease.String()
			}
			for _, x := range []struct {
				name    string
				piece   func(from, to time.Time) (time.Time, time.Time, bool)
				atLeast bool
			}{{"waits", s.WaitedWithin, s.CameAtLeast}, {"holds", s.HeldWithin, s.GotAtLeast}} {
				from, to, ok := x.piece(p.From, p.To)
				if !ok {
					continue
				}
				args := maps.Clone(own)
				if x.atLeast {
					args["began_earlier"] = true
				}
				dur := to.UnixMicro() - from.UnixMicro()
				events = append(events, traceEvent{Name: x.name, Ph: "X", Cat: "lock", Ts: us(from), Dur: &dur, Pid: pid, Tid: tid, Args: args})
			}
		}
	}
	for _, list := range [][]report.Event{p.Handovers, p.Happened} {
		for _, e := range list {
			if e.At != nil {
				events = append(events, traceEvent{Name: e.Text, Ph: "i", Cat: e.Kind, Ts: us(*e.At), S: "g"})
			}
		}
	}
	return report.WriteJSON(w, map[string]any{"displayTimeUnit": "ms", "traceEvents": events,
		"otherData": map[string]any{"source": p.Source, "from": p.From, "to": p.To}}, "")
}
