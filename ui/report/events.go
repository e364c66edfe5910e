package report

import (
	"fmt"
	"io"
	"strconv"
	"strings"

	"locktop/model"
	"locktop/model/journal"
	"locktop/model/store"
	"locktop/ui/fields"
)

// Events writes entries in one of Formats, each as soon as it is told. json is one
// list, which Close ends.
type Events struct {
	w      io.Writer
	s      *store.View
	format string
	n      int
}

// NewEvents returns a writer of what happens in s.
func NewEvents(w io.Writer, s *store.View, format string) *Events {
	return &Events{w: w, s: s, format: format}
}

// Write writes one entry.
func (e *Events) Write(f *journal.Entry) error {
	e.n++
	switch e.format {
	case "table":
		return EventText(e.w, e.s, f)
	case "wide":
		return eventWide(e.w, e.s, f)
	case "json":
		if err := e.put(map[bool]string{true: "[\n", false: ","}[e.n == 1]); err != nil {
			return err
		}
		return EventLine(e.w, e.s, f)
	case "jsonl":
		return EventLine(e.w, e.s, f)
	case "csv":
		rows := fields.Records(fields.Events, []fields.Event{{S: e.s, F: f}})
		return writeCSV(e.w, rows[min(1, e.n-1):]) // one head for all
	}
	return noFormat(e.format)
}

// Close ends what needs an end, whether or not anything was written.
func (e *Events) Close() error {
	switch {
	case e.format == "json" && e.n == 0:
		return e.put("[]\n")
	case e.format == "json":
		return e.put("]\n")
	case e.format == "csv" && e.n == 0:
		return writeCSV(e.w, fields.Records(fields.Events, nil))
	}
	return nil
}

func (e *Events) put(text string) error {
	if _, err := io.WriteString(e.w, text); err != nil {
		return fmt.Errorf("writing an event: %w", err)
	}
	return nil
}

// eventWide writes one entry with its date, revision, kind, and where there are such,
// key, lease, cause and confidence behind the sentence.
func eventWide(w io.Writer, s *store.View, f *journal.Entry) error {
	if f.Part() {
		return nil
	}
	var more []string
	add := func(name, value string) {
		if value != "" {
			more = append(more, name+" "+model.Printable(value))
		}
	}
	add("key", f.Claim.Key)
	if f.Claim.Lease != 0 {
		add("lease", f.Claim.Lease.String())
	}
	add("cause", string(f.Cause))
	add("confidence", string(f.Confidence))
	tail := ""
	if len(more) > 0 {
		tail = "  (" + strings.Join(more, ", ") + ")"
	}
	rev := "-"
	if f.Rev != 0 {
		rev = strconv.FormatInt(f.Rev, 10)
	}
	if _, err := fmt.Fprintf(w, "%s  %-8s %-8s  %s%s\n", stamp(f, "2006-01-02T15:04:05.000Z07:00"), rev, fields.EventKind(f.Kind), model.Short(f.Sentence(s.Who), lineMax), codeOf(f.Code)+model.Short(tail, lineMax)); err != nil {
		return fmt.Errorf("writing an event: %w", err)
	}
	return nil
}
