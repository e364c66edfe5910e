package findings

import (
	"slices"
	"strings"
	"testing"
	"time"

	"locktop/model"
	"locktop/model/text"
)

// TestEveryKindHasItsWords: the state of a lock fits into its column, and a headline names
// the lock or is about the cluster.
func TestEveryKindHasItsWords(t *testing.T) {
	ofCluster := map[model.Code]bool{}
	for _, e := range clusterFamily.Entries {
		ofCluster[e.Code] = true
	}
	for _, e := range slices.Concat(memberFamily.Entries, strainFamily.Entries) {
		ofCluster[e.Code] = true
	}
	for _, e := range Catalogue() {
		word, story := text.English(e.Word), text.English(e.Story)
		if word == "" || len(word) > 14 || word != strings.TrimSpace(word) {
			t.Errorf("%s: the state %q is empty or longer than 14", e.Code, word)
		}
		if story == "" || len(story) > 72 {
			t.Errorf("%s: the headline %q is empty or longer than 72", e.Code, story)
		}
		if !strings.Contains(story, "{lock}") && !ofCluster[e.Code] {
			t.Errorf("%s: the headline %q names no lock", e.Code, story)
		}
		if strings.HasPrefix(story, "{lock}") || strings.Contains(story, ": {lock}") {
			t.Errorf("%s: the verb of %q is that of one lock, and there may be several", e.Code, story)
		}
	}
}

// TestVerdictIsOneStory: the worst comes first, the same of many locks is one story, and
// the rest is counted.
func TestVerdictIsOneStory(t *testing.T) {
	at := func(s int) time.Time { return time.Unix(1_700_000_000+int64(s), 0) }
	f := func(code model.Code, sev model.Severity, lock string, since int) model.Finding {
		return model.Finding{Code: code, Severity: sev, Confidence: model.Strong, Lock: lock, Since: at(since), Summary: model.Say("quote", "c1 is first"), Advice: []model.Message{model.Say("quote", "first"), model.Say("quote", "then")}}
	}
	for _, r := range []struct {
		found            []model.Finding
		title            string
		locks            int
		errors, warnings int
		reason           string
	}{
		{nil, "", 0, 0, 0, "nothing is wrong"},
		{[]model.Finding{f(model.CodeTTLFloor, model.SevInfo, "/a", 0)}, "", 0, 0, 0, "what is worth knowing is no verdict"},
		{[]model.Finding{f(model.CodeOrphanKey, model.SevError, "/a", 1), f(model.CodeOrphanKey, model.SevError, "/b", 0)},
			"A key without a lease blocks each of 2 locks", 2, 0, 0, "one story"},
		{[]model.Finding{f(model.CodeKeepaliveStalled, model.SevWarning, "/a", 0), f(model.CodeStaleHolder, model.SevError, "/b", 9), f(model.CodeForeignKey, model.SevError, "/c", 1)},
			"Two programs act on /b", 1, 1, 1, "two who act come before a lock that only stands still"},
		{[]model.Finding{f(model.CodeStaleHolder, model.SevError, "/b", 0), f(model.CodeNoQuorum, model.SevError, "", 9)},
			"No leader: no lock can be taken, released or expire", 0, 1, 0, "the cluster before any lock"},
		{[]model.Finding{f(model.CodeForeignKey, model.SevError, "/hostile\x1b[2J", 0)}, `A key that is not a lock key blocks /hostile\x1b[2J`, 1, 0, 0, "bytes are data"},
	} {
		d := New(nil, nil)
		d.cluster = r.found
		v, any := d.Verdict()
		if any != (r.title != "") {
			t.Fatalf("%s: got a verdict %v, %+v", r.reason, any, v)
		}
		if !any {
			continue
		}
		if text.English(v.Title()) != r.title || v.Locks != r.locks || v.Errors != r.errors || v.Warnings != r.warnings {
			t.Errorf("%s: got %q, %d locks, %d errors, %d warnings; want %q, %d, %d, %d", r.reason, text.English(v.Title()), v.Locks, v.Errors, v.Warnings, r.title, r.locks, r.errors, r.warnings)
		}
	}
}

