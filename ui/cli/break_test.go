package cli

import (
	"encoding/json"
	"strings"
	"testing"
)

// TestBreakSaysWhatComesOfIt: what is found about the claim is said before it is broken.
func TestBreakSaysWhatComesOfIt(t *testing.T) {
	t.Parallel()
	b := newCLI(t)
	b.put("/lock/config", "data", "")
	b.claim("/lock", b.lease(600))
	code, out, errs := b.run("", "break", "/lock", "--dry-run", "--claim", "/lock/config")
	if want := "foreign key blocks: breaking this claim is the wrong cure: "; code != 0 || !strings.Contains(out, want) {
		t.Errorf("exit %d, no %q in\n%s%s", code, want, out, errs)
	}
}

// TestOnlyAHolderIsBrokenWithoutItsKey: of a service's instances none holds, so one is
// deleted only if its key is named; the neighbour is a lock, and is broken by its name.
func TestOnlyAHolderIsBrokenWithoutItsKey(t *testing.T) {
	t.Parallel()
	b := newCLI(t)
	b.put("/services/pay/10.0.0.2:80", "", b.lease(600))
	b.put("/services/pay/10.0.0.3:80", "", b.lease(600))
	b.put("/lock/config", "", b.lease(600))
	b.claim("/lock", b.lease(600))
	b.claim("/mutex", b.lease(600))
	const clock = "179538064172527300"
	readers := b.lease(600)
	for _, key := range []string{"read/" + clock + "1", "read/" + clock + "2"} {
		b.put("/rw/"+key, "", readers)
	}
	b.put("/rw/read/"+clock+"3", "", b.lease(600))
	b.put("/rw/write/"+clock+"4", "", b.lease(600))
	b.put("/one/read/"+clock+"5", "", b.lease(600))
	b.put("/one/write/"+clock+"6", "", b.lease(600))
	for _, r := range []struct {
		args   []string
		code   int
		says   string
		reason string
	}{
		{[]string{"/services/pay", "--claim", "/services/pay/10.0.0.3:80"}, 0, "its program is not told that it went", "no holder is spoken of where there is none"},
		{[]string{"/mutex"}, 0, "the old holder may still believe that it holds", "there is one here"},
		{[]string{"/services/pay"}, exitBad, "/services/pay is not a known lock", "nobody knows whom that would hit"},
		{[]string{"/services/pay", "--claim", "/services/pay/10.0.0.3:80"}, 0, "delete claim /services/pay/10.0.0.3:80", "the key was named"},
		{[]string{"/lock"}, exitBad, "/lock/config stands first, and is not a claim of /lock", "the revoke would hit another program"},
		{[]string{"/mutex"}, 0, "revoke lease", "the holder is meant"},
		{[]string{"/rw"}, exitBad, "3 hold /rw together: /rw/read/" + clock + "1, /rw/read/" + clock + "2, /rw/read/" + clock + "3", "nobody knows which reader is meant"},
		{[]string{"/rw", "--claim", "/rw/read/" + clock + "2"}, 0, "which holds /rw; 2 more hold it", "the writer waits for the others, too"},
		{[]string{"/one"}, 0, "which holds /one; next is ", "a reader by itself is the holder, and the writer comes next"},
	} {
		code, out, errs := b.run("", append([]string{"break", "--dry-run"}, r.args...)...)
		if code != r.code || !strings.Contains(out+errs, r.says) || code != 0 && strings.Contains(out+errs, "by hand: etcdctl lease revoke") {
			t.Errorf("break %v: exit %d, want %d and %q: %s\n%s%s", r.args, code, r.code, r.says, r.reason, out, errs)
		}
	}
	var members struct {
		Locks []struct {
			Holders, Waiters []any
			Members          []struct{ Role string }
			WaitersVisible   bool `json:"waiters_visible"`
		}
	}
	_, out, _ := b.run("", "describe", "/services/pay", "-o", "json")
	if err := json.Unmarshal([]byte(out), &members); err != nil || len(members.Locks) != 1 {
		t.Fatalf("%v\n%s", err, out)
	}
	if l := members.Locks[0]; len(l.Members) != 2 || l.Members[0].Role != "member" || len(l.Holders)+len(l.Waiters) != 0 || l.WaitersVisible {
		t.Errorf("a group has members, nobody holds and nobody waits: %+v", l)
	}
}
