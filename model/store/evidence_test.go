package store

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"locktop/model"
	"locktop/model/modeltest"
	"locktop/model/recipe"
	"locktop/model/status"
	"locktop/model/text"
)

// TestNamesAloneAreNoProof: keys that are named by their lease are a list of members as well as a
// mutex. What tells is what is seen of them.
func TestNamesAloneAreNoProof(t *testing.T) {
	come := func(h *modeltest.History, lock string, value string, n int) {
		for i := range n {
			h.Put(float64(i)/100+1, modeltest.ClaimKey(lock, model.LeaseID(0xa00+i)), value, model.LeaseID(0xa00+i))
		}
	}
	turns := func(h *modeltest.History, lock string, n int) {
		compete(h, lock, 10, 3, 1, n, func(r *rand.Rand) float64 { return 0.8 + 0.4*r.Float64() }, 0.3, 1)
	}
	for _, row := range []struct {
		reason, lock string
		told         func(h *modeltest.History)
		pins         []model.Pin
		confidence   model.Confidence
		state        string
		breaks       bool
		why          string
	}{
		{"a list of members, without values", "/presence", func(h *modeltest.History) { come(h, "/presence", "", 70) }, nil, model.Hint, "a lock?", false, "a list of members, or a semaphore, looks the same"},
		{"with their addresses", "/cluster/members", func(h *modeltest.History) { come(h, "/cluster/members", "host-1", 70) }, nil, model.Hint, "a lock?", false, "looks the same"},
		{"members that go in any order", "/presence", func(h *modeltest.History) {
			come(h, "/presence", "", 20)
			for i := range 8 {
				h.Del(float64(10+i), modeltest.ClaimKey("/presence", model.LeaseID(0xa00+(i*7)%20)))
			}
		}, nil, model.Hint, "a lock?", false, "looks the same"},
		{"a path that speaks of locks", "/locks/orders", func(h *modeltest.History) { come(h, "/locks/orders", "", 3) }, nil, model.Strong, "held", true, "the path speaks of locks or leaders"},
		{"who sees no handover knows it by its path alone", "/locks/orders", func(h *modeltest.History) { come(h, "/locks/orders", "", 3) }, nil, model.Strong, "held", true, "only the path tells it from a list of members"},
		{"those who vote are no leaders", "/election/voters", func(h *modeltest.History) { come(h, "/election/voters", "host-1", 3) }, nil, model.Hint, "a lock?", false, "looks the same"},
		{"nor are those who may become one", "/leader/eligible", func(h *modeltest.History) { come(h, "/leader/eligible", "", 3) }, nil, model.Hint, "a lock?", false, "looks the same"},
		{"a list of leaders", "/game/leaders", func(h *modeltest.History) { come(h, "/game/leaders", "host-1", 3) }, nil, model.Hint, "a lock?", false, "looks the same"},
		{"elections by their names", "/leaders/scheduler", func(h *modeltest.History) { come(h, "/leaders/scheduler", "host-1", 3) }, nil, model.Strong, "held", true, "the path speaks of locks or leaders"},
		{"what is measured of a lock", "/app/lock-metrics", func(h *modeltest.History) { come(h, "/app/lock-metrics", "", 3) }, nil, model.Hint, "a lock?", false, "looks the same"},
		{"some with a value, some without", "/orders", func(h *modeltest.History) {
			come(h, "/orders", "", 3)
			h.Put(2, modeltest.ClaimKey("/orders", 0xa10), "host-1", 0xa10)
		}, nil, model.Hint, "a lock?", false, "looks the same"},
		{"a path that speaks of a semaphore as well", "/locks/semaphore", func(h *modeltest.History) { come(h, "/locks/semaphore", "", 5) }, nil, model.Hint, "a lock?", false, "looks the same"},
		{"keys without a value, and a path that speaks of nothing", "/orders", func(h *modeltest.History) { come(h, "/orders", "", 3) }, nil, model.Hint, "a lock?", false, "looks the same"},
		{"that somebody declared", "/orders", func(h *modeltest.History) { come(h, "/orders", "", 3) }, []model.Pin{{Prefix: "/orders", Recipe: recipe.Mutex}}, model.Certain, "held", true, "pinned with --recipe"},
		{"with values they may say who is there", "/orders", func(h *modeltest.History) { come(h, "/orders", "host-1", 3) }, nil, model.Hint, "a lock?", false, "looks the same"},
		{"they take turns", "/orders", func(h *modeltest.History) { turns(h, "/orders", 40) }, nil, model.Strong, "moving", true, "claims take turns"},
		{"even where the path speaks of permits", "/orders/slots", func(h *modeltest.History) { turns(h, "/orders/slots", 40) }, nil, model.Strong, "moving", true, "claims take turns"},
		{"five might be chance", "/orders", func(h *modeltest.History) { turns(h, "/orders", 5) }, nil, model.Hint, "held", false, "looks the same"},
		{"a client that watches the key ahead of its own", "/orders/slots", func(h *modeltest.History) {
			come(h, "/orders/slots", "", 3)
			h.Add(model.Watches{At: modeltest.At(5), Client: model.Client{Name: "b"}, Key: modeltest.ClaimKey("/orders/slots", 0xa00), On: true})
		}, nil, model.Certain, "held", true, "a client watches the key ahead of its own"},
		{"a program that says so", "/orders/slots", func(h *modeltest.History) {
			come(h, "/orders/slots", "", 3)
			h.Add(model.Contender{At: modeltest.At(5), Name: "b", Lock: "/orders/slots", Recipe: "mutex", Proc: model.ProcRunning})
		}, nil, model.Certain, "held", true, "programs are said to take part"},
		{"somebody who declared how many take part", "/orders/slots", func(h *modeltest.History) { come(h, "/orders/slots", "", 3) }, []model.Pin{{Prefix: "/orders/slots", Expect: 3}}, model.Certain, "held", true, "programs are said to take part"},
	} {
		t.Run(row.reason, func(t *testing.T) {
			h := modeltest.New()
			h.Loaded(0)
			row.told(h)
			s := New(row.pins...)
			s.Apply(model.Batch{Events: h.Events})
			for i := range 70 {
				s.Apply(model.Batch{Events: []model.Event{model.LeaseRead{At: modeltest.At(30), ID: model.LeaseID(0xa00 + i), Granted: 60, Remaining: 55}}})
			}
			l := s.Lock(row.lock)
			state := text.English(status.ConditionOf(s, l).Called())
			if l.RecipeConfidence() != row.confidence || state != row.state || !strings.Contains(fmt.Sprint(append(l.RecipeEvidence(), text.EnglishAll(append(l.Seen(), l.Unsure()))...)), row.why) {
				t.Errorf("%s (%s), %s, want %s, %s: %q", l.Recipe().Name, l.RecipeConfidence(), state, row.confidence, row.state, append(l.RecipeEvidence(), text.EnglishAll(l.Seen())...))
			}
			if c, why := status.ToBreak(l); (c != nil) != row.breaks {
				t.Errorf("is there a holder to break: %v, %s", c != nil, text.English(why))
			}
			for _, f := range s.Findings() {
				if row.confidence == model.Hint && f.Severity != model.SevInfo {
					t.Errorf("found: %s %s: %s", f.Severity, f.Code, text.English(f.Summary))
				}
			}
		})
	}
}

