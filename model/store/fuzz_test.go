package store_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode"
	"unicode/utf8"

	"locktop/model"
	"locktop/model/modeltest"
	"locktop/model/recipe"
	"locktop/model/store"
	"locktop/model/text"
)

// TestHostileKnowsEveryEvent counts the events of the model in its source.
func TestHostileKnowsEveryEvent(t *testing.T) {
	files, err := filepath.Glob("../*.go")
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	for _, name := range files {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		for _, line := range strings.Split(string(text), "\n") {
			if strings.HasPrefix(line, "func (") && strings.Contains(line, ") event()") {
				n++
			}
		}
	}
	if n == 0 || n != len(modeltest.Kinds) {
		t.Errorf("the model has %d kinds of events, the fuzz tests know %d", n, len(modeltest.Kinds))
	}
}

// FuzzApply folds events that no honest server sends. Nothing panics, and what
// can be asked of the state is in order and bounded.
func FuzzApply(f *testing.F) {
	for _, s := range modeltest.Seeds() {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		events := modeltest.Events(data)
		s := store.New(model.Pin{Prefix: "/s/", Recipe: recipe.Named("single")}, model.Pin{Prefix: "/lock", Expect: 3})
		for _, e := range events {
			s.Apply(model.Batch{Events: []model.Event{e}})
			checkQueues(t, s)
		}
		once := store.New(model.Pin{Prefix: "/s/", Recipe: recipe.Named("single")}, model.Pin{Prefix: "/lock", Expect: 3})
		once.Apply(model.Batch{Events: events})
		if a, b := told(s), told(once); a != b {
			t.Errorf("one by one:\n%s\nin one batch:\n%s", a, b)
		}
		askEverything(t, s, len(events))
		permits := store.New(model.Pin{Recipe: recipe.Named("semaphore:2")})
		for _, e := range events {
			permits.Apply(model.Batch{Events: []model.Event{e}})
			checkQueues(t, permits)
			for _, l := range permits.Locks() {
				if l.Recipe().Permits == 2 && (l.Holders() != min(l.Len(), 2) || l.Others() > 0) {
					t.Fatalf("%d of %d hold %q, and %d are no claims", l.Holders(), l.Len(), l.Name, l.Others())
				}
			}
		}
		askEverything(t, permits, len(events))
	})
}

// checkQueues looks for claims that are lost or counted twice.
func checkQueues(t *testing.T, s *store.Store) {
	t.Helper()
	keys, claims := s.Counts()
	if keys < claims || claims < 0 {
		t.Fatalf("%d keys, %d of them claims", keys, claims)
	}
	names := make([]string, 0, len(s.Locks()))
	for _, l := range s.Locks() {
		names = append(names, l.Name)
		place := 0
		for c := range l.Claims {
			if s.Claim(c.Key) != c {
				t.Fatalf("%q is in the queue of %q and not in the state", c.Key, l.Name)
			}
			if l.Place(c) != place {
				t.Fatalf("%q stands at %d of %q and believes %d", c.Key, place, l.Name, l.Place(c))
			}
			place++
		}
	}
	if !slices.IsSorted(names) || len(slices.Compact(names)) != len(s.Locks()) {
		t.Fatalf("locks out of order: %q", names)
	}
}

// askEverything asks what the console asks, and wants text fit for a terminal.
func askEverything(t *testing.T, s *store.Store, events int) {
	t.Helper()
	w := s.Want(nil)
	if len(w.Leases) > 12*events+300 {
		t.Errorf("%d readings wanted after %d events", len(w.Leases), events)
	}
	for _, f := range s.Journal() {
		fit(t, "a sentence", f.Sentence(s.Who))
	}
	for _, x := range append(s.Findings(), s.ClusterFindings()...) {
		fit(t, string(x.Code)+": summary", text.English(x.Summary))
		for _, line := range slices.Concat(text.EnglishAll(x.Evidence), text.EnglishAll(x.Advice), x.Etcdctl) {
			fit(t, string(x.Code), line)
		}
	}
	for _, l := range s.Locks() {
		for c := range l.Claims {
			fit(t, "who", s.Who(c.Ref()))
			fit(t, "identity", s.Identity(c.Ref()).Text)
			l.WaitsFor(c)
			c.Waited(s.Now())
		}
		l.Stats()
		l.LongestWait(s.Now())
		l.HeldFor(s.Now())
		s.Reports().Overlaps(l.Name)
		for x := range s.Timeline().Spans(l.Name, time.Time{}, s.Now()) {
			fit(t, "who was there", s.Who(x.Claim))
		}
	}
	for _, l := range s.Leases() {
		l.State()
		l.Remaining(s.Now())
		l.Renewed(s.Now())
		fit(t, "granted by", s.GrantedBy(l.ID))
	}
	for _, c := range s.Reports().Contenders() {
		s.Reports().Truth(c)
	}
	for _, x := range s.Reports().Faults() {
		fit(t, "fault", text.English(x.Fault.Message()))
	}
	s.Reports().Clients()
	s.Coverage().Watches()
	s.Want([]model.LeaseID{1, 2, 99, -1})
	s.Apply(model.Batch{Events: []model.Event{model.Tick{At: s.Now().Add(time.Hour)}}})
}

