package report

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"io"
	"iter"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"locktop/model"
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
func Locks(w io.Writer, s *model.State, locks []*model.Lock, o Observation, format string) error {
	switch format {
	case "table":
		return Table(w, s, locks, o.At)
	case "wide":
		rows := lockRows(s, locks, o.At)
		for i, l := range locks {
			rows[i+1] = append(rows[i+1], wideCells(l.Head(), o.At)...)
		}
		rows[0] = append(rows[0], wideHead...)
		return align(w, rows)
	case "json":
		return JSON(w, s, locks, o)
	case "jsonl":
		return eachLine(w, slices.Values(locks), func(out *stream, l *model.Lock) { out.lock(s, l, o.At) })
	case "csv":
		return writeCSV(w, locksCSV(s, locks, o.At))
	}
	return noFormat(format)
}

// OneLock writes one lock in one of Formats.
func OneLock(w io.Writer, s *model.State, l *model.Lock, o Observation, format string) error {
	switch format {
	case "table":
		return Describe(w, s, l, o.At)
	case "wide":
		return describe(w, s, l, o.At, true)
	case "json":
		return JSON(w, s, []*model.Lock{l}, o)
	case "jsonl":
		return eachLine(w, placedClaims(l), func(out *stream, c placed) { out.lockClaim(s, l, c, o.At) })
	case "csv":
		return writeCSV(w, claimsCSV(s, l, o.At))
	}
	return noFormat(format)
}

// Diagnoses writes findings, a line each, as wide, jsonl or csv. [Findings] writes
// them in full, and [JSON] with their locks.
func Diagnoses(w io.Writer, list []model.Finding, format string) error {
	switch format {
	case "wide":
		return align(w, findingRows(list))
	case "jsonl":
		return eachLine(w, slices.Values(findingsOf(list)), func(out *stream, f finding) { out.value(f) })
	case "csv":
		return writeCSV(w, findingsCSV(list))
	}
	return noFormat(format)
}

// lockClaim writes a claim on a line of its own, which has to say whose.
func (o *stream) lockClaim(s *model.State, l *model.Lock, c placed, now time.Time) {
	o.open('{')
	o.bytes(`"lock": `, `"lock_base64": `, l.Name)
	o.claim(s, c, now)
	o.shut('}')
}

// eachLine writes an object per line.
func eachLine[T any](w io.Writer, list iter.Seq[T], object func(*stream, T)) error {
	o := newStream(w, false, flushAt)
	for x := range list {
		object(o, x)
		o.newline()
		if o.err != nil {
			break
		}
	}
	o.flush()
	return o.err
}

// writeJSON writes a value and a newline, fit for a terminal.
func writeJSON(w io.Writer, v any, indent string) error {
	var js bytes.Buffer
	enc := json.NewEncoder(&js)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", indent)
	err := enc.Encode(v)
	if err == nil {
		_, err = w.Write(printable(js.Bytes()))
	}
	if err != nil {
		return fmt.Errorf("writing JSON: %w", err)
	}
	return nil
}

// writeCSV writes records as RFC 4180 has it, but for the ends of lines: one \n.
// The cells of others are made by plain or guarded, see there.
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

// formulaSigns are what makes a spreadsheet take a cell for a formula, in full
// width too.
const formulaSigns = "=+-@＝＋－＠"

// plain is raw text as a cell: what a terminal would obey is escaped.
func plain(s string) string { return guarded(model.Printable(s)) }

// guarded is text that a terminal may have, as a cell. A spreadsheet would run one
// that begins with a sign of formulaSigns, so that gets a ' in front, as does one
// that begins with ' itself: who takes one leading ' away has the text again.
// Numbers of our own are written as they are, also below 0.
func guarded(s string) string {
	if r, _ := utf8.DecodeRuneInString(s); s != "" && strings.ContainsRune(formulaSigns+"'", r) {
		return "'" + s
	}
	return s
}

// Cells of what may be unknown: then they are empty.

func guardedPtr(s *string) string {
	if s == nil {
		return ""
	}
	return guarded(*s)
}

func intPtr(n *int64) string {
	if n == nil {
		return ""
	}
	return strconv.FormatInt(*n, 10)
}

func intIf(known bool, n int64) string {
	if !known {
		return ""
	}
	return strconv.FormatInt(n, 10)
}

func secondsIf(known bool, d time.Duration) string {
	if !known {
		return ""
	}
	return secondsCell(d)
}

func leaseCell(id model.LeaseID) string {
	if id == 0 {
		return ""
	}
	return id.String()
}

func secondsPtr(f *float64) string {
	if f == nil {
		return ""
	}
	return strconv.FormatFloat(*f, 'f', -1, 64)
}

func secondsCell(d time.Duration) string { return secondsPtr(seconds(d)) }

func timeCell(t time.Time) string { return t.Format(time.RFC3339Nano) }

// joined is a list in one cell. Programs that need its parts read jsonl.
func joined(list []string) string { return guarded(strings.Join(list, " | ")) }
