package watcher

import (
	"fmt"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"locktop/model"
	"locktop/model/journal"
	"locktop/model/locks"
	"locktop/model/store"
	"locktop/watcher/recording"
)

// story is what has to be seen of a program, in this order.
type story struct {
	name    string // of the test
	history string // of the recording, "" for name
	reason  string
	form    form
	host    bool // values name user and host, which differ from run to run
	pins    []model.Pin
	looks   []look
	play    func(t *testing.T, s *story) // the real program, nil if it is only replayed
}

// look is what is seen after something was done.
type look struct {
	// when says what was done.
	when string
	// see is every lock, one a line: "name: recipe *1 2(who)". Claims are numbered
	// in the order in which they came; * marks those that hold, ! a key that is no
	// claim, and "?" at the end says that waiters leave no key. Without any lock it is
	// "N keys, no lock".
	see string
	// gone is the newest fact about a claim that went, "" to leave that open:
	// "2 after 1: released, hint", "1 left: expired". The confidence may be left out.
	gone string
}

// form is how the keys of claims are made.
type form string

const (
	hexForm  form = "<lock>/<lease in hex>"
	decForm  form = "<lock>/<lease in decimal>"
	selfForm form = "<lock>"
	nsForm   form = "<lock>/<kind>/<time in nanoseconds>"
	anyForm  form = ""
)

func (f form) fits(l *locks.Lock, c *locks.Claim) bool {
	last := c.Key[strings.LastIndexByte(c.Key, '/')+1:]
	switch f {
	case hexForm:
		return c.Key == l.Name+"/"+c.KV.Lease.String()
	case decForm:
		return c.Key == l.Name+"/"+strconv.FormatInt(int64(c.KV.Lease), 10)
	case selfForm:
		return c.Key == l.Name
	case nsForm:
		return strings.HasPrefix(c.Key, l.Name+"/") && len(last) == len("1700000000000000000")
	}
	return true
}

// view writes states as the looks are written.
type view struct {
	story *story
	state *store.Store
	seen  map[string][]int64 // the create revisions of a lock's claims, in order
}

func newView(s *story) *view {
	return &view{story: s, state: store.New(s.pins...), seen: map[string][]int64{}}
}

func (v *view) apply(t testing.TB, e model.Event) {
	v.state.Apply(model.Batch{Events: []model.Event{e}})
	for _, l := range v.state.Locks() {
		var order []int64
		for c := range l.Claims {
			order = append(order, c.CreateRev)
			if l.Recipe().HasHolder && l.IsClaim(c) && !v.story.form.fits(l, c) {
				t.Fatalf("claim %q with lease %s of lock %q is not %s", c.Key, c.KV.Lease, l.Name, v.story.form)
			}
		}
		slices.Sort(order)
		for _, rev := range order {
			if !slices.Contains(v.seen[l.Name], rev) {
				v.seen[l.Name] = append(v.seen[l.Name], rev)
			}
		}
	}
}

// shows says whether the state is as the look has it.
func (v *view) shows(k look) bool {
	return v.String() == k.see && (k.gone == "" || v.gone() == k.gone || strings.HasPrefix(v.gone(), k.gone+", "))
}

func (v *view) String() string {
	var lines []string
	for _, l := range v.state.Locks() {
		lines = append(lines, v.lock(l))
	}
	if len(lines) == 0 {
		keys, _ := v.state.Counts()
		return fmt.Sprintf("%d keys, no lock", keys)
	}
	return strings.Join(lines, "\n")
}

func (v *view) lock(l *locks.Lock) string {
	if l.Free() {
		return l.Name + ": free"
	}
	line := l.Name + ": " + l.Recipe().Name
	place := 0
	for c := range l.Claims {
		line += " "
		switch {
		case l.Holds(place):
			line += "*"
		case !l.IsClaim(c):
			line += "!"
		}
		line += v.number(l.Name, c.CreateRev)
		if who := v.who(l, c); who != "" {
			line += "(" + who + ")"
		}
		place++
	}
	if !l.Recipe().WaitersVisible() {
		line += " ?"
	}
	return line
}

func (v *view) number(lock string, rev int64) string {
	return strconv.Itoa(slices.Index(v.seen[lock], rev) + 1)
}

// gone writes the newest fact about a claim that went, "" while its cause is open.
func (v *view) gone() string {
	facts := v.state.Journal()
	for _, f := range slices.Backward(facts) {
		if f.Kind != journal.Handover && f.Kind != journal.Left {
			continue
		}
		if f.Pending {
			return ""
		}
		who := v.number(f.Lock, f.Claim.CreateRev) + " left"
		if f.Kind == journal.Handover {
			who = v.number(f.Lock, f.Claim.CreateRev) + " after " + v.number(f.Lock, f.From.CreateRev)
		}
		return fmt.Sprintf("%s: %s, %s", who, f.Cause, f.Confidence)
	}
	return ""
}

// read says whether the lease of every claim of a lock has been read.
func (v *view) read() bool {
	for _, l := range v.state.Locks() {
		for c := range l.Claims {
			if l.Recipe().HasHolder && c.LeaseInfo() != nil && !c.LeaseInfo().HasRead {
				return false
			}
		}
	}
	return true
}

// who says whose a claim is, and from where that is known unless from its value. Of a
// key that competes for nothing it gives the value.
func (v *view) who(l *locks.Lock, c *locks.Claim) string {
	if !l.Recipe().HasHolder || !l.IsClaim(c) {
		return model.Printable(c.Value[:min(len(c.Value), 24)])
	}
	id := v.state.Identity(c.Ref())
	switch id.Source {
	case "none":
		return ""
	case "uuid":
		return "uuid" // its host and time differ from run to run
	case "sibling":
		return "sibling: " + id.Text
	}
	if v.story.host {
		return thisMachine.ReplaceAllString(id.Text, "somebody$1")
	}
	return id.Text
}

var thisMachine = regexp.MustCompile(`^(?:\S+@\S+(: )|\S+\.\d+$)`)

// replays checks a history against its story: the looks have to come in order, and
// the last one has to remain.
func (s *story) replays(t *testing.T, file string) {
	t.Helper()
	text := must[[]byte](t)(os.ReadFile(file))
	v, next := newView(s), 0
	for _, b := range must[[]model.Batch](t)(recording.ReadText(text)) {
		for _, e := range b.Events {
			v.apply(t, e)
			for next < len(s.looks) && v.shows(s.looks[next]) {
				next++
			}
		}
	}
	last := s.looks[min(next, len(s.looks)-1)]
	if d := cmp.Diff(last.see+"\n"+last.gone, v.String()+"\n"+v.gone()); next < len(s.looks) {
		t.Errorf("%s\nlook %d, %q, never came; at the end (-want +got)\n%s", s.reason, next+1, last.when, d)
	} else if !v.shows(last) {
		t.Errorf("%s\nwhat was seen last did not remain (-want +got)\n%s", s.reason, d)
	}
}
