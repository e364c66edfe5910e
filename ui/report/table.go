package report

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/charmbracelet/x/ansi"

	"locktop/model"
	"locktop/model/findings"
	"locktop/model/locks"
	"locktop/model/status"
	"locktop/model/store"
	"locktop/model/text"
	"locktop/ui/draw"
	"locktop/ui/fields"
)

// Table writes one line per lock.
func Table(w io.Writer, s *store.View, locks []*locks.Lock, now time.Time) error {
	return align(w, fields.Rows(fields.Locks, lockRows(s, locks, now), false))
}

func lockRows(s *store.View, locks []*locks.Lock, now time.Time) []fields.Lock {
	rows := make([]fields.Lock, len(locks))
	for i, l := range locks {
		rows[i] = fields.Lock{S: s, L: l, Now: now}
	}
	return rows
}

// because is why it is taken for that recipe, and what is not known of it.
func because(l *locks.Lock) []string {
	if words := text.English(l.ByPath()); words != "" {
		return append(slices.Clone(fields.Evidence(l)), words)
	}
	return fields.Evidence(l)
}

// describe writes one lock in full: its queue, its leases, what happened to it.
func describe(b *strings.Builder, s *store.View, l *locks.Lock, now time.Time, wide bool) {
	r, name := l.Recipe(), model.Short(model.PrintableName(l.Name), lineMax)
	fmt.Fprintf(b, "%s\n  recipe   %s (%s), ordered by %s\n  because  %s\n  state    %s\n", name, r.Name, l.RecipeConfidence(),
		strings.ReplaceAll(string(r.Order), "_", " "), model.Short(strings.Join(because(l), "; "), lineMax), text.English(findings.StateWord(status.ConditionOf(s, l))))
	if s.NoValues() {
		fmt.Fprintf(b, "  names    %s\n", model.NamesUnread)
	}
	if until := text.English(status.NextMove(s, l, now).Until()); until != "" {
		fmt.Fprintf(b, "  outlook  %s\n", until)
	}
	for _, line := range text.EnglishAll(status.KubeWords(l, now)) {
		fmt.Fprintf(b, "           %s\n", line)
	}
	rows := fields.Rows(fields.Claims, slices.Collect(fields.Queue(s, l, now)), wide)
	for _, row := range rows {
		row[0] = "  " + row[0]
	}
	aligned(b, rows)
	diagnoses(b, s.FindingsOf(l), "  ")
	if wellAsKnown(s, l) {
		fmt.Fprintf(b, "  No problem found on %s\n", name)
	}
	for _, f := range l.Journal() {
		fmt.Fprintf(b, "  %s  %s\n", model.Clock(f.At), model.Short(f.Sentence(s.Who), lineMax))
	}
}

// wellAsKnown says whether nothing was found on a lock, and what its head hangs on was read.
func wellAsKnown(s *store.View, l *locks.Lock) bool {
	c := l.Head()
	if c == nil || len(s.FindingsOf(l)) > 0 || status.Sealed(l) {
		return false
	}
	state := c.LeaseInfo().State()
	return state == model.LeaseHealthy || state == model.LeaseNone
}

// Findings writes diagnoses in full, each line behind indent.
func Findings(w io.Writer, list []model.Finding, indent string) error {
	var b strings.Builder
	diagnoses(&b, list, indent)
	return writeText(w, &b)
}

// heading is a finding in a line, by the name that the screen has for it. Its code, which explain takes
// and JSON has, stands at the end.
func heading(f model.Finding, often string) string {
	return fmt.Sprintf("%s %s (%s)%s: %s%s", f.Severity, text.English(findings.Problem(&f)), f.Confidence, often,
		model.Short(text.English(f.Summary), lineMax), codeOf(f.Code))
}

// codeOf is a code at the end of a line, if there is one.
func codeOf(c model.Code) string {
	if c == "" {
		return ""
	}
	return " [" + string(c) + "]"
}

func diagnoses(b *strings.Builder, list []model.Finding, indent string) {
	for _, f := range list {
		fmt.Fprintf(b, "%s%s\n", indent, heading(f, ""))
		for _, e := range text.EnglishAll(f.Evidence) {
			fmt.Fprintf(b, "%s    %s\n", indent, model.Short(e, lineMax))
		}
		if len(f.Alternatives) > 0 {
			fmt.Fprintf(b, "%s    looks the same from outside: %s\n", indent, strings.Join(text.EnglishAll(findings.Problems(f.Alternatives)), ", "))
		}
		for _, a := range text.EnglishAll(f.Advice) {
			fmt.Fprintf(b, "%s    do: %s\n", indent, model.Short(a, lineMax))
		}
		for _, e := range f.Etcdctl {
			if len(e) > 2*lineMax { // shortened it would be another command
				fmt.Fprintf(b, "%s    a command of %d characters, which -o json has\n", indent, len(e))
				continue
			}
			fmt.Fprintf(b, "%s    $ %s\n", indent, e)
		}
	}
}

// Stories writes those of the findings told that many locks have for one cause, each once: how many locks
// and which are the first, and all about one of them.
func Stories(w io.Writer, s *store.View, told []model.Finding) error {
	parts := map[uint64][]model.Finding{}
	var order []uint64
	for _, f := range told {
		if f.Story == 0 {
			continue
		}
		if parts[f.Story] == nil {
			order = append(order, f.Story)
		}
		parts[f.Story] = append(parts[f.Story], f)
	}
	var b strings.Builder
	for _, n := range order {
		fmt.Fprintf(&b, "%s; of the first:\n", s.StoryWords(parts[n]))
		diagnoses(&b, parts[n][:1], "  ")
	}
	return writeText(w, &b)
}

// cellMax is how wide a cell gets, and lineMax how many characters of a sentence are
// written. One long name would make every line as long.
const (
	cellMax = 160
	lineMax = 1000
)

// fitted is a cell that is no wider than it may be. A name is told from others by its end.
func fitted(cell string) string {
	n := draw.Width(cell)
	if n <= cellMax {
		return cell
	}
	return ansi.Truncate(cell, cellMax/3, "…") + ansi.TruncateLeft(cell, n-(cellMax-cellMax/3), "")
}

// align writes rows in columns, measured in terminal cells.
func align(w io.Writer, rows [][]string) error {
	var b strings.Builder
	aligned(&b, rows)
	return writeText(w, &b)
}

func aligned(b *strings.Builder, rows [][]string) {
	var widths []int
	for _, r := range rows {
		for i, cell := range r {
			cell = fitted(cell)
			r[i] = cell
			if i == len(widths) {
				widths = append(widths, 0)
			}
			widths[i] = max(widths[i], draw.Width(cell))
		}
	}
	for _, r := range rows {
		for i, cell := range r {
			b.WriteString(cell)
			if i < len(r)-1 {
				b.WriteString(strings.Repeat(" ", widths[i]-draw.Width(cell)+2))
			}
		}
		b.WriteByte('\n')
	}
}

// writeText writes a text that is made.
func writeText(w io.Writer, b *strings.Builder) error {
	if _, err := io.WriteString(w, b.String()); err != nil {
		return fmt.Errorf("writing: %w", err)
	}
	return nil
}
