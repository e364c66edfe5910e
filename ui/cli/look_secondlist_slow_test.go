//go:build slow

package cli

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"
)

// TestDescribeSeesWhatTheSessionsOfALockAlsoHold: a cycle of sessions is the same deadlock
// for describe, which is asked for one lock, as for doctor, which sees all; break says what
// goes elsewhere. A session that also holds a registration and another lock is in none.
func TestDescribeSeesWhatTheSessionsOfALockAlsoHold(t *testing.T) {
	t.Parallel()
	b := newCLIOn(t, installedServer(t))
	var lease [4]string
	names := []string{"/team-a/l", "/team-b/l", "/team-c/l", "/team-d/l"}
	for i, name := range names {
		lease[i] = b.lease(600)
		b.claim(name, lease[i])
	}
	for i, name := range names {
		b.claim(name, lease[(i+3)%4]) // each waits for the next one's
	}
	calm := b.lease(600)
	b.claim("/calm/lock", calm)
	b.claim("/calm/lock", b.lease(600))
	b.claim("/elsewhere/mutex", calm)
	b.put("/services/pay/10.0.0.2:80", "", calm)
	for _, r := range []struct {
		lock, state string
		reason      string
	}{
		{"/team-a/l", "lock-cycle", "the cycle goes through three other locks"},
		{"/team-c/l", "lock-cycle", "wherever one looks from"},
		{"/calm/lock", "held shared-lease", "two locks on one lease are worth knowing, and no deadlock"},
		{"/elsewhere/mutex", "held shared-lease", "of both"},
	} {
		var told [2]string
		for i, args := range [][]string{{"describe", r.lock, "-o", "json"}, {"doctor", "-o", "json"}} {
			_, out, errs := b.run("", args...)
			var doc struct {
				Observed struct {
					Skipped []string `json:"not_looked_at"`
				}
				Locks []heldUp
			}
			if err := json.Unmarshal([]byte(out), &doc); err != nil {
				t.Fatalf("%v: %v\n%s%s", args, err, out, errs)
			}
			for _, l := range doc.Locks {
				if l.Name == r.lock {
					told[i] = l.says()
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
	code, out, errs := b.run("", "break", "/calm/lock", "--dry-run")
	for _, says := range []string{"/elsewhere/mutex/" + calm + ", which holds /elsewhere/mutex; nobody waits", "/services/pay/10.0.0.2:80"} {
		if code != 0 || !strings.Contains(out, says) {
			t.Errorf("break: exit %d, no %q in\n%s%s", code, says, out, errs)
		}
	}
}

// TestAPrefixIsLookedAtWithWhatItsSessionsHold: a cycle is one for ls and doctor, a hint, with
// --prefix as well, though the cycle closes elsewhere; of locks elsewhere nothing is printed.
// Where the rights do not reach, that is said, and nothing is called well.
func TestAPrefixIsLookedAtWithWhatItsSessionsHold(t *testing.T) {
	t.Parallel()
	b := newCLIOn(t, installedServer(t))
	one, two, calm := b.lease(600), b.lease(600), b.lease(600)
	b.claim("/team-a/l", one)
	b.claim("/team-b/l", two)
	b.claim("/team-a/l", two)
	b.claim("/team-b/l", one)
	b.claim("/calm/lock", calm)
	b.claim("/calm/lock", b.lease(600))
	for i := range 12 { // many of one lease, elsewhere
		b.claim("/elsewhere/mutex"+string(rune('a'+i)), calm)
	}
	look := func(args ...string) (code int, names, states []string, text string) {
		t.Helper()
		code, out, errs := b.run("", append(args, "-o", "json")...)
		var doc struct {
			Locks []heldUp
		}
		if err := json.Unmarshal([]byte(out), &doc); err != nil {
			t.Fatalf("%v: %v\n%s%s", args, err, out, errs)
		}
		for _, l := range doc.Locks {
			names, states = append(names, l.Name), append(states, l.says())
			for _, f := range l.Findings {
				if f.Count != nil && *f.Count > len(doc.Locks) { // a deadlock between locks that were asked for is one
					t.Errorf("%v: what was not asked for is counted: %d of %d locks", args, *f.Count, len(doc.Locks))
				}
			}
		}
		return code, names, states, out + errs
	}
	for _, r := range []struct {
		prefix string
		code   int // of doctor
		state  string
		locks  []string
		reason string
	}{
		{"/team-a/", 0, "lock-cycle", []string{"/team-a/l"}, "the other lock of the cycle lies elsewhere"},
		{"/team-a/l", 0, "lock-cycle", []string{"/team-a/l"}, "without a slash at its end"},
		{"/team-", 0, "lock-cycle", []string{"/team-a/l", "/team-b/l"}, "both lie here"},
		{"/calm/", 0, "held shared-lease", []string{"/calm/lock"}, "a session with many locks that waits for none is in no cycle"},
	} {
		for _, command := range []string{"ls", "doctor"} {
			code, names, states, text := look(command, "--prefix", r.prefix)
			wrong := slices.ContainsFunc(states, func(state string) bool { return state != r.state })
			if !slices.Equal(names, r.locks) || wrong || command == "doctor" && code != r.code || strings.Contains(text, "not looked at") {
				t.Errorf("%s %s: exit %d, %v are %v, want %d, %v %s: %s\n%s", command, r.prefix, code, names, states, r.code, r.locks, r.state, r.reason, text)
			}
		}
	}
	_, out, _ := b.run("", "doctor", "--prefix", "/team-a/")
	if !strings.Contains(out, "on 1 lock") || strings.Contains(out, "\n/team-b/l\n") {
		t.Errorf("what lies elsewhere is counted, or told of:\n%s", out)
	}
	for _, line := range []string{"role add a", "role grant-permission a read /team-a/ /team-a0", "user add root:r", "user grant-role root root",
		"user add a:p", "user grant-role a a", "auth enable"} {
		b.ctl(strings.Fields(line)...)
	}
	code, out, errs := b.run("", "doctor", "--prefix", "/team-a/", "--user", "a:p")
	if code != 0 || strings.Contains(out, "lock-cycle") || strings.Contains(out, "No problems on") || !strings.Contains(errs, `not looked at: "/team-b/l/"`) {
		t.Errorf("who may not look elsewhere: exit %d\n%s%s", code, out, errs)
	}
}

// TestWhatWasNotLookedAtIsSaid: a key of the session stands among more keys than are looked
// at besides.
func TestWhatWasNotLookedAtIsSaid(t *testing.T) {
	t.Parallel()
	b := newCLIOn(t, installedServer(t))
	lease := b.lease(600)
	b.claim("/calm/lock", lease)
	for i := range 17 { // places
		b.put("/p"+string(rune('a'+i))+"/x", "", lease)
	}
	code, out, errs := b.run("", "describe", "/calm/lock")
	if want := "not looked at: more than 16 other places of keys of the leases"; code != 0 || !strings.Contains(out, want) {
		t.Errorf("exit %d, no %q in\n%s%s", code, want, out, errs)
	}
}

// TestWhatIsTooFarAwayIsSaid: each session holds a lock for which the next one waits, so each
// look leads one session further.
func TestWhatIsTooFarAwayIsSaid(t *testing.T) {
	t.Parallel()
	b := newCLIOn(t, installedServer(t))
	for _, name := range []string{"a", "b", "c", "d"} {
		lease := b.lease(600)
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

// heldUp is a lock of JSON, and what is found of it.
type heldUp struct {
	Name, State string
	Findings    []struct {
		Code  string
		Count *int
	}
}

// says is how the lock does, and the worst of what is found of it where that is another word.
func (l heldUp) says() string {
	if len(l.Findings) > 0 && l.Findings[0].Code != l.State {
		return l.State + " " + l.Findings[0].Code
	}
	return l.State
}