// told is the state in words.
func told(s *store.Store) string {
	var b strings.Builder
	for _, l := range s.Locks() {
		fmt.Fprintf(&b, "%q %s:", l.Name, l.Recipe().Name)
		for c := range l.Claims {
			fmt.Fprintf(&b, " %q@%d", c.Key, c.CreateRev)
		}
		b.WriteByte('\n')
	}
	for _, x := range s.Findings() {
		fmt.Fprintf(&b, "%s %q %v\n", x.Code, x.Lock, x.Since)
	}
	return b.String()
}

// fit wants text that a terminal shows as it is.
func fit(t *testing.T, what, text string) {
	t.Helper()
	if !utf8.ValidString(text) {
		t.Errorf("%s is no UTF-8: %q", what, text)
	}
	for _, r := range text {
		if !unicode.IsPrint(r) {
			t.Errorf("%s has %U: %q", what, r, text)
			return
		}
	}
}

// FuzzWords describes what comes from outside the fold: actions, outcomes, ids.
func FuzzWords(f *testing.F) {
	for _, p := range modeltest.Pieces {
		f.Add("/lock/"+p, p, int64(-1), uint8(3))
	}
	f.Fuzz(func(t *testing.T, key, word string, n int64, kind uint8) {
		faults := model.FaultKinds()
		a := model.Action{Kind: model.ActionKinds[int(kind)%len(model.ActionKinds)], Lock: key, Key: key, CreateRev: n, Lease: model.LeaseID(n),
			Contender: word, Word: word, Fault: model.Fault{Kind: faults[int(kind)%len(faults)].Kind, Target: key, Member: word, Method: word, Value: key,
				Delay: time.Duration(n), For: time.Duration(n), Rate: int(n), Count: int(n)}}
		fit(t, "action", text.English(a.Message()))
		fit(t, "printable", model.Printable(key))
		if line := a.Etcdctl(); strings.ContainsAny(strings.ReplaceAll(line, "\n", ""), "\x1b\x00\r\x7f") || !utf8.ValidString(line) {
			t.Errorf("the etcdctl line is not fit to be shown: %q", line)
		}
		if id, err := model.ParseLeaseID(key); err == nil {
			if again, err := model.ParseLeaseID(id.String()); err != nil || again != id {
				t.Errorf("%q: %v, then %v, %v", key, id, again, err)
			}
		}
	})
}

// TestAHundredThousandClaimsOnOneLock: values of a mebibyte among them.
func TestAHundredThousandClaimsOnOneLock(t *testing.T) {
	s := store.New()
	const n = 100_000
	s.Apply(model.Batch{Events: []model.Event{model.LoadStarted{At: modeltest.HostileStart, Prefix: "/", Rev: 1}}})
	big := strings.Repeat("\x1b[2J\xff", 1<<20/5)
	for i := 0; i < n; i += 2000 {
		kvs := make([]model.KV, 2000)
		for j := range kvs {
			id := model.LeaseID(i + j + 1)
			kvs[j] = model.KV{Key: "/lock/" + id.String(), Value: big, CreateRev: int64(id), ModRev: int64(id), Version: 1, Lease: id}
		}
		s.Apply(model.Batch{Events: []model.Event{model.Listed{At: modeltest.HostileStart, Prefix: "/", Rev: n, KVs: kvs, Done: int64(i + 2000), Total: n}}})
	}
	s.Apply(model.Batch{Events: []model.Event{model.Loaded{At: modeltest.HostileStart, Prefix: "/", Rev: n}}})
	l := s.Lock("/lock")
	if l == nil || l.Head() == nil || l.Head().KV.Lease != 1 || l.Behind() != n-1 {
		t.Fatalf("want one lock with %d behind its head", n-1)
	}
	fit(t, "who", s.Who(l.Head().Ref()))
	if w := s.Want(nil); len(w.Leases) > 10_000 {
		t.Errorf("%d readings wanted at once", len(w.Leases))
	}
	for i := range 1000 { // the head goes, again and again
		id := model.LeaseID(i + 1)
		s.Apply(model.Batch{Events: []model.Event{model.Committed{At: modeltest.HostileStart.Add(time.Duration(i) * time.Second), Rev: int64(n + i + 1),
			Changes: []model.Change{{Deleted: true, KV: model.KV{Key: "/lock/" + id.String(), ModRev: int64(n + i + 1)}}}}}})
	}
	if l.Head().KV.Lease != 1001 || len(l.Journal()) > 1000 {
		t.Errorf("head %s, %d facts kept", l.Head().KV.Lease, len(l.Journal()))
	}
}