// TestHowItCame: a sentence begins with a capital letter, and a name keeps its own.
func TestHowItCame(t *testing.T) {
	for _, r := range []struct{ summary, want, reason string }{
		{"the lease of /lock/1 ended 9 s ago", "The lease of /lock/1 ended 9 s ago", "an article"},
		{"a new raft leader gave it its TTL anew", "A new raft leader gave it its TTL anew", "an article of one letter"},
		{"a still believes that it holds /lock", "a still believes that it holds /lock", "a client of that name"},
		{"alice holds for 6m", "alice holds for 6m", "a name of small letters"},
		{"élise holds for 6m", "élise holds for 6m", "a name of other letters stays whole"},
		{"/lock waits for the lock /lock/sub", "/lock waits for the lock /lock/sub", "a lock"},
		{"", "", "nothing"},
	} {
		if got := (Verdict{Finding: model.Finding{Summary: model.Say("quote", r.summary)}}).How("en"); got != r.want {
			t.Errorf("%s: %q, want %q", r.reason, got, r.want)
		}
	}
}

// TestWhatIsNotFirstDoesNotBlockYet: a key that stands in the middle of a queue is told of in time, and not
// as if it stopped anybody already.
func TestWhatIsNotFirstDoesNotBlockYet(t *testing.T) {
	for code, want := range map[model.Code]string{
		model.CodeOrphanKey:     "A key without a lease will block /a",
		model.CodeLeaseDetached: "A key without a lease will block /a",
		model.CodeForeignKey:    "A key that is not a lock key will block /a",
		model.CodeNestedPrefix:  "A nested lock will block /a",
	} {
		v := Verdict{Finding: model.Finding{Code: code, Severity: model.SevWarning, Lock: "/a", Summary: model.Say("when-it-becomes-first", model.Say("quote", "x"), 3)}, Locks: 1}
		if got := text.English(v.Title()); got != want {
			t.Errorf("%s: %q, want %q", code, got, want)
		}
		v.Finding.Summary = model.Say("quote", "x")
		if got := text.English(v.Title()); strings.Contains(got, "will block") {
			t.Errorf("%s is first, and %q", code, got)
		}
	}
}

// TestADeadlockIsOneFinding: it is found on each of its locks, and counted once.
func TestADeadlockIsOneFinding(t *testing.T) {
	of := func(lock, sessions string) model.Finding {
		return model.Finding{Code: model.CodeLockCycle, Severity: model.SevError, Confidence: model.Strong, Lock: lock, Summary: model.Say("quote", sessions)}
	}
	d := &Set{cluster: []model.Finding{of("/a", "c1 and c2"), of("/b", "c1 and c2"), of("/c", "c3 and c4"), {Code: model.CodeLongHeld, Severity: model.SevWarning, Lock: "/a"}}}
	if errors, warnings, infos := d.CountFindings(); errors != 2 || warnings != 1 || infos != 0 {
		t.Errorf("%d errors, %d warnings, %d infos: want 2, 1 and 0", errors, warnings, infos)
	}
}

// TestABreakIsOneWayOrNone: beside the advice it is said whether a break is another way, or would not help.
func TestABreakIsOneWayOrNone(t *testing.T) {
	claim := model.ClaimRef{Key: "/a/1", CreateRev: 7}
	for _, r := range []struct {
		f        model.Finding
		or, dont string
		reason   string
	}{
		{model.Finding{Code: model.CodeZombieHolder, Confidence: model.Strong, Claim: claim}, "break the lock: its program says", "", "it cures"},
		{model.Finding{Code: model.CodeZombieHolder, Confidence: model.Strong}, "", "", "what could be broken is gone"},
		{model.Finding{Code: model.CodeStaleHolder, Confidence: model.Strong, Lock: "/a", Claim: claim}, "", "break the lock: the new holder is in the right", "it harms"},
		{model.Finding{Code: model.CodeLowSpace, Confidence: model.Certain}, "", "break a lock: no claim is to blame", "it is about no claim"},
		{model.Finding{Code: model.CodeLongHeld, Confidence: model.Hint, Lock: "/a", Claim: claim, Alternatives: []model.Code{model.CodeGhostWaiter}}, "",
			"break the lock yet: this is a hint, and \"ghost waiter\" looks the same", "it may be something else"},
	} {
		w := WayOf(&r.f)
		or, dont := text.English(w.Or), text.English(w.Dont)
		if (or == "") != (r.or == "") || !strings.HasPrefix(or, r.or) || (dont == "") != (r.dont == "") || !strings.HasPrefix(dont, r.dont) {
			t.Errorf("%s (%s): or %q, don't %q", r.f.Code, r.reason, or, dont)
		}
	}
}
