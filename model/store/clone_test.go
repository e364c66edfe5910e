package store

import (
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"locktop/model"
	"locktop/model/journal"
	"locktop/model/modeltest"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// past is what the timeline says of each lock, and the reports of each contender.
func past(s *Store) string {
	all := ""
	for _, l := range s.Locks() {
		for span := range s.Timeline().Spans(l.Name, time.Time{}, s.Now()) {
			all += fmt.Sprintf("%s %+v\n", l.Name, *span)
		}
	}
	for _, c := range s.Reports().Contenders() {
		all += fmt.Sprintf("%+v %v %d\n", c.Contender, c.Belief, c.Accepted)
	}
	return all
}

// TestACheckpointGoesItsOwnWay: a copy knows the same, becomes the same by the same events as a store
// that saw all of them, and whatever becomes of one is not seen in the other.
func TestACheckpointGoesItsOwnWay(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		one, other := drawAny(t), drawAny(t)
		cut := rapid.IntRange(0, len(one)).Draw(t, "cut")
		begin, rest := model.Batch{Events: one[:cut]}, model.Batch{Events: one[cut:]}
		s := apply(begin)
		before := dump(s, true) + past(s)
		a, b, kept := s.Clone(), s.Clone(), s.Clone()
		same := func(got *Store, want, when string) {
			t.Helper()
			if d := cmp.Diff(want, dump(got, true)+past(got)); d != "" {
				t.Fatalf("%s\n%s", when, d)
			}
		}
		same(a, before, "the copy is not the same")
		half := len(rest.Events) / 2
		s.Apply(model.Batch{Events: rest.Events[:half]})
		then, later := dump(s, true)+past(s), s.Clone()
		a.Apply(rest)
		straight := apply(begin, rest)
		whole := dump(straight, true) + past(straight)
		same(a, whole, "the copy went another way than the store that saw all events")
		same(s, then, "what became of the copy is seen in the first")
		b.Apply(model.Batch{Events: other})
		straight = apply(begin, model.Batch{Events: other})
		elsewhere := dump(straight, true) + past(straight)
		same(b, elsewhere, "the copy went another way than a store that saw the other events")
		same(kept.Clone(), before, "what became of copies is seen in another")
		s.Apply(model.Batch{Events: rest.Events[half:]})
		same(s, whole, "what became of copies is seen in the first")
		same(kept, before, "what became of the first is seen in a copy")
		same(later, then, "what became of the first is seen in a later copy")
		same(b, elsewhere, "what became of the first is seen in a copy that went another way")
	})
}

// fixed are the types of which a store and its copy have the same, since nobody writes to them: each
// with the reason, and what has to be so of a value, nil for nothing. Values of package model are
// never written to, nor is what is in them.
var fixed = map[string]struct {
	reason string
	is     func(v reflect.Value, now time.Time) bool
}{
	"locks.Pins":      {"they are given once", nil},
	"locks.Readings":  {"one stands for all leases that were never read", func(v reflect.Value, _ time.Time) bool { return !v.FieldByName("HasRead").Bool() }},
	"journal.Entry":   {"a quiet one stays as it is: what is told later makes another one of it", quiet},
	"timeline.chunk":  {"a full one takes no more", func(v reflect.Value, _ time.Time) bool { return v.FieldByName("spans").Len() == 64 }},
	"[]timeline.Span": {"one that is over stays as it is, and a copy has no room behind them", func(v reflect.Value, _ time.Time) bool { return v.Len() == v.Cap() }},
	"journal.Found":   {"a finding as it was when it was told is never written to", nil},
	"recipe.Recipe":   {"the table of recipes is a constant", nil},
	"recipe.Sign":     {"so is that of their signs", nil},
	"time.Location":   {"a time zone is a constant", nil},
}

// quiet says so of an entry of the journal.
func quiet(v reflect.Value, now time.Time) bool {
	return reflect.NewAt(v.Type(), v.Addr().UnsafePointer()).Interface().(*journal.Entry).Quiet(now)
}

