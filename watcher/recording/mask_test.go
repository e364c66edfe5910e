package recording

import (
	"bytes"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"locktop/model"
	"locktop/model/locks"
	"locktop/model/modeltest"
	"locktop/model/store"
)

func TestWhatAMaskLeaves(t *testing.T) {
	kv := func(key, value string) model.Event {
		return model.Committed{Rev: 7, Changes: []model.Change{{KV: model.KV{Key: key, Value: value, Lease: 0x1f}}}}
	}
	names := Mask{Names: true}
	values := Mask{Values: true}
	for _, row := range []struct {
		reason   string
		mask     *Mask
		in, want model.Event
	}{
		{"nothing is masked", &Mask{}, kv("/jobs/a/1f", "secret"), kv("/jobs/a/1f", "secret")},
		{"a value has a number", &values, kv("/jobs/a/1f", "secret"), kv("/jobs/a/1f", "hidden-1")},
		{"another value another one", &values, kv("/jobs/a/2f", "other"), kv("/jobs/a/2f", "hidden-2")},
		{"the same the same", &values, kv("/jobs/b/1f", "secret"), kv("/jobs/b/1f", "hidden-1")},
		{"none stays none", &values, kv("/jobs/b/1f", ""), kv("/jobs/b/1f", "")},
		{"dropped, and it is said that there was one", &Mask{Drop: true}, kv("/jobs/b/1f", "secret"),
			model.Committed{Rev: 7, Changes: []model.Change{{KV: model.KV{Key: "/jobs/b/1f", Unread: true, Lease: 0x1f}}}}},
		{"that stays said, whatever is masked of such a recording", &Mask{Names: true}, model.Listed{KVs: []model.KV{{Key: "/a/1f", Unread: true}}}, model.Listed{KVs: []model.KV{{Key: "/n1/1f", Unread: true}}}},
		{"dropped from the last of a revision, though the first has none", &Mask{Drop: true},
			model.Committed{Changes: []model.Change{{KV: model.KV{Key: "/a"}}, {Deleted: true, KV: model.KV{Key: "/b", Value: "secret"}}}},
			model.Committed{Changes: []model.Change{{KV: model.KV{Key: "/a"}}, {Deleted: true, KV: model.KV{Key: "/b", Unread: true}}}}},
		{"there is nothing to drop", &Mask{Drop: true}, kv("/jobs/b/1f", ""), kv("/jobs/b/1f", "")},
		{"no value, but names", &Mask{Drop: true, Names: true}, kv("/jobs/b/1f", ""), kv("/n1/n2/1f", "")},
		{"a value in an answer to an action", &Mask{Drop: true}, model.Acted{Outcome: model.Outcome{Now: model.KV{Key: "/a", Value: "secret"}}},
			model.Acted{Outcome: model.Outcome{Now: model.KV{Key: "/a", Unread: true}}}},
		{"what a fault puts", &Mask{Drop: true}, model.FaultOn{Fault: model.Fault{Kind: model.FaultPut, Value: "secret"}}, model.FaultOn{Fault: model.Fault{Kind: model.FaultPut}}},
		{"the segments of a key, but for the id of its lease", &names, kv("/jobs/billing/694d81e5fc652594", "host"), kv("/n1/n2/694d81e5fc652594", "hidden-1")},
		{"the lock has the name that its keys have", &names, model.Contender{Lock: "/jobs/billing", Name: "c1", Recipe: "mutex", Proc: model.ProcRunning},
			model.Contender{Lock: "/n1/n2", Name: "name-1", Recipe: "mutex", Proc: model.ProcRunning}},
		{"and so has the client", &names, model.Belief{Contender: "c1", Lock: "/jobs/billing", State: model.BeliefHolding}, model.Belief{Contender: "name-1", Lock: "/n1/n2", State: model.BeliefHolding}},
		{"words that recipes go by stay", &names, model.Requested{Prefixes: []string{"", "/jobs/locks/"}}, model.Requested{Prefixes: []string{"", "/n1/locks/"}}},
		{"a segment that looks like another kind's mask", &Mask{Names: true}, model.Contender{Lock: "/ame-c1", Name: "c1"}, model.Contender{Lock: "/n1", Name: "name-1"}},
		{"what a program printed may be anything, so only how much it was stays", &Mask{Drop: true}, model.Printed{Contender: "a", Left: 2, Lines: []model.Line{{Text: "secret"}}},
			model.Printed{Contender: "a", Left: 3}},
		{"whatever is masked", &values, model.Printed{Contender: "a", Lines: []model.Line{{Text: "secret"}}}, model.Printed{Contender: "a", Left: 1}},
		{"what a message speaks of goes, and what it says stays", &Mask{Names: true}, model.Lost{Detail: model.TryingAgain(model.Say("no-connection", "db7"))},
			model.Lost{Detail: model.TryingAgain(model.Say("no-connection", "name-1"))}},
		{"free text goes", &names, model.Lost{Prefix: "/jobs/", Detail: model.Say("quote", "db7 says no")}, model.Lost{Prefix: "/n1/", Detail: model.Say("quote", "name-2")}},
	} {
		if got := row.mask.Event(row.in); !reflect.DeepEqual(got, row.want) {
			t.Errorf("%s:\n%+v, want\n%+v", row.reason, got, row.want)
		}
	}
}