// compete lets programs come and go, n times in all: of each so many hold together, 0 for all of them, each
// for some time, and come again after another.
func compete(h *modeltest.History, lock string, from float64, programs, permits, n int, hold func(*rand.Rand) float64, pause float64, seed uint64) {
	random := rand.New(rand.NewPCG(seed, uint64(permits)))
	type moment struct {
		at    float64
		lease model.LeaseID
		gone  bool
	}
	var all []moment
	var went []float64
	next := make([]float64, programs)
	for i := range next {
		next[i] = from + pause*random.ExpFloat64()
	}
	for i := range n {
		who := slices.Index(next, slices.Min(next))
		came, began := next[who], next[who]
		if permits > 0 && len(went) >= permits {
			began = max(began, slices.Sorted(slices.Values(went))[len(went)-permits])
		}
		went = append(went, began+hold(random))
		next[who] = went[i] + pause*random.ExpFloat64() + 0.002
		id := model.LeaseID(0xa00 + i)
		all = append(all, moment{came, id, false}, moment{went[i], id, true})
	}
	slices.SortFunc(all, func(a, b moment) int { return cmp.Compare(a.at, b.at) })
	last := slices.MaxFunc(all[:2*n], func(a, b moment) int { return cmp.Compare(a.at, b.at) }).lease
	for _, m := range all {
		switch key := modeltest.ClaimKey(lock, m.lease); {
		case !m.gone:
			h.Put(m.at, key, "", m.lease)
		case m.lease != last: // somebody is there at the end
			h.Del(m.at, key)
		}
	}
}

// TestOnlyTurnsAreTurns draws what programs do whose keys look all the same: a mutex shows after some claims,
// and a list of members or a semaphore does not become one.
func TestOnlyTurnsAreTurns(t *testing.T) {
	holds := map[string]func(*rand.Rand) float64{
		"of any length":   func(r *rand.Rand) float64 { return r.ExpFloat64() },
		"about the same":  func(r *rand.Rand) float64 { return 0.5 + r.Float64() },
		"nearly the same": func(r *rand.Rand) float64 { return 1 + 0.01*r.Float64() },
	}
	const draws = 12
	for name, hold := range holds {
		for _, scale := range []float64{0.03, 1, 600} { // seconds
			for permits, want := range map[int]int{0: 0, 1: draws * 6 / 10, 2: 0, 3: 0, 5: 0} {
				strong := 0
				for seed := range uint64(draws) {
					for _, pause := range []float64{0.05, 1.5} {
						h := modeltest.New()
						h.Loaded(0)
						compete(h, "/jobs/a", 1, 3+2*permits, permits, 88, func(r *rand.Rand) float64 { return scale * hold(r) }, scale*pause, seed)
						s := New()
						s.Apply(model.Batch{Events: h.Events})
						if s.Lock("/jobs/a").RecipeConfidence() == model.Strong {
							strong++
						}
					}
				}
				if (want == 0) != (strong == 0) || strong < 2*want {
					t.Errorf("holds %s of %v s, %d together: %d of %d are strong", name, scale, permits, strong, 2*draws)
				}
			}
		}
	}
}

