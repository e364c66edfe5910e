package cli

import (
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"locktop/model"
	"locktop/model/modeltest"
	"locktop/model/store"
	"locktop/ui/fields"
)

// anyQueues are some locks for which many wait, in no order that anybody chose: some give up,
// some die with their lease, and some are there when it ends.
func anyQueues(seed uint64) *modeltest.History {
	r := rand.New(rand.NewPCG(seed, 1))
	h := modeltest.New()
	h.Loaded(0)
	there := map[string][]string{}
	at := 0.0
	for i := range 400 {
		at += r.ExpFloat64() / 3
		lock := fmt.Sprintf("/jobs/%d", r.IntN(3))
		if queue := there[lock]; len(queue) > 0 && (len(queue) > 4 || r.IntN(2) == 0) {
			gone := 0
			if r.IntN(4) == 0 {
				gone = r.IntN(len(queue)) // it gives up, mostly
			}
			h.Del(at, queue[gone])
			there[lock] = append(queue[:gone:gone], queue[gone+1:]...)
			continue
		}
		lease := model.LeaseID(0xa000 + i)
		h.Put(at, modeltest.ClaimKey(lock, lease), "", lease)
		there[lock] = append(there[lock], modeltest.ClaimKey(lock, lease))
	}
	h.Add(model.Watching{At: modeltest.At(at + 1), Rev: h.Rev})
	return h
}

// sum is what a lock was waited for and held, in seconds.
type sum struct{ waited, held float64 }

// TestAllSayTheSameSums: of one recording report, the trace for Perfetto, top and the console
// say the same of each lock, to the millisecond.
func TestAllSayTheSameSums(t *testing.T) {
	home(t, "")
	for seed := range uint64(5) {
		h := anyQueues(seed)
		name := stored(t, h.Events...)
		say := func(args ...string) (out string) {
			t.Helper()
			code, out, errs := inProcess(t, nil, append(args, "--recording", name)...)
			if code != exitOK {
				t.Fatalf("%v: exit %d: %s", args, code, errs)
			}
			return out
		}
		said := map[string]map[string]sum{"report": {}, "Perfetto": {}, "top": {}, "console": {}}
		var list struct {
			Locks []struct {
				Name  string
				Total float64 `json:"total_wait"`
				Hold  float64 `json:"total_hold"`
			}
		}
		read := func(text string, into any) {
			t.Helper()
			if err := json.Unmarshal([]byte(text), into); err != nil {
				t.Fatalf("%v: %s", err, text)
			}
		}
		read(say("report", "-o", "json"), &list)
		for _, l := range list.Locks {
			said["report"][l.Name] = sum{l.Total, l.Hold}
		}
		var trace struct {
			TraceEvents []struct {
				Name, Ph string
				Pid      int
				Dur      float64
				Args     struct{ Name string }
			}
		}
		read(say("report", "-o", "perfetto"), &trace)
		locks := map[int]string{}
		for _, e := range trace.TraceEvents {
			if e.Name == "process_name" {
				locks[e.Pid] = e.Args.Name
			}
		}
		for _, e := range trace.TraceEvents {
			if s := said["Perfetto"][locks[e.Pid]]; e.Ph == "X" {
				if e.Name == "waits" {
					s.waited += e.Dur / 1e6
				} else {
					s.held += e.Dur / 1e6
				}
				said["Perfetto"][locks[e.Pid]] = s
			}
		}
		list.Locks = nil
		read(say("top", "-o", "json"), &list)
		for _, l := range list.Locks {
			said["top"][l.Name] = sum{l.Total, l.Hold}
		}
		s := store.New()
		s.Apply(model.Batch{Events: h.Events})
		for _, l := range s.Locks() {
			c := s.Timeline().Contention(l.Name, modeltest.At(0), s.Now(), fields.Contender(s.View)) // what its pages print
			said["console"][l.Name] = sum{c.TotalWait.Seconds(), c.TotalHold.Seconds()}
		}
		if len(said["report"]) != 3 {
			t.Fatalf("seed %d: %v", seed, said)
		}
		for lock, want := range said["report"] {
			if want.waited < 1 || want.held < 1 {
				t.Errorf("seed %d: nothing happened at %s: %v", seed, lock, want)
			}
			for who, of := range said {
				got, ms := of[lock], float64(time.Millisecond)/float64(time.Second)
				if math.Abs(got.waited-want.waited) >= ms || math.Abs(got.held-want.held) >= ms {
					t.Errorf("seed %d, %s: %s says %v, the report %v", seed, lock, who, got, want)
				}
			}
		}
	}
}
