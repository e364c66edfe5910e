package store

import (
	"fmt"
	"reflect"
	"slices"
	"testing"
	"time"
	"unsafe"

	"locktop/model"
	"locktop/model/journal"
	"locktop/model/locks"
	"locktop/model/modeltest"
	"locktop/model/recipe"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// past is what the book says of each lock, and the reports of each contender.
func past(s *Store) string {
	all := ""
	for _, l := range s.Locks() {
		for stay := range s.Timeline().Spans(l.Name, time.Time{}, s.Now()) {
			all += fmt.Sprintf("%s %+v\n", l.Name, *stay)
		}
	}
	for _, c := range s.Reports().Contenders() {
		all += fmt.Sprintf("%+v %v %d\n", c.Contender, c.Belief, c.Accepted)
	}
	return all
}

// TestATwinGoesItsOwnWay: a twin is the same state, becomes the same by the same events, and
// whatever becomes of one is not seen in the other.
func TestATwinGoesItsOwnWay(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		h := modeltest.Draw(t)
		cut := rapid.IntRange(0, len(h.Events)).Draw(t, "cut")
		begin, rest := model.Batch{Events: h.Events[:cut]}, model.Batch{Events: h.Events[cut:]}
		s := apply(begin)
		before := dump(s, true) + past(s)
		twins := NewTwins()
		image := twins.Keep(s)
		a, b := image.New(), image.New()
		if d := cmp.Diff(before, dump(a, true)+past(a)); d != "" {
			t.Fatalf("the twin is not the same\n%s", d)
		}
		kept := twins.Keep(s).New()
		s.Apply(model.Batch{Events: rest.Events[:len(rest.Events)/2]})
		later := twins.Keep(s)
		then := dump(s, true) + past(s)
		a.Apply(rest)
		straight := apply(begin, rest)
		if d := cmp.Diff(dump(straight, true)+past(straight), dump(a, true)+past(a)); d != "" {
			t.Fatalf("the twin went another way than the state that saw all events\n%s", d)
		}
		if again := image.New(); cmp.Diff(before, dump(again, true)+past(again)) != "" {
			t.Fatalf("what became of the twin is seen in the next of the same image\n%s", cmp.Diff(before, dump(again, true)+past(again)))
		}
		if d := cmp.Diff(then, dump(s, true)+past(s)); d != "" {
			t.Fatalf("what became of the twin is seen in the first\n%s", d)
		}
		s.Apply(model.Batch{Events: rest.Events[len(rest.Events)/2:]})
		if d := cmp.Diff(before, dump(kept, true)+past(kept)) + cmp.Diff(then, dump(later.New(), true)+past(later.New())); d != "" {
			t.Fatalf("what became of the first is seen in what was kept\n%s", d)
		}
		if d := cmp.Diff(before, dump(b, true)+past(b)); d != "" {
			t.Fatalf("what became of the first is seen in the other twin\n%s", d)
		}
	})
}

// web is all that a value points to: where each thing begins, how long it is, and its type.
type web map[unsafe.Pointer]reflect.Type

func (w web) walk(v reflect.Value, path string) {
	switch v.Kind() {
	case reflect.Pointer:
		at := v.UnsafePointer()
		if v.IsNil() || w[at] == v.Type().Elem() {
			return
		}
		w[at] = v.Type().Elem()
		w.walk(v.Elem(), path)
	case reflect.Struct:
		for i := range v.NumField() {
			w.walk(v.Field(i), path+"."+v.Type().Field(i).Name)
		}
	case reflect.Slice, reflect.Array:
		for i := range v.Len() {
			w.walk(v.Index(i), path)
		}
	case reflect.Map:
		for it := v.MapRange(); it.Next(); {
			w.walk(it.Key(), path)
			w.walk(it.Value(), path)
		}
	case reflect.Interface:
		w.walk(v.Elem(), path)
	}
}

