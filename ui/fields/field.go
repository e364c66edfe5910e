package fields

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"locktop/model"
	"locktop/model/text"
)

// Field is one thing that is said of an R.
type Field[R any] struct {
	// Name is what programs know it by, Title what stands over its column.
	Name  string
	Title model.MessageID
	// In is where it stands in each output.
	In In
	// Own is its value where that is a word or a number of our own, Raw where it is text
	// from elsewhere; "" is what is not known.
	Own, Raw func(R) string
	// Cell is its value for people, Record that in CSV, fit for a spreadsheet, where it is
	// not made of those.
	Cell, Record func(R) string
	// JSON says how its value for programs is written there.
	JSON JSON
	Width
}

// JSON is how a value is written in JSON: null is what is not known.
type JSON int

// Ways to write a value.
const (
	ByHand JSON = iota // the output has a writer for it
	Text               // text of our own
	Bare               // a number or a truth
	Bytes              // text from elsewhere, and what is no UTF-8 of it in base64 beside it
)

// In are places in the outputs, 0 for not being there. Wide has the fields of Table
// first.
type In struct{ Table, Wide, CSV, JSON, Console int }

// Width is how much room a column of the console gets.
type Width struct {
	// Least is the width below which the column is dropped. It grows to Fair before any
	// grows beyond, and never beyond Most.
	Least, Fair, Most int
	// Rank says who goes first when it gets narrow: the highest. Rank 0 stays.
	Rank  int
	Right bool // numbers stand at the right
	// Picture columns grow beyond Fair before those of words that may be dropped: they show more the
	// wider they are.
	Picture bool
}

// Text returns the value for people: a dash for what is not known.
func (f *Field[R]) Text(x R) string {
	switch {
	case f.Cell != nil:
		return f.Cell(x)
	case f.Raw != nil && f.Name == "name":
		return model.PrintableName(f.Raw(x))
	case f.Raw != nil:
		return orDash(model.Printable(f.Raw(x)))
	}
	return orDash(f.Own(x))
}

// CSV returns the value in CSV, empty for what is not known.
func (f *Field[R]) CSV(x R) string {
	switch {
	case f.Record != nil:
		return f.Record(x)
	case f.Raw != nil:
		return Plain(f.Raw(x))
	}
	return f.Own(x)
}

// ForJSON returns the value in JSON, without quotes, "" for what is not known.
func (f *Field[R]) ForJSON(x R) string {
	switch {
	case f.Raw != nil:
		return f.Raw(x)
	case f.Record != nil:
		return f.Record(x)
	}
	return f.Own(x)
}

// Places of an output.
func inTable(in In) int   { return in.Table }
func inWide(in In) int    { return in.Wide }
func inCSV(in In) int     { return in.CSV }
func inJSON(in In) int    { return in.JSON }
func inConsole(in In) int { return in.Console }

// view returns the fields that have a place, in the order of these.
func view[R any](all []Field[R], place func(In) int) []Field[R] {
	var out []Field[R]
	for _, f := range all {
		if place(f.In) != 0 {
			out = append(out, f)
		}
	}
	slices.SortStableFunc(out, func(a, b Field[R]) int { return cmp.Compare(place(a.In), place(b.In)) })
	return out
}

// Console returns the columns of the console.
func Console[R any](all []Field[R]) []Field[R] { return view(all, inConsole) }

// Object returns the fields that JSON has, in order.
func Object[R any](all []Field[R]) []Field[R] { return view(all, inJSON) }

// Rows are a head and a line for each of list, for people.
func Rows[R any](all []Field[R], list []R, wide bool) [][]string {
	shown := view(all, inTable)
	if wide {
		shown = append(shown, view(all, inWide)...)
	}
	return rows(shown, list, func(f *Field[R]) string { return text.English(model.Message{ID: f.Title}) }, (*Field[R]).Text)
}

// Records are a head and a record for each of list, in CSV.
func Records[R any](all []Field[R], list []R) [][]string {
	return rows(view(all, inCSV), list, func(f *Field[R]) string { return f.Name }, (*Field[R]).CSV)
}

func rows[R any](fields []Field[R], list []R, head func(*Field[R]) string, cell func(*Field[R], R) string) [][]string {
	out := make([][]string, 1+len(list))
	for i := range fields {
		out[0] = append(out[0], head(&fields[i]))
		for j, x := range list {
			out[j+1] = append(out[j+1], cell(&fields[i], x))
		}
	}
	return out
}

// formulaSigns are what makes a spreadsheet take a cell for a formula, in full
// width too.
const formulaSigns = "=+-@＝＋－＠"

// Plain is raw text as a cell: what a terminal would obey is escaped.
func Plain(s string) string { return Guarded(model.Printable(s)) }

// Guarded is text that a terminal may have, as a cell. A spreadsheet would run one
// that begins with a sign of formulaSigns, so that gets a ' in front, as does one
// that begins with ' itself: who takes one leading ' away has the text again.
// Numbers of our own are written as they are, also below 0.
func Guarded(s string) string {
	if r, _ := utf8.DecodeRuneInString(s); s != "" && strings.ContainsRune(formulaSigns+"'", r) {
		return "'" + s
	}
	return s
}

// Cells of what may be unknown: then they are empty in CSV, and a dash for people.

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
	return strconv.FormatFloat(d.Seconds(), 'f', -1, 64)
}

func leaseIf(id model.LeaseID) string {
	if id == 0 {
		return ""
	}
	return id.String()
}

func orDash(s string) string {
	if s == "" {
		return "-"
	}
	return s
}

func rev(n int64) string { return strconv.FormatInt(n, 10) }

// joined is a list in one cell. Programs that need its parts read jsonl.
func joined[S ~string](list []S) string {
	parts := make([]string, len(list))
	for i, s := range list {
		parts[i] = string(s)
	}
	return Guarded(strings.Join(parts, " | "))
}