// TestAClaimIsWhatItWas: the name of a claim is that of a lease, whatever sign it has, and whatever
// lease a later put gives it.
func TestAClaimIsWhatItWas(t *testing.T) {
	const other = model.LeaseID(0x694d81e5fc652594)
	for _, row := range []struct {
		reason string
		told   func(h *modeltest.History)
		want   string
	}{
		{"a lease whose id is negative", func(h *modeltest.History) { h.Put(1, "/lock/-12c", "", -0x12c); h.Put(2, "/lock/b", "", 0xb) },
			"/lock mutex strong create_revision: *-12c b<-12c"},
		{"the sign of another number", func(h *modeltest.History) { h.Put(1, "/lock/-12c", "", 0x12c); h.Put(2, "/lock/b", "", 0xb) },
			"/lock mutex strong create_revision: !-12c b<-12c"},
		{"put again on a new lease while we looked", func(h *modeltest.History) {
			h.Put(1, "/lock/a", "", 0xa)
			h.Put(2, "/lock/b", "", 0xb)
			h.Put(3, "/lock/a", "", other)
			h.Put(4, "/lock/a", "", other)
		}, "/lock mutex strong create_revision: *a b<a"},
		{"put again without one it is stuck", func(h *modeltest.History) {
			h.Put(1, "/lock/694d81e5fc652594", "", other)
			h.Put(2, "/lock/b", "", 0xb)
			h.Put(3, "/lock/694d81e5fc652594", "", 0)
		}, "/lock mutex strong create_revision: *694d81e5fc652594 b<694d81e5fc652594"},
		{"another key of that name is another key", func(h *modeltest.History) {
			h.Put(1, "/lock/a", "", 0xa)
			h.Del(2, "/lock/a")
			h.Put(2, "/lock/a", "", other)
			h.Put(3, "/lock/b", "", 0xb)
		}, "/lock mutex strong create_revision: !a b<a"},
	} {
		t.Run(row.reason, func(t *testing.T) {
			h := modeltest.New()
			h.Loaded(0)
			row.told(h)
			s := New()
			s.Apply(model.Batch{Events: h.Events})
			if got := shown(s.Lock("/lock")); got != row.want {
				t.Errorf("%s, want %s", got, row.want)
			}
		})
	}
}

// TestWhatBlocksWithALeaseMayGo: a key that is not known as a claim may be one, and goes with its lease.
func TestWhatBlocksWithALeaseMayGo(t *testing.T) {
	for _, row := range []struct {
		reason, key string
		lease       model.LeaseID
		sure        model.Confidence
		says, moves string
	}{
		{"data that never expires", "/lock/setting", 0, model.Certain, "is not a lock key", "will not clear by itself"},
		{"a key with a lease", "/lock/setting", 0xc, model.Strong, "is not named by its lease", "the key that blocks it goes"},
		{"a claim, perhaps, that was put again on another lease before we looked", "/lock/694d81e5fc652594", 0xc, model.Hint, "is not named by its lease", "the key that blocks it goes"},
	} {
		t.Run(row.reason, func(t *testing.T) {
			h := modeltest.New()
			h.Loaded(0)
			h.Put(1, row.key, "x", row.lease)
			h.Put(2, "/lock/b", "", 0xb)
			s := New()
			s.Apply(model.Batch{Events: h.Events})
			found := s.FindingsOf(s.Lock("/lock"))
			if len(found) != 1 || found[0].Code != model.CodeForeignKey || found[0].Confidence != row.sure || !strings.Contains(text.English(found[0].Summary), row.says) {
				t.Errorf("found %+v, want %s, %q", found, row.sure, row.says)
			}
			if got := text.English(status.NextMove(s, s.Lock("/lock"), s.Now()).When); !strings.Contains(got, row.moves) {
				t.Errorf("it moves when %q, want %q", got, row.moves)
			}
		})
	}
}

// TestALockThatIsFreeKeepsWhatWasSeenOfIt: its recipe is no guess again because nobody holds now.
func TestALockThatIsFreeKeepsWhatWasSeenOfIt(t *testing.T) {
	for _, r := range []struct {
		reason string
		told   []model.Event
		want   string
	}{
		{"a program said that it takes part", []model.Event{model.Contender{At: modeltest.At(1), Name: "b", Lock: "/orders", Recipe: "mutex", Proc: model.ProcRunning}}, "mutex"},
		{"nobody did", nil, "mutex?"},
	} {
		h := modeltest.New()
		h.Loaded(0)
		h.Put(1, modeltest.ClaimKey("/orders", 0xa1), "", 0xa1)
		h.Events = append(h.Events, r.told...)
		h.Del(2, modeltest.ClaimKey("/orders", 0xa1))
		s := New()
		s.Apply(model.Batch{Events: h.Events})
		if got := s.Lock("/orders").RecipeLabel(); got != r.want {
			t.Errorf("%s: %s, want %s", r.reason, got, r.want)
		}
	}
}
