package cli

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"
)

// TestDescribeSeesWhatTheSessionsOfALockAlsoHold: a circle of sessions is the same deadlock
// for describe, which is asked for one lock, as for doctor, which sees all; break says what
// goes elsewhere. A session that also holds a registration and another lock is in none.
func TestDescribeSeesWhatTheSessionsOfALockAlsoHold(t *testing.T) {
	b := newCLI(t)
	var lease [4]string
	names := []string{"/team-a/l", "/team-b/l", "/team-c/l", "/team-d/l"}
	for i, name := range names {
		lease[i] = b.lease("600")
		b.claim(name, lease[i])
	}
	for i, name := range names {
		b.claim(name, lease[(i+3)%4]) // each waits for the next one's
	}
	calm := b.lease("600")
	b.claim("/calm/l", calm)
	b.claim("/calm/l", b.lease("600"))
	b.claim("/elsewhere/m", calm)
	b.ctl("put", "--lease="+calm, "/services/pay/10.0.0.2:80", "")
	for _, r := range []struct {
		lock, state string
		reason      string
	}{
		{"/team-a/l", "lock-cycle", "the circle goes through three other locks"},
		{"/team-c/l", "lock-cycle", "wherever one looks from"},
		{"/calm/l", "shared-lease", "two locks on one lease are worth knowing, and no deadlock"},
		{"/elsewhere/m", "shared-lease", "of both"},
	} {
		var told [2]string
		for i, args := range [][]string{{"describe", r.lock, "-o", "json"}, {"doctor", "-o", "json"}} {
			_, out, errs := b.run("", args...)
			var doc struct {
				Observed struct {
					Skipped []string `json:"not_looked_at"`
				}
				Locks []struct{ Name, State string }
			}
			if err := json.Unmarshal([]byte(out), &doc); err != nil {
				t.Fatalf("%v: %v\n%s%s", args, err, out, errs)
			}
			for _, l := range doc.Locks {
				if l.Name == r.lock {
					told[i] = l.State
				}
			}
			if len(doc.Observed.Skipped) > 0 {
				t.Errorf("%v: %q was not looked at", args, doc.Observed.Skipped)
			}
		}
		if told != [2]string{r.state, r.state} {
			t.Errorf("%s: describe says %s and doctor %s, want %s: %s", r.lock, told[0], told[1], r.state, r.reason)
		}
	}
	code, out, errs := b.run("", "break", "/calm/l", "--dry-run")
	for _, says := range []string{"/elsewhere/m/" + calm + ", which holds /elsewhere/m; nobody waits", "/services/pay/10.0.0.2:80"} {
		if code != 0 || !strings.Contains(out, says) {
			t.Errorf("break: exit %d, no %q in\n%s%s", code, says, out, errs)
		}
	}
}

// TestWhatWasNotLookedAtIsSaid: a key of the session stands among more keys than are looked
// at besides.
func TestWhatWasNotLookedAtIsSaid(t *testing.T) {
	b := newCLI(t)
	lease := b.lease("600")
	b.claim("/calm/l", lease)
	for i := range 17 { // places
		b.ctl("put", "--lease="+lease, "/p"+string(rune('a'+i))+"/x", "")
	}
	code, out, errs := b.run("", "describe", "/calm/l")
	if want := "not looked at: more than 16 other places of keys of its leases"; code != 0 || !strings.Contains(out, want) {
		t.Errorf("exit %d, no %q in\n%s%s", code, want, out, errs)
	}
}

// TestWhatIsTooFarAwayIsSaid: each session holds a lock for which the next one waits, so each
// look leads one session further.
func TestWhatIsTooFarAwayIsSaid(t *testing.T) {
	b := newCLI(t)
	for _, name := range []string{"a", "b", "c", "d"} {
		lease := b.lease("600")
		for _, lock := range []string{name, string(name[0] + 1)} {
			b.claim("/"+lock+"/l", lease)
		}
	}
	for _, r := range []struct {
		lock   string
		places []string
		too    []string // far away
		reason string
	}{
		{"/a/l", []string{"/a/l", "/b/l/", "/c/l/"}, []string{`"/d/l/": they are more than 3 sessions away`}, "d is one further than is looked"},
		{"/d/l", []string{"/d/l", "/c/l/", "/e/l/", "/b/l/"}, []string{`"/a/l/": they are more than 3 sessions away`}, "and so is a, seen from the other end"},
		{"/b/l", []string{"/b/l", "/a/l/", "/c/l/", "/d/l/"}, []string{`"/e/l/": they are more than 3 sessions away`}, "on both sides"},
	} {
		_, out, errs := b.run("", "describe", r.lock, "-o", "json")
		var doc struct {
			Observed struct {
				Prefixes []string
				Skipped  []string `json:"not_looked_at"`
			}
		}
		if err := json.Unmarshal([]byte(out), &doc); err != nil {
			t.Fatalf("%s: %v\n%s%s", r.lock, err, out, errs)
		}
		slices.Sort(doc.Observed.Prefixes)
		slices.Sort(r.places)
		if !slices.Equal(doc.Observed.Prefixes, r.places) || !slices.Equal(doc.Observed.Skipped, r.too) {
			t.Errorf("%s, %s: looked at %q, not at %q", r.lock, r.reason, doc.Observed.Prefixes, doc.Observed.Skipped)
		}
	}
}
