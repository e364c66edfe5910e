package cli

import (
	"slices"
	"strings"

	"locktop/ui/report"
)

// formatWords names the formats in a sentence.
func formatWords() string {
	last := len(report.Formats) - 1
	return strings.Join(report.Formats[:last], ", ") + " or " + report.Formats[last]
}

// checkFormat refuses a format that there is not.
func checkFormat(output string) error {
	if !slices.Contains(report.Formats, output) {
		return bad("-o %q: want %s", output, formatWords())
	}
	return nil
}