// scratch are fields that a copy does not take over: memory for the event at hand.
var scratch = []string{"store.Store.changes", "reports.news.all", "findings.Set.news", "findings.Set.context", "findings.outlivingLeases.explained", "journal.Journal.parts",
	"locks.currentChange.all", "locks.currentChange.touched", "locks.currentChange.newClaims", "locks.currentChange.removed", "locks.currentChange.stayed", "locks.currentChange.told",
	"locks.Keys.shownKey"}

// record is a thing by its place in memory.
type record struct {
	at   uintptr
	kind reflect.Type
}

// pairs compares a store with its copy, record by record.
type pairs struct {
	now   time.Time
	own   map[record]record // the copy of each
	first map[record]record // of which each is the copy
	later []func(last bool) bool
	met   map[string]bool // fields that lead somewhere
	wrong map[string]bool // what is wrong
}

// compare compares two values. Of a frozen one both may have the same.
func (p *pairs) compare(a, b reflect.Value, path string, frozen bool) {
	t := a.Type()
	if k := t.Kind(); (k == reflect.Pointer || k == reflect.Map || k == reflect.Slice) && !a.IsNil() && (k == reflect.Pointer || a.Len() > 0) {
		p.met[path] = true
	}
	if strings.HasSuffix(t.PkgPath(), "/model") {
		frozen = true
	}
	switch t.Kind() {
	case reflect.Pointer:
		if a.IsNil() != b.IsNil() {
			p.fail("%s is nil in one of them", path)
		}
		if !a.IsNil() && !b.IsNil() && !p.shared(a.Elem(), a.Pointer() == b.Pointer() && t.Elem().Size() > 0, path, frozen) && p.pair(a, b, path) {
			p.compare(a.Elem(), b.Elem(), path+"*", frozen)
		}
	case reflect.Slice:
		if a.Len() != b.Len() || a.IsNil() != b.IsNil() {
			p.fail("%s has another length", path)
			return
		}
		if p.shared(b, a.Pointer() == b.Pointer() && a.Cap() > 0 && t.Elem().Size() > 0, path, frozen) {
			return
		}
		for i := range a.Len() {
			p.compare(a.Index(i), b.Index(i), path+"[]", frozen)
		}
	case reflect.Array:
		for i := range a.Len() {
			p.compare(a.Index(i), b.Index(i), path+"[]", frozen)
		}
	case reflect.Map:
		if a.Len() != b.Len() || a.IsNil() != b.IsNil() {
			p.fail("%s has another length", path)
			return
		}
		if !p.shared(b, !a.IsNil() && a.Pointer() == b.Pointer(), path, frozen) {
			p.later = append(p.later, func(last bool) bool { return p.entries(a, b, path, frozen, last) })
		}
	case reflect.Struct:
		for i := range a.NumField() {
			if f := t.Field(i); !slices.Contains(scratch, t.String()+"."+f.Name) {
				p.compare(a.Field(i), b.Field(i), t.String()+"."+f.Name, frozen)
			}
		}
	case reflect.Interface:
		if a.IsNil() || b.IsNil() || a.Elem().Type() != b.Elem().Type() {
			if !a.IsNil() || !b.IsNil() {
				p.fail("%s is of another type", path)
			}
			return
		}
		p.compare(a.Elem(), b.Elem(), path, frozen)
	case reflect.Func, reflect.Chan, reflect.UnsafePointer:
		if !a.IsZero() || !b.IsZero() {
			p.fail("%s: a %v may know the first one", path, t)
		}
	default:
		if !a.Equal(b) {
			p.fail("%s is %v, and %v in the copy", path, a, b)
		}
	}
}

// shared says whether both have the same, and fails if they may not.
func (p *pairs) shared(v reflect.Value, same bool, path string, frozen bool) bool {
	rule, known := fixed[v.Type().String()]
	if ok := frozen || known && (rule.is == nil || rule.is(v, p.now)) || strings.HasSuffix(v.Type().PkgPath(), "/model"); same && !ok {
		p.fail("both have the %v of %s", v.Type(), path)
	}
	return same
}