// TestAMaskLeavesNoSecretBehind: in no field of any event, and the event of others stays.
func TestAMaskLeavesNoSecretBehind(t *testing.T) {
	const secret = "Sécret~zz"
	for name, typ := range eventTypes {
		rapid.Check(t, func(t *rapid.T) {
			v := reflect.New(typ).Elem()
			draw(t, v)
			plant(v, secret)
			e := v.Interface().(model.Event)
			var before, after bytes.Buffer
			if err := NewRecorder(&before, Options{}).Write(model.Batch{Events: []model.Event{e}}); err != nil {
				t.Fatal(err)
			}
			m := Mask{Names: true}
			if err := NewRecorder(&after, Options{}).Write(model.Batch{Events: []model.Event{m.Event(e)}}); err != nil {
				t.Fatal(err)
			}
			var again bytes.Buffer
			if err := NewRecorder(&again, Options{}).Write(model.Batch{Events: []model.Event{e}}); err != nil || again.String() != before.String() {
				t.Fatalf("%s was changed: %v", name, err)
			}
			if strings.Contains(after.String(), "cret~zz") {
				t.Fatalf("%s", after.String())
			}
		})
	}
}

// plant puts a text into every field of plain text that may be anything.
func plant(v reflect.Value, s string) {
	switch v.Kind() {
	case reflect.Struct:
		for i := range v.NumField() {
			if !keptFields[v.Type().Field(i).Name] {
				plant(v.Field(i), s)
			}
		}
	case reflect.Slice:
		for i := range v.Len() {
			plant(v.Index(i), s)
		}
	case reflect.Interface:
		if v.IsNil() {
			return
		}
		own := reflect.New(v.Elem().Type()).Elem()
		own.Set(v.Elem())
		plant(own, s)
		v.Set(own)
	case reflect.String:
		if v.Type() == reflect.TypeFor[string]() {
			v.SetString(s)
		}
	}
}

// TestAMaskIsBounded: in a recording of months there is no end of new values. The same still
// gets the same replacement, and what comes late is as hidden as what came early.
func TestAMaskIsBounded(t *testing.T) {
	m := Mask{Values: true}
	for i := range knownMax + 10 {
		if r := m.text("Value", fmt.Sprint("value ", i)); i < 3 && r != fmt.Sprint("hidden-", i+1) {
			t.Errorf("value %d became %q", i, r)
		}
	}
	if len(m.known) > knownMax {
		t.Errorf("%d replacements are kept, want %d at most", len(m.known), knownMax)
	}
	late, other := m.text("Value", "secret"), m.text("Value", "another")
	if late == other || late != m.text("Value", "secret") || !strings.HasPrefix(late, "hidden-x") {
		t.Errorf("late values became %q and %q", late, other)
	}
	if n := (&Mask{Values: true, known: m.known, count: m.count, key: []byte("another key")}).text("Value", "secret"); n == late {
		t.Errorf("without the key one can tell what %q was", late)
	}
	if got := m.text("Value", "value 2"); got != "hidden-3" {
		t.Errorf("an early value became %q", got)
	}
}

// TestWhatIsNotRecordedProvesNothing: whoever plays what was recorded without values is sure of no
// recipe but for what was as sure when the values were seen: that a key has none is no secret. It
// knows the same holders of queues. A base of such a state says the same.
func TestWhatIsNotRecordedProvesNothing(t *testing.T) {
	draws := []func(*rapid.T) *modeltest.History{modeltest.Draw, modeltest.DrawReturns}
	rapid.Check(t, func(t *rapid.T) {
		h := rapid.SampledFrom(draws).Draw(t, "kind")(t)
		events := append([]model.Event{model.Requested{At: modeltest.At(0), Prefixes: []string{""}}}, h.Events...)
		m := Mask{Drop: true}
		var masked []model.Event
		for _, e := range events {
			masked = append(masked, m.Event(e))
		}
		live, played := store.New(), store.New()
		live.Apply(model.Batch{Events: events})
		played.Apply(model.Batch{Events: masked})
		states := []*store.Store{played}
		if begin, ok := played.Checkpoint(); ok {
			based := store.New()
			based.Apply(model.Batch{Events: begin})
			states = append(states, based)
		}
		for _, s := range states {
			for _, l := range s.Locks() {
				if l.Free() {
					continue
				}
				was := live.Lock(l.Name)
				for _, why := range l.RecipeEvidence() {
					ofContent := strings.Contains(why, "take turns") || strings.Contains(why, "the value that")
					if ofContent && slices.ContainsFunc(slices.Collect(l.Claims), func(c *locks.Claim) bool { return c.Unread }) {
						t.Errorf("%s: %q, but no value was seen", l.Name, why)
					}
				}
				if l.RecipeConfidence() == model.Certain && (was == nil || was.Recipe() != l.Recipe() || !slices.Equal(was.RecipeEvidence(), l.RecipeEvidence())) {
					t.Errorf("%s is %s for certain: %q, which is not what was seen live", l.Name, l.Recipe().Name, l.RecipeEvidence())
				}
				if l.Recipe().Name != "mutex-or-election" || was == nil {
					continue
				}
				a, b := was.Holder(), l.Holder()
				if a != nil && a.KV.Lease == 0 { // a key by itself that lost its lease: only its value told that it was a lock
					continue
				}
				if (a == nil) != (b == nil) || a != nil && a.Key != b.Key {
					t.Errorf("%s: the holder is another one than with values", l.Name)
				}
			}
		}
	})
}
