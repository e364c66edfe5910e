package timeline_test

import (
	"cmp"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"testing"

	"locktop/model"
	"locktop/model/modeltest"
	"locktop/model/store"
	"locktop/model/timeline"
)

// contender takes a lock again and again: it thinks, waits, holds.
type contender struct {
	session      model.LeaseID
	think, holds []float64 // seconds, one for each turn
	turn         int
	came         float64
}

// played is what a lock of a lab did, added up by the lab itself.
type played struct {
	name  string
	total float64 // waited, in seconds, up to the end
	end   float64 // of the last turn
	waits []float64
	pairs map[[2]model.LeaseID]float64
}

// act is a key that comes or goes.
type act struct {
	at    float64
	put   bool
	lock  string
	lease model.LeaseID
}

// play lets contenders of one lock take turns until a time, in the order in which they come,
// each hold that share of its time.
func play(name string, all []contender, share, until float64) (out played, acts []act) {
	out = played{name: name, end: until, pairs: map[[2]model.LeaseID]float64{}}
	all = slices.Clone(all)
	for i := range all {
		all[i].came = 1 + all[i].think[0]
	}
	type held struct {
		who       model.LeaseID
		from, end float64
	}
	var holds []held
	free := 0.0
	for {
		next := -1
		for i := range all {
			if all[i].came < until && (next < 0 || all[i].came < all[next].came) {
				next = i
			}
		}
		if next < 0 {
			return out, acts
		}
		c := &all[next]
		got := max(c.came, free)
		free = got + c.holds[c.turn%len(c.holds)]*share
		for _, h := range holds {
			if d := min(h.end, got, until) - max(h.from, c.came); d > 0 {
				out.pairs[[2]model.LeaseID{c.session, h.who}] += d
			}
		}
		holds = append(holds, held{c.session, got, free})
		acts = append(acts, act{c.came, true, name, c.session}, act{free, false, name, c.session})
		out.total += min(got, until) - c.came
		if got < until {
			out.waits = append(out.waits, got-c.came)
		}
		c.turn++
		c.came = free + c.think[c.turn%len(c.think)]
	}
}

// crowd draws the contenders of a lock.
func crowd(r *rand.Rand, from model.LeaseID) (all []contender) {
	hold, think := 0.05+2*r.Float64(), 4*r.Float64()
	for i := range 2 + r.IntN(7) {
		c := contender{session: from + model.LeaseID(i)}
		for range 997 {
			c.holds = append(c.holds, hold*(0.5+r.Float64()))
			c.think = append(c.think, 0.01+think*(0.5+r.Float64()))
		}
		all = append(all, c)
	}
	return all
}

// watched makes a state of what happened on all locks of a lab.
func watched(acts []act) *store.Store {
	slices.SortStableFunc(acts, func(a, b act) int { return cmp.Compare(a.at, b.at) })
	h := modeltest.New()
	h.Loaded(0)
	for _, a := range acts {
		if key := modeltest.ClaimKey(a.lock, a.lease); a.put {
			h.Put(a.at, key, "", a.lease)
		} else {
			h.Del(a.at, key)
		}
	}
	s := store.New()
	s.Apply(model.Batch{Events: h.Events})
	return s
}

// byLease names a contender by its session, leaseOf is the opposite.
func byLease(r model.ClaimRef) string { return r.Lease.String() }

func leaseOf(t *testing.T, name string) model.LeaseID {
	n, err := strconv.ParseUint(name, 16, 63)
	if err != nil {
		t.Fatal(err)
	}
	return model.LeaseID(n)
}

func off(got, want float64) float64 { return math.Abs(got-want) / max(want, 1e-9) }

