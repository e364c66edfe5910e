package report

import (
	"io"

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
		x.Lock, x.Lock64 = textOrNull(d.Lock)
		x.Before, _ = textOrNull(d.Before)
		x.After, _ = textOrNull(d.After)
		return x
	}
	return writeList(w, list, fields.Diffs, of, format)
}
