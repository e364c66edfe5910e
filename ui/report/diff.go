package report

import (
	"io"
	"slices"

	"locktop/ui/fields"
)

// Diff writes what differs between two moments in one of Formats.
func Diff(w io.Writer, list []fields.Diff, format string) error {
	type diff struct {
		Lock   *string `json:"lock"` // null for the cluster
		Lock64 string  `json:"lock_base64,omitempty"`
		Field  string  `json:"field"`
		Before *string `json:"before"`
		After  *string `json:"after"`
	}
	of := func(d fields.Diff) diff {
		x := diff{Field: d.Field}
		if d.Lock != "" {
			name, b64 := Text(d.Lock)
			x.Lock, x.Lock64 = &name, b64
		}
		before, _ := Text(d.Before)
		after, _ := Text(d.After)
		x.Before, x.After = OrNull(before), OrNull(after)
		return x
	}
	switch format {
	case "json":
		all := make([]diff, 0, len(list))
		for _, d := range list {
			all = append(all, of(d))
		}
		return WriteJSON(w, all, "  ")
	case "jsonl":
		return eachLine(w, slices.Values(list), func(o *stream, d fields.Diff) { o.value(of(d)) })
	case "csv":
		return writeCSV(w, fields.Records(fields.Diffs, list))
	case "table", "wide":
		return align(w, fields.Rows(fields.Diffs, list, format == "wide"))
	}
	return noFormat(format)
}