// The figures of a hundred labs are those that each lab added up by itself, and the lock that
// cost most stands first.
func TestContentionIsWhatTheLabDid(t *testing.T) {
	right := 0
	for seed := range 100 {
		r := rand.New(rand.NewPCG(15, uint64(seed)))
		var truth []played
		var acts []act
		crowds := map[string][]contender{}
		for i := range 2 + r.IntN(5) {
			name := fmt.Sprintf("/lab/l%d", i)
			crowds[name] = crowd(r, model.LeaseID(0x100*(i+1)))
			p, a := play(name, crowds[name], 1, 30+90*r.Float64())
			truth, acts = append(truth, p), append(acts, a...)
		}
		s := watched(acts)
		var got []*timeline.Contention
		order := make([]int, len(truth))
		for i, p := range truth {
			c := s.Timeline().Contention(p.name, modeltest.Start, modeltest.At(p.end), byLease)
			got, order[i] = append(got, c), i
			where := fmt.Sprintf("lab %d, %s", seed, p.name)
			if off(c.TotalWait.Seconds(), p.total) > 0.01 {
				t.Errorf("%s: %v was waited, the lab says %.3fs", where, c.TotalWait, p.total)
			}
			slices.Sort(p.waits)
			if p50, ok := c.Waits.P50(); !ok || math.Abs(p50.Seconds()-p.waits[(len(p.waits)-1)/2]) > 0.001 {
				t.Errorf("%s: wait p50 %v, the lab says %.3fs", where, p50, p.waits[(len(p.waits)-1)/2])
			}
			var pairs float64
			for _, x := range c.Pairs {
				pairs += x.Total.Seconds()
				if want := p.pairs[[2]model.LeaseID{leaseOf(t, x.Waiter), leaseOf(t, x.Holder)}]; math.Abs(x.Total.Seconds()-want) > 0.001 {
					t.Errorf("%s: %s waited %v for %s, the lab says %.3fs", where, x.Waiter, x.Total, x.Holder, want)
				}
			}
			if math.Abs(pairs-c.TotalWait.Seconds()) > 0.01 {
				t.Errorf("%s: the pairs make %.3fs, and %v was waited", where, pairs, c.TotalWait)
			}
			if d, ok := c.WhatIf(1); !ok || math.Abs(d.Seconds()-p.total) > 0.01*p.total+0.002 {
				t.Errorf("%s: a replay says %v (%v), the lab %.3fs", where, d, ok, p.total)
			}
		}
		slices.SortStableFunc(order, func(i, j int) int { return cmp.Compare(got[j].TotalWait, got[i].TotalWait) })
		if slices.IsSortedFunc(order, func(i, j int) int { return cmp.Compare(truth[j].total, truth[i].total) }) {
			right++
		}
	}
	if right < 95 {
		t.Errorf("the order is right in %d of 100 labs", right)
	}
}

// What shorter holds would have changed is what the same lab does with shorter holds, in the
// same time: whether its queue is never empty, so that all who wait go on waiting, or there is
// a wait now and then. Each lab draws its holds and its absences anew.
func TestWhatIfIsWhatTheLabThenDoes(t *testing.T) {
	for _, r := range []struct {
		reason      string
		contenders  int
		hold, think float64
		holds       float64 // that the lab lasts: the rarer the waits, the longer until their sum is steady
	}{
		{"saturated: whoever lets go comes again at once", 6, 1, 0.01, 500},
		{"saturated, with longer absences", 8, 1, 2, 500},
		{"as much as it can take", 4, 1, 3, 4000},
		{"half of the time in use", 4, 1, 7, 8000},
		{"two, of whom one waits at times", 2, 1, 2, 8000},
		{"short holds", 6, 0.02, 0.03, 500},
	} {
		var sum, n float64
		for seed := range 4 {
			draw := func(stream uint64) (all []contender) {
				rnd := rand.New(rand.NewPCG(stream, uint64(seed)))
				for i := range r.contenders {
					c := contender{session: model.LeaseID(0x100 + i)}
					for range 3989 {
						c.holds = append(c.holds, r.hold*(2+2*rnd.Float64())/3)
						c.think = append(c.think, r.think*(0.4+1.2*rnd.Float64()))
					}
					all = append(all, c)
				}
				return all
			}
			until := r.holds * r.hold
			_, acts := play("/lock", draw(1), 1, until)
			c := watched(acts).Timeline().Contention("/lock", modeltest.Start, modeltest.At(until), byLease)
			would, _ := play("/lock", draw(2), 0.5, until)
			d, ok := c.WhatIf(0.5)
			if !ok || off(d.Seconds(), would.total) > 0.1 {
				t.Errorf("%s, lab %d: %v (%v), of %v waited; the lab then %.3fs", r.reason, seed, d, ok, c.TotalWait, would.total)
			}
			sum, n = sum+d.Seconds()/would.total, n+1
		}
		if off(sum/n, 1) > 0.04 {
			t.Errorf("%s: on the average %.3f of what the lab then does", r.reason, sum/n)
		}
	}
}