// pair notes that one record is the copy of another, and says whether that is new. What is one
// record in the first is one in the copy.
func (p *pairs) pair(a, b reflect.Value, path string) bool {
	one, other := record{a.Pointer(), a.Type()}, record{b.Pointer(), b.Type()}
	own, known := p.own[one]
	if first, met := p.first[other]; known != met || known && (own != other || first != one) {
		p.fail("%s: one %v is two, or two are one", path, a.Type().Elem())
	}
	p.own[one], p.first[other] = other, one
	return !known
}

// entries compares what is in two maps, once it is known which keys are the same. It returns false
// if that is not known yet.
func (p *pairs) entries(a, b reflect.Value, path string, frozen, last bool) bool {
	keys := a.MapKeys()
	if a.Type().Key().Kind() == reflect.Pointer {
		all := map[uintptr]reflect.Value{}
		for _, k := range b.MapKeys() {
			all[k.Pointer()] = k
		}
		for _, k := range keys {
			own, known := p.own[record{k.Pointer(), k.Type()}]
			switch {
			case !known && !last:
				return false
			case !known && all[k.Pointer()].IsValid():
				p.fail("both have the %v of %s", k.Type().Elem(), path)
			case !known: // nothing but this map leads there: which is its copy is not known
				continue
			case !all[own.at].IsValid():
				p.fail("%s has another key", path)
			default:
				p.compare(a.MapIndex(k), b.MapIndex(all[own.at]), path+"[]", frozen)
			}
		}
		return true
	}
	for _, k := range keys {
		v := b.MapIndex(k)
		if !v.IsValid() {
			p.fail("%s has another key", path)
			return true
		}
		p.compare(a.MapIndex(k), v, path+"[]", frozen)
	}
	return true
}

func (p *pairs) fail(format string, args ...any) { p.wrong[fmt.Sprintf(format, args...)] = true }

// finish compares the maps, too.
func (p *pairs) finish() {
	for last := false; len(p.later) > 0; {
		todo := p.later
		p.later = nil
		n := len(todo)
		for _, f := range todo {
			if !f(last) {
				p.later = append(p.later, f)
			}
		}
		last = len(p.later) == n
	}
}

// drawAny draws a history of one kind or another.
func drawAny(t *rapid.T) []model.Event {
	switch rapid.IntRange(0, 6).Draw(t, "kind of history") {
	case 0, 1, 2:
		return modeltest.Draw(t).Events
	case 3, 4:
		return modeltest.DrawReturns(t).Events
	case 5:
		return crowd()
	}
	return modeltest.Events(rapid.SliceOfN(rapid.Byte(), 500, 2000).Draw(t, "data"))
}

// crowd is a history with what drawn ones seldom have: claims that go at once, leases that end early, or
// run out after they were renewed, or are left behind, and a program that deletes the key in which it
// believes.
func crowd() []model.Event {
	h := modeltest.TwoContenders()
	for i := range 12 {
		h.Put(3, modeltest.ClaimKey(fmt.Sprintf("/crowd%d", i), 0xc), "", 0xc)
	}
	h.Put(3, modeltest.ClaimKey("/early", 0xe), "", 0xe)
	h.Put(3, modeltest.ClaimKey("/late", 0xf), "", 0xf)
	h.Put(3, modeltest.ClaimKey("/late", 0xf1), "", 0xf1)
	for i := range model.LeaseID(6) {
		key, sec := modeltest.ClaimKey("/left", 0x10+i), 3+float64(i)/10
		h.Put(sec, key, "10.0.0.7:5678", 0x10+i)
		h.Del(sec, key)
		h.Read(sec, 0x10+i, 60, 59)
		h.Add(model.LeaseKeys{At: modeltest.At(sec), ID: 0x10 + i, Rev: h.Rev})
	}
	h.Read(4, 0xe, 10, 10)
	h.Read(4, 0xf, 10, 7)
	h.End(5, 0xe)
	h.Read(5, 0xe, 0, -1)
	h.Read(5, 0xf, 10, 10)
	h.Del(5, modeltest.ClaimKey("/lock", 0xa1))
	h.Add(model.Wrote{At: modeltest.At(5), Client: model.Client{Name: "c1", Certain: true}, Key: modeltest.ClaimKey("/lock", 0xa1), Delete: true, Rev: h.Rev, Took: true, Told: true})
	h.Read(15, 0xf, 10, 0)
	h.End(15.5, 0xf)
	h.Read(15.6, 0xf, 0, -1)
	h.Read(15.7, 0xf1, 10, 10)
	h.Read(15.8, 0xf1, 0, -1) // its key is there still
	h.End(15.9, 0xc)
	return h.Events
}

