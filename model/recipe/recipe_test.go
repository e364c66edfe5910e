package recipe

import (
	"slices"
	"strings"
	"testing"
)

// TestEachRecipeIsWhole looks for what a new value of the table may lack.
func TestEachRecipeIsWhole(t *testing.T) {
	names, words := map[string]bool{}, map[string]bool{}
	for _, r := range All() {
		if names[r.Name] || r.Name == "" || Named(r.Name) != r {
			t.Errorf("the name %q stands for two, or for nothing", r.Name)
		}
		names[r.Name] = true
		if r.Users == "" || r.Confidence == "" || r.Order == "" || r.Shape == NoShape {
			t.Errorf("%s: no quirks, or no sentence; or no word on its users, its order, its shape or how sure it is", r.Name)
		}
		if (r.Shape == Single) != (r.Order == NoOrder) || (r.Readers == nil) != (r.Writers == nil) {
			t.Errorf("%s: single keys alone have no order, and readers wait for writers", r.Name)
		}
		if len(r.Signs) == 0 && r != ByPin && !r.Nameless() {
			t.Errorf("%s is told by nothing", r.Name)
		}
		for i, s := range r.Signs {
			if len(s.Why) == 0 || slices.Contains(s.Why, "") {
				t.Errorf("%s: sign %d does not say why", r.Name, i)
			}
			generic := (r == Mixed || r == OrderOnly) && i == len(r.Signs)-1
			if tests := len(s.Forms) > 0 || s.Key != nil; tests == generic || (s.Key != nil) != (r.Shape == Single) {
				t.Errorf("%s: sign %d asks for nothing, or not for what makes its shape", r.Name, i)
			}
		}
		for _, w := range r.Plays {
			if words[w] {
				t.Errorf("%s and another recipe are played as %s", r.Name, w)
			}
			words[w] = true
		}
	}
}

// TestFormsAreApart: no two forms want the same key, so the order of the table does not
// matter. Only a name that reads as the lease in hex and in decimal is of two, and counts
// as hex.
func TestFormsAreApart(t *testing.T) {
	const nanos, uuid = "1790000000000000001", "6ba7b810-9dad-11d1-80b4-00c04fd430c8"
	for _, k := range []*Key{
		keyed("/l/a1", "", 0xa1, 1), keyed("/l/161", "", 161, 1),
		keyed("/vt/locks/161", `{"Action":"x","HostName":"y"}`, 161, 1), keyed("/elections/e/locks/161", "", 161, 1),
		keyed("/go-etcd-lock-rw/readers/L2V0Y2QtbG9jay9h/a1", "", 0xa1, 1), keyed("/app/leader-a", "a", 1, 1), keyed("/app/leader/a", "a", 1, 1),
		keyed("/l/read/"+nanos, "", 1, 1), keyed("/l/write/"+nanos, "", 1, 1), keyed("/l/waiters/"+nanos, "", 1, 1),
		keyed("/lock/"+uuid, "", 1, 1), keyed("/l/"+nanos, "", 1790000000000000001, 1),
	} {
		lock, first := queuePlace(k)
		if first == 0 || lock == "" {
			t.Errorf("%s has no form", k.Name)
		}
		fits := 0
		for _, f := range queueForms {
			if f.Named != nil && f.Named(k) != "" || f.Named == nil && f.Segment == "" && f.Fits(k) || f.Segment != "" && strings.HasSuffix(k.Dir(), "/"+f.Segment) && f.Fits(k) {
				fits++
			}
		}
		if fits != 1 {
			t.Errorf("%s is of %d forms", k.Name, fits)
		}
	}
	if _, f := queuePlace(keyed("/l/7", "", 7, 1)); f != hexForm.id {
		t.Error("7 on lease 7 does not count as hex")
	}
}

// TestWhy says by what a few recipes are told.
func TestWhy(t *testing.T) {
	tally := func(valued int32, f *Form, n int32) *Tally {
		var all Tally
		all.Count(f.id, false, n)
		all.Valued[f.id] = valued
		return &all
	}
	for _, tt := range []struct {
		reason string
		told   Recognition
		want   string
	}{
		{"values tell", Tell(Queue, Look{Name: "/l", Tally: tally(0, hexForm, 2)}),
			"mutex hint: every claim is named by its lease in hex, no claim has a value"},
		{"the path stands in for values", Tell(Queue, Look{Name: "/l/leader", Tally: tally(0, hexForm, 2), Unread: true}),
			"mutex-or-election strong: every claim is named by its lease in hex, the path speaks of elections, the values were not seen, and only they would tell more"},
		{"a name alone is a hint", TellKey(keyed("shedlock:a", "ADDED:x@h", 1, 1)), "shedlock hint: the name begins with shedlock:"},
		{"the generic answer", Tell(Group, Look{Name: "/l"}), "order-only hint: the keys have leases and fit no recipe"},
		{"somebody said so", Named("patroni").Pinned(nil), "patroni certain: pinned with --recipe"},
	} {
		if got := tt.told.Name + " " + string(tt.told.Confidence()) + ": " + strings.Join(tt.told.Sign.Why, ", "); got != tt.want {
			t.Errorf("%s: %s, want %s", tt.reason, got, tt.want)
		}
	}
}

func keyed(name, value string, lease, version int64) *Key {
	k := NewKey(name, value, lease, version)
	return &k
}
