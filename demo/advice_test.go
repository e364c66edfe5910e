package demo

import (
	"regexp"
	"testing"
)

// What to do next is said in words, or by the id of an action. By which key the console
// does it only the console knows.
func TestAdviceNamesNoKeyOfTheConsole(t *testing.T) {
	key := regexp.MustCompile(`\b(with|press|hit|key) [[:alpha:]]\b`)
	for _, err := range []error{errNobody, errEnded("c1")} {
		if key.MatchString(err.Error()) {
			t.Errorf("%q names a key", err)
		}
	}
}
