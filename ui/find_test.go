package ui

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"locktop/model"
)

// trouble is what is wrong with a lock: its name, the word of its row and the code of its finding.
type trouble struct{ lock, word, problem string }

// troubled is 300 locks: six are in trouble of five kinds, the others are held, and some
// waited for. Those in trouble stand among the others.
func troubled(t *testing.T) (*bench, []trouble) {
	b := newBench(t, Options{})
	b.w.ev = nil
	var kvs []model.KV
	claim := func(key string, lease model.LeaseID) {
		rev := int64(len(kvs) + 1)
		kvs = append(kvs, model.KV{Key: key, CreateRev: rev, ModRev: rev, Version: 1, Lease: lease})
	}
	name := func(i int) string { return fmt.Sprintf("/shop/l%03d", i) }
	id := func(i, place int) model.LeaseID { return model.LeaseID(0x1000 + 16*i + place) }
	claim(name(160)+"/manual", 0)
	for i := range 300 {
		n := 1 + i%4
		switch i {
		case 47, 160, 222:
			n = 3
		case 111:
			n = 6
		case 280, 281:
			n = 1
		}
		for k := range n {
			claim(leaseKey(name(i), id(i, k)), id(i, k))
		}
	}
	claim(leaseKey(name(280), id(281, 0)), id(281, 0))
	claim(leaseKey(name(281), id(280, 0)), id(280, 0))
	n := int64(len(kvs))
	b.w.add(model.LoadStarted{At: t0, Prefix: "/", Rev: n}, model.Listed{At: t0, Prefix: "/", Rev: n, KVs: kvs, Done: n, Total: n}, model.Loaded{At: t0, Prefix: "/", Rev: n})
	for _, kv := range kvs {
		b.w.watched(0, kv.Key)
	}
	for s := 0.0; s <= 75; s += 25 { // longer than one whose lease is of 30 s may hold while five wait
		for _, kv := range kvs {
			switch kv.Lease {
			case 0:
			case id(47, 0):
				b.w.read(s, kv.Lease, 120, 100-int64(s))
			case id(222, 0):
				b.w.read(s, kv.Lease, 3600, 2300-int64(s))
			default:
				b.w.read(s, kv.Lease, 30, 28)
			}
		}
		b.sync(s)
		if s == 50 { // one gives up: those who wait do not only stand by
			b.w.rev = n
			b.w.claim(51, name(111), "", 0xfff)
			b.w.del(52, leaseKey(name(111), 0xfff))
		}
	}
	return b, []trouble{{name(47), "holder silent", "Holder silent"}, {name(111), "held long", "Held long"}, {name(160), "blocked", "Foreign key blocks"},
		{name(222), "renews late", "Renews late"}, {name(280), "deadlock", "Deadlock"}}
}

// hidden are those of which no line of the screen has the lock and its trouble.
func (b *bench) hidden(all []trouble) (left []string) {
	for _, x := range all {
		if !slices.ContainsFunc(strings.Split(b.text(), "\n"), func(line string) bool {
			return strings.Contains(line, x.lock) && (strings.Contains(line, x.word) || strings.Contains(line, x.problem))
		}) {
			left = append(left, x.lock+" "+x.word)
		}
	}
	return left
}

// TestFiveOfThreeHundredAreFoundWithinThreeKeys: locks in trouble stand on the screen with what
// is wrong, without a key on the first one, and within three of every page, sort, filter and place.
func TestFiveOfThreeHundredAreFoundWithinThreeKeys(t *testing.T) {
	b, _ := troubled(t)
	b.size(200, 50)
	b.sees("300 locks")
	for _, r := range []struct {
		reason string
		keys   string
		within string
	}{
		{"the first screen", "", ""},
		{"the end of the list", "G", "g"},
		{"the middle of it", "pgdown pgdown", "g"},
		{"the sessions", "2", "1"},
		{"the end of the sessions", "2 G", "1"},
		{"the journal", "3", "1"},
		{"the end of the findings", "4 G", "g"},
		{"the time", "6", "1"},
		{"the end of the time", "6 G", "1 g"},
		{"the queue of a lock that is well", "G enter", "esc g"},
		{"a filter that none of them has", "/ l00 enter", "esc g"},
		{"a filter that is being typed", "/ z", "esc g"},
		{"the help", "?", "esc"},
		{"the least trouble first", "S", "S g"},
		{"sorted by name", "s", "4"},
		{"sorted by how long it is held, at the end", "s s G", "4"},
		{"sorted by how many wait, the fewest first", "s s s S", "4"},
		{"sorted by the longest wait", "s s s s G", "4"},
		{"sorted by what was waited", "s s s s s G", "4"},
	} {
		for _, size := range [][2]int{{80, 24}, {120, 36}, {200, 50}} {
			b, all := troubled(t)
			b.size(size[0], size[1])
			b.press(strings.Fields(r.keys)...)
			within := strings.Fields(r.within)
			if b.press(within...); len(within) > 3 {
				t.Fatalf("%s: %d keys", r.reason, len(within))
			}
			if left := b.hidden(all); left != nil {
				t.Errorf("from %s, %d×%d: %v not on the screen:\n%s", r.reason, size[0], size[1], left, b.text())
			}
			b.size(80, 15)                                                          // without room for what happened to other locks
			if b.press("1", "/", "l00", "enter"); len(b.hidden(all)) < len(all)-1 { // the verdict names the worst
				t.Fatalf("they are said to be found where they are not:\n%s", b.text())
			}
		}
	}
}