// TestWhatStatesShare: two states that never met share the tables of the recipes and what
// package model names, and nothing else. Twins of one share only what the journal says for good; and nothing in a
// state points into the middle of something, of which a twin would make two.
func TestWhatStatesShare(t *testing.T) {
	recipes := reflect.TypeFor[recipe.Recipe]().PkgPath()
	gen := rapid.Custom(func(t *rapid.T) []model.Event { return modeltest.Draw(t).Events })
	for seed := range 50 {
		events := gen.Example(seed)
		one, other := apply(model.Batch{Events: events}), apply(model.Batch{Events: slices.Clone(events)})
		twin := NewTwins().Keep(one).New()
		webs := [3]web{{}, {}, {}}
		for i, s := range []*Store{one, other, twin} {
			webs[i].walk(reflect.ValueOf(s), "")
		}
		if len(webs[0]) != len(webs[2]) {
			t.Fatalf("seed %d: %d things make the state, and %d its twin", seed, len(webs[0]), len(webs[2]))
		}
		for at, typ := range webs[0] {
			if e, ok := reflect.NewAt(typ, at).Interface().(*journal.Entry); ok && e.Quiet(one.Now()) && webs[1][at] == nil {
				continue
			}
			if typ.PkgPath() == recipes || typ.String() == "time.Location" || slices.ContainsFunc(locks.Shared(), func(x any) bool { return reflect.ValueOf(x).UnsafePointer() == at }) {
				continue
			}
			for i, what := range []string{1: "a state that it never met", 2: "its twin"} {
				if i > 0 && webs[i][at] != nil && typ.Size() > 0 {
					t.Errorf("seed %d: a state shares a %v with %s", seed, typ, what)
				}
			}
		}
		inside(t, webs[0])
	}
}

// inside fails where something begins in the middle of something else.
func inside(t *testing.T, w web) {
	t.Helper()
	var starts []uintptr
	types := map[uintptr]reflect.Type{}
	for at, typ := range w {
		starts, types[uintptr(at)] = append(starts, uintptr(at)), typ
	}
	slices.Sort(starts)
	for i := 1; i < len(starts); i++ {
		if before := starts[i-1]; starts[i] < before+types[before].Size() {
			t.Errorf("something points to a %v within a %v: a twin would have two of them; let both point to one", types[starts[i]], types[before])
		}
	}
}

// BenchmarkTwin is what a twin costs of a state with so many claims, of which each lock has
// seen some come and go.
func BenchmarkTwin(b *testing.B) {
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
		twins := NewTwins()
		var kept *Kept
		b.Run(fmt.Sprintf("%d_keep", claims), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				kept = twins.Keep(s)
			}
			b.ReportMetric(float64(kept.Bytes), "bytes")
		})
		b.Run(fmt.Sprintf("%d_new", claims), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				kept.New()
			}
		})
	}
}

// TestWhatIsToldLateIsNotToldToTwins: a cause that the proxy, or an action of ours, tells long
// after the claim went makes another entry of it, in the journal and in that of the lock. A state
// that was kept before still says what was known then.
func TestWhatIsToldLateIsNotToldToTwins(t *testing.T) {
	for _, row := range []struct {
		reason string
		told   model.Event
		sure   model.Confidence // of the entry, once it is told
	}{
		{"the proxy saw the delete", model.Wrote{At: modeltest.At(60), Client: model.Client{Name: "a", Certain: true}, Key: "/l/a1", Delete: true, Rev: 103, Took: true, Told: true}, model.Certain},
		{"it was ours", model.Acted{At: modeltest.At(60), Outcome: model.Outcome{At: modeltest.At(4), Done: true, Rev: 103, Action: model.Action{Kind: model.DeleteClaim, Lock: "/l", Key: "/l/a1", CreateRev: 101}}}, model.Certain},
		{"somebody else's request tells nothing", model.Wrote{At: modeltest.At(60), Client: model.Client{Name: "a", Certain: true}, Key: "/l/a1", Delete: true, Rev: 99, Took: true, Told: true}, model.Hint},
	} {
		h := modeltest.New()
		h.Loaded(0)
		h.Add(model.LeaseOwner{At: modeltest.At(0), Lease: 0xa1, Client: model.Client{Name: "a", Certain: true}})
		h.Put(1, "/l/a1", "", 0xa1)
		h.Put(2, "/l/b2", "", 0xb2)
		h.Del(3, "/l/a1")
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
		twins := NewTwins()
		kept := twins.Keep(s).New()
		other := twins.Keep(s).New()
		if handover(s, s.Journal()) != handover(kept, kept.Journal()) {
			t.Errorf("%s: what is told for good is copied", row.reason)
		}
		before := dump(kept, true)
		s.Apply(model.Batch{Events: []model.Event{row.told}})
		f := handover(s, s.Journal())
		if f.Confidence != row.sure || f != handover(s, s.Lock("/l").Journal()) || s.Lock("/l").LastLoss() != nil && s.Lock("/l").LastLoss().Kind == journal.Handover && s.Lock("/l").LastLoss() != f {
			t.Errorf("%s: %s (%s), and on the lock %+v", row.reason, f.Cause, f.Confidence, handover(s, s.Lock("/l").Journal()))
		}
		if d := cmp.Diff(before, dump(kept, true)) + cmp.Diff(before, dump(other, true)); d != "" {
			t.Errorf("%s: it is told in a state that was kept\n%s", row.reason, d)
		}
	}
}
