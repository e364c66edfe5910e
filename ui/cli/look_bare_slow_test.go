//go:build slow

package cli

import (
	"encoding/json"
	"strings"
	"testing"

	"locktop/ui/report"
)

// Of a prefix without a lock nothing is said to be well, and what is expected there is not met.
func TestAPrefixWithoutALock(t *testing.T) {
	t.Parallel()
	b := newCLIOn(t, member(t)) // a server without a finding of its own
	b.claim("/jobs/a", b.lease(300))
	b.claim("/jobs/b", b.lease(300))
	b.claim("/jobs/b", b.lease(300))
	b.put("/config/one", "x", "")
	const empty = `no lock under "/job/" (0 keys there); there are keys under "/jobs/" (3 keys), "/config/" (1 key)`
	for _, r := range []struct {
		reason string
		args   []string
		code   int
		out    string // in what is printed
		errs   string
		never  string
	}{
		{"nothing was judged, and the name was mistyped", []string{"doctor", "--prefix", "/job/"}, exitOK, empty, "", "No problems"},
		{"the same without a slash", []string{"doctor", "--prefix", "job"}, exitOK, `no lock under "job" (0 keys there); there are keys under "/jobs/" (3 keys)`, "", "No problems"},
		{"keys that are no locks are counted", []string{"doctor", "--prefix", "/config/"}, exitOK, `no lock under "/config/" (1 key there)`, "", "No problems"},
		{"of several prefixes one has no lock", []string{"doctor", "--prefix", "/job/", "--prefix", "/jobs/"}, exitOK, empty, "", ""},
		{"it was to have a contender", []string{"doctor", "--prefix", "/job/", "--expect", "/job/=1"}, exitFailed, `expected 1 contender for each lock under "/job/": there is no lock`, "", ""},
		{"only keys are there", []string{"doctor", "--prefix", "/config/", "--expect", "/config/=1"}, exitFailed, "there is no lock", "", ""},
		{"one of two prefixes is as expected", []string{"doctor", "--expect", "/job/=1", "--expect", "/jobs/=1"}, exitFailed, `under "/job/": there is no lock`, "", `under "/jobs/"`},
		{"a lock by its name that is not there", []string{"doctor", "--expect", "/jobs/c/=1"}, exitFailed, `under "/jobs/c/": there is no lock`, "", ""},
		{"a lock that is there", []string{"doctor", "--expect", "/jobs/b/=2"}, exitOK, "No problems on 2 locks", "", "expected"},
		{"a lock with fewer", []string{"doctor", "--expect", "/jobs/=2"}, exitFailed, `expected 2 contenders for each lock under "/jobs/": /jobs/a has 1`, "", "/jobs/b has"},
		{"the longest prefix says how many", []string{"doctor", "--expect", "/jobs/=2", "--expect", "/jobs/a/=1"}, exitOK, "No problems", "", "expected"},
		{"nobody looked there", []string{"doctor", "--prefix", "/jobs/", "--expect", "/job/=1"}, exitBad, "No problems on 2 locks", `--expect "/job/": no key under it was asked for`, ""},
		{"for programs, on the other stream", []string{"doctor", "--prefix", "/job/", "--expect", "/job/=1", "-o", "csv"}, exitFailed, "code,", empty, ""},
		{"ls", []string{"ls", "--prefix", "/job/"}, exitOK, "", empty, ""},
		{"ls of one line an object", []string{"ls", "--prefix", "/job/", "-o", "jsonl"}, exitOK, "", empty, ""},
		{"describe", []string{"describe", "/jobb"}, exitBad, "", `no lock under "/jobb" (0 keys there); there are keys under "/jobs/" (3 keys)`, ""},
		{"break", []string{"break", "/jobb", "--dry-run"}, exitBad, "", `no lock under "/jobb" (0 keys there)`, ""},
		{"top", []string{"top", "--prefix", "/job/", "--for", "300ms"}, exitOK, "", empty, ""},
		{"events", []string{"events", "--prefix", "/job/", "--for", "300ms"}, exitOK, "", empty, ""},
		{"report", []string{"report", "--prefix", "/job/", "--for", "300ms", "-o", "md"}, exitOK, "Nothing was judged: there is no lock", "", "No problem"},
		{"report that tells no names", []string{"report", "--prefix", "/job/", "--for", "300ms", "-o", "md", "--mask-names"}, exitOK, "names are masked", "", "config"},
	} {
		code, out, errs := b.run("", r.args...)
		if code != r.code || !strings.Contains(out, r.out) || !strings.Contains(errs, r.errs) || r.never != "" && strings.Contains(out+errs, r.never) {
			t.Errorf("%s: %v: exit %d, want %d, %q and %q, never %q:\n%s%s", r.reason, r.args, code, r.code, r.out, r.errs, r.never, out, errs)
		}
	}
	_, out, _ := b.run("", "doctor", "--prefix", "/job/", "--prefix", "/config/", "--expect", "/job/=1", "-o", "json")
	var js struct{ Observed report.Observed }
	if err := json.Unmarshal([]byte(out), &js); err != nil {
		t.Fatal(err)
	}
	bare, expected := js.Observed.Bare, js.Observed.Expected
	if len(bare) != 2 || bare[0].Keys != 1 || bare[0].Near != nil || bare[1].Keys != 0 || bare[1].Near == nil || (*bare[1].Near)[0].Keys != 3 ||
		len(expected) != 1 || expected[0].Locks != 0 || expected[0].Met == nil || *expected[0].Met {
		t.Errorf("JSON has the figures: %s", out)
	}
}

// Who may not read beside a prefix is told so, and nothing else changes.
func TestNearPrefixesNeedTheRightToLook(t *testing.T) {
	endpoint := guarded(t)
	enlist(t, endpoint, "narrow", "/job/", "/job0", mayRead)
	code, out, errs := ranTo(t, patient([]string{"doctor", "--prefix", "/job/", "--user", "narrow:" + secret}, endpoint)...)
	if code != exitOK || !strings.Contains(out, `no lock under "/job/" (0 keys there); prefixes near it were not looked for: `) || !strings.Contains(out, "permission") {
		t.Errorf("exit %d:\n%s%s", code, out, errs)
	}
}