// TestWhatACheckpointShares: a store and its copy are the same, record by record, and share nothing to
// which anybody writes. A field that was forgotten is shared, or differs.
func TestWhatACheckpointShares(t *testing.T) {
	met := map[string]bool{}
	gen := rapid.Custom(drawAny)
	for seed := range 600 {
		events := gen.Example(seed)
		if seed == 0 {
			events = crowd()
		}
		s := New(model.Pin{Expect: 3})
		s.Apply(model.Batch{Events: events[:max(0, len(events)-seed%7)]})
		s.Want([]model.LeaseID{0xb, 0xb2}) // these are on the screen
		p := pairs{now: s.Now(), own: map[record]record{}, first: map[record]record{}, met: met, wrong: map[string]bool{}}
		p.compare(reflect.ValueOf(s), reflect.ValueOf(s.Clone()), "store", false)
		p.finish()
		for _, wrong := range slices.Sorted(maps.Keys(p.wrong)) {
			t.Errorf("seed %d: %s", seed, wrong)
		}
		if t.Failed() {
			return
		}
	}
	all := map[string]bool{}
	fields(reflect.TypeFor[Store](), map[reflect.Type]bool{}, all)
	delete(all, "journal.Entry.Found") // an entry of a finding gives no cause: it is always quiet, and no copy is made of it
	for path := range all {
		if !met[path] {
			t.Errorf("in no history %s leads anywhere", path)
		}
	}
}

// fields notes the fields that lead somewhere, of all types to which one leads.
func fields(t reflect.Type, seen map[reflect.Type]bool, all map[string]bool) {
	if seen[t] || strings.HasSuffix(t.PkgPath(), "/model") || fixed[t.String()].reason != "" && fixed[t.String()].is == nil {
		return
	}
	seen[t] = true
	switch t.Kind() {
	case reflect.Struct:
		for i := range t.NumField() {
			f := t.Field(i)
			path := t.String() + "." + f.Name
			if slices.Contains(scratch, path) {
				continue
			}
			if k := f.Type.Kind(); k == reflect.Pointer || k == reflect.Map || k == reflect.Slice {
				all[path] = true
			}
			fields(f.Type, seen, all)
		}
	case reflect.Map:
		fields(t.Key(), seen, all)
		fields(t.Elem(), seen, all)
	case reflect.Pointer, reflect.Slice, reflect.Array:
		fields(t.Elem(), seen, all)
	}
}

// TestCheckpointsAreMadeAtOnce: several go on from one copy while others are made of it, and while the
// first store goes on.
func TestCheckpointsAreMadeAtOnce(t *testing.T) {
	events := crowd()
	begin, rest := model.Batch{Events: events[:len(events)/2]}, model.Batch{Events: events[len(events)/2:]}
	s := apply(begin)
	kept := s.Clone()
	var all [4]*Store
	var wait sync.WaitGroup
	for i := range all {
		wait.Go(func() {
			all[i] = kept.Clone()
			all[i].Apply(rest)
		})
	}
	s.Apply(rest)
	wait.Wait()
	want := dump(s, true) + past(s)
	for i, one := range all {
		if d := cmp.Diff(want, dump(one, true)+past(one)); d != "" {
			t.Errorf("%d\n%s", i, d)
		}
	}
}