// Those who come no more are not made to: a lock at which a crowd was once is not waited for by
// it to the end.
func TestWhatIfOfThoseWhoLeft(t *testing.T) {
	h := modeltest.New()
	h.Loaded(0)
	h.Put(1, "/lock/a", "", 0xa)
	for i := range 10 { // two take turns of two seconds, and leave for good
		now, next := model.LeaseID(0xa+i%2), model.LeaseID(0xa+(i+1)%2)
		if i < 9 {
			h.Put(1.01+2*float64(i), modeltest.ClaimKey("/lock", next), "", next)
		}
		h.Del(3+2*float64(i), modeltest.ClaimKey("/lock", now))
	}
	s := store.New()
	s.Apply(model.Batch{Events: append(h.Events, model.Tick{At: modeltest.At(200)})})
	c := s.Timeline().Contention("/lock", modeltest.At(0), modeltest.At(200), byLease)
	if d, ok := c.WhatIf(0.5); !ok || math.Abs(d.Seconds()-9) > 0.2 {
		t.Errorf("%v (%v) of %v waited, want 9s: nine waits of half of 2s", d, ok, c.TotalWait)
	}
}

// What is counted of a queue that is known beforehand.
func TestContentionOfAQueue(t *testing.T) {
	turns := func(h *modeltest.History, n int, from, hold, gap float64) float64 {
		for i := range n {
			h.Put(from, fmt.Sprintf("/lock/%x", 0x100+i), "", model.LeaseID(0x100+i))
			h.Del(from+hold, fmt.Sprintf("/lock/%x", 0x100+i))
			from += hold + gap
		}
		return from
	}
	for _, r := range []struct {
		reason                      string
		tell                        func(h *modeltest.History)
		from, to                    float64
		total, queued, utilisation  float64
		waiters, waits, holds, gaps int
		fairness                    float64
		bypass                      int
		convoy, visible             bool
		half                        float64 // what would be waited with half of each hold, -1 unknown
	}{
		{reason: "two wait behind one", tell: func(h *modeltest.History) {
			h.Put(1, "/lock/a", "", 0xa)
			h.Put(2, "/lock/b", "", 0xb)
			h.Put(3, "/lock/c", "", 0xc)
			h.Del(11, "/lock/a")
			h.Del(21, "/lock/b")
		}, to: 31, total: 9 + 18, queued: 19, utilisation: 30.0 / 31, waits: 3, holds: 2, gaps: 2, fairness: 27.0 * 27 / (3 * (81 + 18*18)), visible: true, half: 4 + 8},
		{reason: "of a part the waits that ended in it are whole, and the sum is of the part", tell: func(h *modeltest.History) {
			h.Put(1, "/lock/a", "", 0xa)
			h.Put(2, "/lock/b", "", 0xb)
			h.Del(11, "/lock/a")
		}, from: 8, to: 18, total: 3, queued: 3, utilisation: 1, waits: 1, holds: 1, gaps: 1, fairness: 0.5, visible: true, half: 1.5},
		{reason: "one that gives up has waited, and does not hold", tell: func(h *modeltest.History) {
			h.Put(1, "/lock/a", "", 0xa)
			h.Put(2, "/lock/b", "", 0xb)
			h.Del(5, "/lock/b")
			h.Del(11, "/lock/a")
		}, to: 11.5, total: 3, queued: 3, utilisation: 10.0 / 11.5, waits: 1, holds: 1, fairness: 0.5, visible: true, half: 3},
		{reason: "nobody waits, and between two holders nobody holds", tell: func(h *modeltest.History) { turns(h, 4, 1, 1, 2) },
			to: 13, utilisation: 4.0 / 13, waits: 4, holds: 4, gaps: 3, visible: true, half: 0},
		{reason: "a convoy: twelve wait, and each holds for a second", tell: func(h *modeltest.History) {
			for i := range 12 {
				h.Put(0.1+float64(i)/1e6, fmt.Sprintf("/lock/%x", 0x200+i), "", model.LeaseID(0x200+i))
			}
			for i := range 11 {
				h.Del(float64(1+i), fmt.Sprintf("/lock/%x", 0x200+i))
			}
		}, from: 0.2, to: 11, total: 0.8 + 1.8 + 2.8 + 3.8 + 4.8 + 5.8 + 6.8 + 7.8 + 8.8 + 9.8 + 10.8, queued: 10.8, utilisation: 1, waiters: 1, waits: 10, holds: 10, gaps: 10,
			fairness: 0.7121, convoy: true, visible: true, half: 11*0.4 + 0.5*55},
		{reason: "no convoy: one long hold makes the same queue", tell: func(h *modeltest.History) {
			for i := range 12 {
				h.Put(0.1+float64(i)/1e6, fmt.Sprintf("/lock/%x", 0x200+i), "", model.LeaseID(0x200+i))
			}
			h.Del(11, "/lock/200")
		}, from: 0.2, to: 11, total: 11 * 10.8, queued: 10.8, utilisation: 1, waiters: 11, fairness: 0.9167, visible: true, half: -2},
		{reason: "one is sent to the end of the queue: it was overtaken, and what it would have been is not known", tell: func(h *modeltest.History) {
			h.Put(1, "/lock/write/1700000000000000001", "", 0xa)
			h.Put(2, "/lock/write/1700000000000000002", "", 0xb)
			h.Put(3, "/lock/write/1700000000000000003", "", 0xc)
			h.Put(4, "/lock/write/1700000000000000002", "", 0xb)
			h.Del(5, "/lock/write/1700000000000000001")
		}, to: 11, total: 9 + 2, queued: 9, utilisation: 10.0 / 11, waiters: 1, waits: 2, holds: 1, gaps: 1, fairness: 11.0 * 11 / (3 * (81 + 4)), bypass: 1, visible: true, half: -1},
		{reason: "the holder is sent to the end of the queue and gets the lock again: it waited while it did not hold, and no longer", tell: func(h *modeltest.History) {
			h.Put(1, "/lock/write/1700000000000000001", "", 0xa)
			h.Put(2, "/lock/write/1700000000000000002", "", 0xb)
			h.Put(5, "/lock/write/1700000000000000001", "", 0xa)
			h.Del(9, "/lock/write/1700000000000000002")
		}, to: 12, total: 3 + 4, queued: 7, utilisation: 11.0 / 12, waits: 3, holds: 2, gaps: 2, fairness: 5.0 * 5 / (2 * (2*2 + 3*3)), visible: true, half: 1 + 2},
		{reason: "the same while it waits still", tell: func(h *modeltest.History) {
			h.Put(1, "/lock/write/1700000000000000001", "", 0xa)
			h.Put(2, "/lock/write/1700000000000000002", "", 0xb)
			h.Put(5, "/lock/write/1700000000000000001", "", 0xa)
		}, to: 9, total: 3 + 4, queued: 7, utilisation: 8.0 / 9, waiters: 1, waits: 2, holds: 1, gaps: 1, fairness: 5.0 * 5 / (2 * (2*2 + 3*3)), visible: true, half: -2},
		{reason: "it goes before its turn comes again", tell: func(h *modeltest.History) {
			h.Put(1, "/lock/write/1700000000000000001", "", 0xa)
			h.Put(2, "/lock/write/1700000000000000002", "", 0xb)
			h.Put(5, "/lock/write/1700000000000000001", "", 0xa)
			h.Del(8, "/lock/write/1700000000000000001")
		}, to: 9, total: 3 + 3, queued: 6, utilisation: 8.0 / 9, waits: 2, holds: 1, gaps: 1, fairness: 4.5 * 4.5 / (2 * (1.5*1.5 + 3*3)), visible: true, half: -2},
		{reason: "a waiter is sent behind a later one: of a part each waited as long as it was there", tell: func(h *modeltest.History) {
			h.Put(1, "/lock/write/1700000000000000001", "", 0xa)
			h.Put(2, "/lock/write/1700000000000000002", "", 0xb)
			h.Put(4, "/lock/write/1700000000000000003", "", 0xc)
			h.Put(5, "/lock/write/1700000000000000002", "", 0xb)
		}, from: 3, to: 8, total: 5 + 4, queued: 5, utilisation: 1, waiters: 2, fairness: 10.0 * 10 / (3 * (6*6 + 4*4)), visible: true, half: -2},
		{reason: "readers hold together: there is no one hold to shorten", tell: func(h *modeltest.History) {
			h.Put(1, "/lock/read/1700000000000000001", "", 0xa)
			h.Put(2, "/lock/read/1700000000000000002", "", 0xb)
			h.Put(3, "/lock/write/1700000000000000003", "", 0xc)
		}, to: 11, total: 8, queued: 8, utilisation: 10.0 / 11, waiters: 1, waits: 2, fairness: 1.0 / 3, visible: true, half: -1},
	} {
		h := modeltest.New()
		h.Loaded(0)
		r.tell(h)
		s := store.New()
		s.Apply(model.Batch{Events: h.Events})
		s.Apply(model.Batch{Events: []model.Event{model.Tick{At: modeltest.At(r.to)}}})
		c := s.Timeline().Contention("/lock", modeltest.At(r.from), modeltest.At(r.to), byLease)
		near := func(what string, got, want float64) {
			if math.Abs(got-want) > 0.001 {
				t.Errorf("%s: %s %.4f, want %.4f", r.reason, what, got, want)
			}
		}
		near("waited", c.TotalWait.Seconds(), r.total)
		near("queued", c.Queued.Seconds(), r.queued)
		near("utilisation", c.Utilisation(), r.utilisation)
		near("fairness", c.Fairness, r.fairness)
		if c.Waiters != r.waiters || len(c.Waits) != r.waits || len(c.Holds) != r.holds || len(c.Gaps) != r.gaps || c.Bypass != r.bypass || c.Convoy() != r.convoy || c.Visible != r.visible {
			t.Errorf("%s: %d wait, %d waits, %d holds, %d gaps, bypass %d, convoy %v, visible %v", r.reason, c.Waiters, len(c.Waits), len(c.Holds), len(c.Gaps), c.Bypass, c.Convoy(), c.Visible)
		}
		if d, ok := c.WhatIf(0.5); ok != (r.half != -1) || ok && r.half >= 0 && math.Abs(d.Seconds()-r.half) > 0.001 {
			t.Errorf("%s: held half as long %v (%v), want %g", r.reason, d, ok, r.half)
		}
	}
}

