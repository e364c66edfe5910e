package report

import (
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"

	"github.com/charmbracelet/x/ansi"

	"locktop/model"
)

// Table writes one line per lock.
func Table(w io.Writer, s *model.State, locks []*model.Lock, now time.Time) error {
	return align(w, lockRows(s, locks, now))
}

// lockRows are a head and a line for each lock.
func lockRows(s *model.State, locks []*model.Lock, now time.Time) [][]string {
	rows := [][]string{{"LOCK", "RECIPE", "HOLDER", "HELD", "LEASE", "BEHIND", "LONGEST", "STATE"}}
	for _, l := range locks {
		rows = append(rows, []string{model.Printable(l.Name), l.Recipe().Name, holderCell(s, l), heldCell(l, now),
			LeaseCell(l.Head(), now), behindCell(l), longestCell(l, now), l.Condition().Word})
	}
	return rows
}

// Describe writes one lock in full: its queue, its leases, what happened to it.
func Describe(w io.Writer, s *model.State, l *model.Lock, now time.Time) error {
	return describe(w, s, l, now, false)
}

func describe(w io.Writer, s *model.State, l *model.Lock, now time.Time, wide bool) error {
	r := l.Recipe()
	if _, err := fmt.Fprintf(w, "%s\n  recipe   %s (%s), ordered by %s\n  state    %s\n", model.Printable(l.Name), r.Name, r.Confidence,
		strings.ReplaceAll(string(r.Order), "_", " "), l.Condition().Word); err != nil {
		return fmt.Errorf("writing: %w", err)
	}
	if err := align(w, queueRows(s, l, now, wide)); err != nil {
		return err
	}
	if err := Findings(w, l.Findings(), "  "); err != nil {
		return err
	}
	for _, f := range l.Facts() {
		if _, err := fmt.Fprintf(w, "  %s  %s\n", f.At.Format("15:04:05.000"), f.Sentence(s.Who)); err != nil {
			return fmt.Errorf("writing: %w", err)
		}
	}
	return nil
}

// queueRows are a head and a line for each key in the queue.
func queueRows(s *model.State, l *model.Lock, now time.Time, wide bool) [][]string {
	head := []string{"  #", "ROLE", "KEY", "CREATED", "LEASE", "TTL", "SINCE", "WAITS FOR", "WHO"}
	if wide {
		head = append(append(head, readingHead...), "MODIFIED", "VERSION", "VALUE")
	}
	rows := [][]string{head}
	place := 0
	for c := range l.Claims {
		place++
		waits := "-"
		if ahead := l.WaitsFor(c); ahead != nil {
			waits = model.Printable(ahead.Key)
		}
		d, bound := c.Waited(now)
		who := s.Identity(c.Ref())
		id := "-"
		if who.Text != "" {
			id = who.Text + " (" + who.Source + ")"
		}
		row := []string{"  " + strconv.Itoa(place), string(l.RoleAt(c, place-1)), model.Printable(c.Key), strconv.FormatInt(c.CreateRev, 10),
			leaseID(c), LeaseCell(c, now), model.Duration(d, bound), waits, id}
		if wide {
			row = append(append(row, readingCells(c, now)...), strconv.FormatInt(c.ModRev, 10), strconv.FormatInt(c.Version, 10), model.Printable(c.Value))
		}
		rows = append(rows, row)
	}
	return rows
}

// Findings writes diagnoses in full, each line behind indent.
func Findings(w io.Writer, list []model.Finding, indent string) error {
	var b strings.Builder
	for _, f := range list {
		fmt.Fprintf(&b, "%s%s %s (%s): %s\n", indent, f.Severity, f.Code, f.Confidence, f.Summary)
		for _, e := range f.Evidence {
			fmt.Fprintf(&b, "%s    %s\n", indent, e)
		}
		if len(f.Alternatives) > 0 {
			var names []string
			for _, a := range f.Alternatives {
				names = append(names, string(a))
			}
			fmt.Fprintf(&b, "%s    looks the same from outside: %s\n", indent, strings.Join(names, ", "))
		}
		for _, a := range f.Advice {
			fmt.Fprintf(&b, "%s    do: %s\n", indent, a)
		}
		for _, e := range f.Etcdctl {
			fmt.Fprintf(&b, "%s    $ %s\n", indent, e)
		}
	}
	if _, err := io.WriteString(w, b.String()); err != nil {
		return fmt.Errorf("writing: %w", err)
	}
	return nil
}

// LeaseCell writes the lease of a claim: remaining and granted seconds and the
// last renewal.
func LeaseCell(c *model.Claim, now time.Time) string {
	if c == nil {
		return "-"
	}
	l := c.LeaseInfo()
	switch {
	case l == nil:
		return "none"
	case !l.HasRead:
		return "not read"
	case l.Read.Granted <= 0:
		return "gone"
	}
	left := l.Read.Remaining
	if left > 0 {
		left, _ = l.Remaining(now)
	}
	ago, _ := l.Renewed(now)
	return fmt.Sprintf("%d/%ds, renewed %s ago", left, l.Read.Granted, model.Duration(ago, false))
}

func holderCell(s *model.State, l *model.Lock) string {
	if h := l.Holder(); h != nil {
		return s.Who(h.Ref())
	}
	return "-"
}

func heldCell(l *model.Lock, now time.Time) string {
	if l.Holder() == nil {
		return "-"
	}
	return model.Duration(l.HeldFor(now))
}

func behindCell(l *model.Lock) string {
	switch {
	case !l.Recipe().WaitersVisible:
		return "?"
	case !l.Recipe().Judged:
		return "-"
	}
	return strconv.Itoa(l.Behind())
}

func longestCell(l *model.Lock, now time.Time) string {
	d, bound, any := l.LongestWait(now)
	if !any {
		return "-"
	}
	return model.Duration(d, bound)
}

// align writes rows in columns, measured in terminal cells.
func align(w io.Writer, rows [][]string) error {
	var widths []int
	for _, r := range rows {
		for i, cell := range r {
			if i == len(widths) {
				widths = append(widths, 0)
			}
			widths[i] = max(widths[i], ansi.StringWidth(cell))
		}
	}
	var b strings.Builder
	for _, r := range rows {
		for i, cell := range r {
			b.WriteString(cell)
			if i < len(r)-1 {
				b.WriteString(strings.Repeat(" ", widths[i]-ansi.StringWidth(cell)+2))
			}
		}
		b.WriteByte('\n')
	}
	if _, err := io.WriteString(w, b.String()); err != nil {
		return fmt.Errorf("writing: %w", err)
	}
	return nil
}