// BenchmarkClone is what a copy costs of a store with so many claims, of which each lock has seen some
// come and go.
func BenchmarkClone(b *testing.B) {
	for _, claims := range []int{10_000, 100_000} {
		s := apply(model.Batch{Events: modeltest.TenClaims(claims)})
		h := modeltest.New()
		h.Rev = int64(claims)
		for i := range 36_000 {
			lease, lock := model.LeaseID(0x700000000000000+i), fmt.Sprintf("/bench/lock-%06d", i%(claims/10))
			h.Put(float64(i)/10, modeltest.ClaimKey(lock, lease), "", lease)
			h.Del(float64(i)/10+0.05, modeltest.ClaimKey(lock, lease))
		}
		s.Apply(model.Batch{Events: h.Events})
		b.Run(fmt.Sprint(claims), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				s.Clone()
			}
		})
	}
}

// TestWhatIsToldLateIsNotToldToACheckpoint: a cause that the proxy, or an action of ours, tells long
// after the claim went makes another entry of it, in the journal and in that of the lock. A state
// that was kept before still says what was known then.
func TestWhatIsToldLateIsNotToldToACheckpoint(t *testing.T) {
	for _, row := range []struct {
		reason string
		told   model.Event
		sure   model.Confidence // of the entry, once it is told
	}{
		{"the proxy saw the delete", model.Wrote{At: modeltest.At(60), Client: model.Client{Name: "a", Certain: true}, Key: "/lock/a1", Delete: true, Rev: 103, Took: true, Told: true}, model.Certain},
		{"it was ours", model.Acted{At: modeltest.At(60), Outcome: model.Outcome{At: modeltest.At(4), Done: true, Rev: 103, Action: model.Action{Kind: model.DeleteClaim, Lock: "/lock", Key: "/lock/a1", CreateRev: 101}}}, model.Certain},
		{"somebody else's request tells nothing", model.Wrote{At: modeltest.At(60), Client: model.Client{Name: "a", Certain: true}, Key: "/lock/a1", Delete: true, Rev: 99, Took: true, Told: true}, model.Hint},
	} {
		h := modeltest.New()
		h.Loaded(0)
		h.Add(model.LeaseOwner{At: modeltest.At(0), Lease: 0xa1, Client: model.Client{Name: "a", Certain: true}})
		h.Put(1, "/lock/a1", "", 0xa1)
		h.Put(2, "/lock/b2", "", 0xb2)
		h.Del(3, "/lock/a1")
		h.Add(model.Tick{At: modeltest.At(50)})
		s := apply(model.Batch{Events: h.Events})
		handover := func(s *Store, all []*journal.Entry) *journal.Entry {
			for _, f := range all {
				if f.Kind == journal.Handover {
					return f
				}
			}
			t.Fatalf("%s: no handover", row.reason)
			return nil
		}
		kept, other := s.Clone(), s.Clone()
		if handover(s, s.Journal()) != handover(kept, kept.Journal()) {
			t.Errorf("%s: what is told for good is copied", row.reason)
		}
		before := dump(kept, true)
		s.Apply(model.Batch{Events: []model.Event{row.told}})
		f := handover(s, s.Journal())
		if f.Confidence != row.sure || f != handover(s, s.Lock("/lock").Journal()) || s.Lock("/lock").LastLoss() != nil && s.Lock("/lock").LastLoss().Kind == journal.Handover && s.Lock("/lock").LastLoss() != f {
			t.Errorf("%s: %s (%s), and on the lock %+v", row.reason, f.Cause, f.Confidence, handover(s, s.Lock("/lock").Journal()))
		}
		if d := cmp.Diff(before, dump(kept, true)) + cmp.Diff(before, dump(other, true)); d != "" {
			t.Errorf("%s: it is told in a state that was kept\n%s", row.reason, d)
		}
	}
}
