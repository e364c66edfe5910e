package metrics

import (
	"regexp"
	"strings"

	"locktop/model"
)

// variable is what makes names of one kind different: a UUID, eight hex digits and more of
// which one is a number, or a number.
var variable = regexp.MustCompile(`(?i)[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}|\b[0-9a-f]*[0-9][0-9a-f]*\b|[0-9]+`)

// shortHex is a word that has few hex digits: of "b2c" only the number varies.
const shortHex = 8

// Pattern returns the name of a lock with * for each number and each UUID in it, so that
// locks of one kind are one series. The name is escaped for a terminal, and a long one
// keeps its beginning and its end.
func Pattern(lock string) string {
	return label(variable.ReplaceAllStringFunc(lock, func(s string) string {
		if len(s) >= shortHex || strings.Trim(s, "0123456789") == "" {
			return "*"
		}
		return number.ReplaceAllString(s, "*")
	}))
}

// labelMax is how many characters of a name are told: it stands in each series of a lock.
const labelMax = 250

func label(name string) string { return model.Short(model.Printable(name), labelMax) }

var number = regexp.MustCompile(`[0-9]+`)
