package modeltest

import (
	"regexp"
	"slices"
	"strings"

	"locktop/model"
	"locktop/model/text"
)

var (
	writes  = regexp.MustCompile(`\blease revoke\b|\betcdctl (del|put|txn|move-leader)\b`)
	advises = regexp.MustCompile(`(?i)\b(revoke|delete|break)\b`)
)

// Unlawful says in what a finding breaks the law of advice, "" if in nothing: a hint wakes
// nobody, and writes to etcd are advised by no line that does not say what goes with them,
// of a hint by none, and in words only with what else it may be beside them.
func Unlawful(f *model.Finding) string {
	hint := f.Confidence == model.Hint
	if hint && f.Severity == model.SevError {
		return "a hint is an error: " + text.English(f.Summary)
	}
	for _, line := range slices.Concat([]string{text.English(f.Summary)}, text.EnglishAll(f.Evidence), f.Etcdctl) {
		if writes.MatchString(line) {
			return "a line that writes where nobody looks for one: " + line
		}
	}
	for _, line := range text.EnglishAll(f.Advice) {
		switch {
		case hint && writes.MatchString(line):
			return "a hint with a line that writes: " + line
		case hint && advises.MatchString(line) && len(f.Alternatives) == 0:
			return "a hint that advises a write and says not what else it may be: " + line
		case strings.Contains(line, "lease revoke") && !strings.Contains(line, "only "+model.Printable(f.Claim.Key)+" hangs on it:"),
			strings.Contains(line, "etcdctl txn") && !strings.Contains(line, "delete one key: only "+model.Printable(f.Claim.Key)+", guarded by its revisions"),
			strings.Contains(line, "etcdctl del"):
			return "a write that does not say what goes with it: " + line
		}
	}
	return ""
}
