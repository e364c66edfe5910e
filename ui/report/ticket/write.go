package ticket

import (
	"fmt"
	"io"

	"locktop/ui/report"
)

// Write writes the page in one of Formats.
func (p *Page) Write(w io.Writer, format string) error {
	switch format {
	case "html":
		return p.html(w)
	case "md":
		return p.markdown(w)
	case "json":
		return report.WriteJSON(w, p, "  ")
	case "perfetto":
		return p.perfetto(w)
	}
	return fmt.Errorf("format %q is none of %v", format, Formats)
}
