package report

import (
	"bytes"
	"encoding/csv"
	"fmt"
	"io"
	"iter"
	"slices"
	"strings"

	"locktop/model"
	"locktop/model/locks"
	"locktop/model/store"
	"locktop/ui/fields"
)

// Formats are the formats of what is printed of locks, findings, events and
// prefixes. What a line of jsonl and a record of csv are is the same:
//
//	Locks     a lock
//	OneLock   a claim
//	Diagnoses a finding
//	Events    an event
//	Guesses   a prefix
//
// wide is table with more columns.
var Formats = []string{"table", "wide", "json", "jsonl", "csv"}

func noFormat(format string) error {
	return fmt.Errorf("format %q: want one of %s", format, strings.Join(Formats, ", "))
}

// Locks writes locks in one of Formats.
func Locks(w io.Writer, s *store.View, selected []*locks.Lock, o Observation, format string) error {
	switch format {
	case "table":
		return Table(w, s, selected, o.At)
	case "wide":
		return align(w, fields.Rows(fields.Locks, lockRows(s, selected, o.At), true))
	case "json":
		return JSON(w, s, selected, o)
	case "jsonl":
		s.StoriesOf(o.Asked)
		return eachLine(w, slices.Values(lockRows(s, selected, o.At)), lockObject.write)
	case "csv":
		return writeCSV(w, fields.Records(fields.Locks, lockRows(s, selected, o.At)))
	}
	return noFormat(format)
}

// OneLock writes one lock in one of Formats.
func OneLock(w io.Writer, s *store.View, l *locks.Lock, o Observation, format string) error {
	switch format {
	case "table", "wide":
		var b strings.Builder
		describe(&b, s, l, o.At, format == "wide")
		for _, what := range o.Skipped {
			fmt.Fprintf(&b, "not looked at: %s\n", model.Printable(what))
		}
		return writeText(w, &b)
	case "json":
		return JSON(w, s, []*locks.Lock{l}, o)
	case "jsonl":
		return eachLine(w, fields.Queue(s, l, o.At), claimLine)
	case "csv":
		return writeCSV(w, fields.Records(fields.Claims, slices.Collect(fields.Queue(s, l, o.At))))
	}
	return noFormat(format)
}

// Diagnoses writes findings, a line each, as wide, jsonl or csv. [Findings] writes
// them in full, and [JSON] with their locks.
func Diagnoses(w io.Writer, list []model.Finding, format string) error {
	switch format {
	case "wide":
		return align(w, fields.Rows(fields.Findings, list, true))
	case "jsonl":
		return eachLine(w, slices.Values(FindingsOf(list)), func(out *stream, f Finding) { out.value(f) })
	case "csv":
		return writeCSV(w, fields.Records(fields.Findings, list))
	}
	return noFormat(format)
}

// claimLine writes a claim on a line of its own, which has to say whose.
func claimLine(o *stream, c fields.Claim) {
	o.object(func() {
		o.name("lock")
		o.bytes("lock", c.L.Name)
		claimObject.members(o, c)
	})
}

// eachLine writes an object per line.
func eachLine[T any](w io.Writer, list iter.Seq[T], object func(*stream, T)) error {
	o := newStream(w, false)
	for x := range list {
		object(o, x)
		if o.err != nil {
			break
		}
	}
	return o.end()
}

// writeList writes the rows of a table in one of Formats; in JSON each is what object makes of it.
func writeList[T, J any](w io.Writer, list []T, table []fields.Field[T], object func(T) J, format string) error {
	switch format {
	case "json":
		all := make([]J, 0, len(list))
		for _, x := range list {
			all = append(all, object(x))
		}
		return WriteJSON(w, all, "  ")
	case "jsonl":
		return eachLine(w, slices.Values(list), func(o *stream, x T) { o.value(object(x)) })
	case "csv":
		return writeCSV(w, fields.Records(table, list))
	case "table", "wide":
		return align(w, fields.Rows(table, list, format == "wide"))
	}
	return noFormat(format)
}

// WriteJSON writes a value and a newline, fit for a terminal.
func WriteJSON(w io.Writer, v any, indent string) error {
	js, err := model.JSON(v, indent)
	if err == nil {
		_, err = w.Write(js)
	}
	if err != nil {
		return fmt.Errorf("writing JSON: %w", err)
	}
	return nil
}

// writeCSV writes records as RFC 4180 has it, but for the ends of lines: one \n.
// The cells of others are made by fields.Plain or fields.Guarded, see there.
func writeCSV(w io.Writer, rows [][]string) error {
	var out bytes.Buffer
	if err := csv.NewWriter(&out).WriteAll(rows); err != nil { // it flushes, too
		return fmt.Errorf("writing CSV: %w", err)
	}
	if _, err := w.Write(out.Bytes()); err != nil {
		return fmt.Errorf("writing CSV: %w", err)
	}
	return nil
}