// Of any part of what happened, a replay of it as it was waits as long as it did, or says that
// it cannot tell.
func TestAReplayOfWhatWas(t *testing.T) {
	told := 0
	for seed := range 60 {
		r := rand.New(rand.NewPCG(7, uint64(seed)))
		p, acts := play("/lab/l", crowd(r, 0x100), 1, 20+20*r.Float64())
		s := watched(acts)
		from := p.end * r.Float64() * 0.8
		c := s.Timeline().Contention("/lab/l", modeltest.At(from), modeltest.At(from+(p.end-from)*r.Float64()), byLease)
		same, ok := c.WhatIf(1)
		if !ok {
			continue
		}
		told++
		half, _ := c.WhatIf(0.5)
		if off := (same - c.TotalWait).Abs(); off > c.TotalWait/100+1_000_000 || half > c.TotalWait+c.TotalWait/100+1_000_000 {
			t.Errorf("lab %d: %v was waited, the replay says %v, and %v of half holds", seed, c.TotalWait, same, half)
		}
	}
	if told < 57 {
		t.Errorf("a replay says something of %d of 60 parts", told)
	}
}

// What nobody saw is no measured wait and no measured hold, and it is said how long it was.
func TestContentionOfWhatNobodySaw(t *testing.T) {
	s := handoverInAGap()
	c := s.Timeline().Contention("/lock", modeltest.At(0), modeltest.At(10), byLease)
	if c.Unseen.Seconds() != 4 || len(c.Waits) != 1 || len(c.Holds) != 0 {
		t.Errorf("not seen for %v, want 4s; waits %v, want that of the first alone; holds %v, want none", c.Unseen, c.Waits, c.Holds)
	}
	if c := s.Timeline().Contention("/lock", modeltest.At(1), modeltest.At(4), byLease); c.Unseen != 0 {
		t.Errorf("before the gap: not seen for %v", c.Unseen)
	}
}
