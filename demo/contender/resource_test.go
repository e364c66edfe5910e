package contender

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"locktop/chaos/drill"
	"locktop/demo/etcdtest"
	"locktop/demo/labtest"
	"locktop/demo/process"
	"locktop/demo/resource"
	"locktop/model"
)

// newResource starts a resource that ends with the test.
func newResource(t *testing.T, o resource.Options) *resource.Resource {
	t.Helper()
	r, err := resource.New(o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := r.Close(); err != nil {
			t.Error(err)
		}
	})
	return r
}

func TestFence(t *testing.T) {
	tests := []struct {
		fence    drill.Fence
		accesses string // r or w and the token; ! after it: refused
		reason   string
	}{
		{drill.FenceNone, "w5 w3 r1 r0", "no fence"},
		{"", "w5 w3", "the zero value is no fence"},
		{drill.FenceWrites, "w5 w3! r3 w5 w6 w5!", "old writers are refused"},
		{drill.FenceWrites, "r9 w5", "a read is not fenced and raises nothing"},
		{drill.FenceAll, "r9 w5! r5! w9 r9", "a read raises too"},
		{drill.FenceAll, "r5 r3! w4! w5", "a refused token raises nothing"},
		{drill.FenceAll, "r0 w1 r0!", "no token is the oldest token"},
	}
	for _, tt := range tests {
		t.Run(tt.reason, func(t *testing.T) {
			var reports []model.Access
			res := newResource(t, resource.Options{Fence: tt.fence, Now: func() time.Time { return time.Unix(7, 0) },
				Report: func(e model.Event) { reports = append(reports, e.(model.Access)) }})
			refused := 0
			for _, word := range strings.Fields(tt.accesses) {
				op, want := strings.CutSuffix(word, "!")
				a := resource.Access{Contender: "c", Lock: "/l", Write: op[0] == 'w'}
				if _, err := fmt.Sscan(op[1:], &a.Token); err != nil {
					t.Fatal(err)
				}
				got := res.Access(a)
				last := reports[len(reports)-1]
				if got.Accepted == want || last.Accepted != got.Accepted || last.Highest != got.Highest || last.Token != a.Token || last.Write != a.Write {
					t.Errorf("%s of %s: %+v, reported %+v", word, tt.accesses, got, last)
				}
				if want {
					refused++
				}
			}
			if _, _, n := res.Counts("/l"); n != refused {
				t.Errorf("%d are counted as refused, %d were", n, refused)
			}
		})
	}
}

// A reads and is paused; B has the lock by then, and reads; A writes; B writes. Only
// a fence that reads have to pass too keeps the update of A, by refusing it.
func TestPausedReader(t *testing.T) {
	tests := []struct {
		fence                drill.Fence
		acked, lost, refused int
		reason               string
	}{
		{drill.FenceNone, 2, 1, 0, "B overwrites what A wrote"},
		{drill.FenceWrites, 2, 1, 0, "A's token was still the highest that was written with"},
		{drill.FenceAll, 1, 0, 1, "B's read has raised the fence"},
	}
	for _, tt := range tests {
		t.Run(string(tt.fence), func(t *testing.T) {
			var mu sync.Mutex
			var last model.Access
			res := newResource(t, resource.Options{Fence: tt.fence, Report: func(e model.Event) {
				mu.Lock()
				defer mu.Unlock()
				last = e.(model.Access)
			}})
			g := newGuard(res.Addr())
			a, err := g.read(t.Context(), "a", hold{"/l", claim{token: 10}})
			if err != nil {
				t.Fatal(err)
			}
			b, err := g.read(t.Context(), "b", hold{"/l", claim{token: 11}})
			if err != nil {
				t.Fatal(err)
			}
			if err := g.write(t.Context(), "a", a); (err != nil) != (tt.refused > 0) {
				t.Errorf("a writes: %v", err)
			}
			if err := g.write(t.Context(), "b", b); err != nil {
				t.Errorf("b writes: %v", err)
			}
			acked, lost, refused := res.Counts("/l")
			if acked != tt.acked || lost != tt.lost || refused != tt.refused || len(res.Lost("/l")) != tt.lost {
				t.Errorf("%s: %d acked, %d lost, %d refused", tt.reason, acked, lost, refused)
			}
			mu.Lock()
			defer mu.Unlock()
			if last.Acked != tt.acked || last.Lost != tt.lost || last.Contender != "b" {
				t.Errorf("reported %+v", last)
			}
		})
	}
}

func TestResourceRefusesNonsense(t *testing.T) {
	if _, err := resource.New(resource.Options{Fence: "barbed wire"}); err == nil {
		t.Error("an unknown fence was accepted")
	}
	res := newResource(t, resource.Options{})
	tests := []struct{ body, reason string }{
		{"", "nothing"},
		{"hello", "no JSON"},
		{`{"lock":"/l"}`, "nobody"},
		{`{"contender":"c"}`, "no lock"},
		{`{"contender":"` + strings.Repeat("x", resource.MaxAccess) + `"}`, "too long"},
		{`{"contender":"c","lock":"/l","write":true,"set":[0` + strings.Repeat(",0", resource.MaxElements) + `]}`, "too many"},
	}
	client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	for _, tt := range tests {
		resp, err := client.Post("http://"+res.Addr()+resource.AccessPath, "application/json", strings.NewReader(tt.body))
		if err != nil {
			t.Fatal(err)
		}
		resp.Body.Close()
		if resp.StatusCode != http.StatusBadRequest {
			t.Errorf("%s: %s", tt.reason, resp.Status)
		}
	}
	if acked, lost, refused := res.Counts("/l"); acked+lost+refused != 0 {
		t.Error("it counted nonsense")
	}
}

// Under the lock no update is lost, and each access carries the token of the claim.
func TestContendersKeepTheResource(t *testing.T) {
	endpoint, _ := oneEtcd(t)
	var mu sync.Mutex
	var reports []model.Access
	res := newResource(t, resource.Options{Fence: drill.FenceAll, Report: func(e model.Event) {
		mu.Lock()
		defer mu.Unlock()
		reports = append(reports, e.(model.Access))
	}})
	h := &heard{t: t}
	for i, name := range []string{"a", "b", "c"} {
		r := contendWith(t, h, Options{Name: name, Locks: []string{"/l"}, Recipe: RecipeMutex,
			Endpoints: []string{endpoint}, Rounds: 3, Resource: res.Addr(), Hold: time.Millisecond, Full: true,
			Seed: uint64(i)})
		defer func() { <-r.ended }()
	}
	labtest.Eventually(t, "nine updates", func() bool { acked, _, _ := res.Counts("/l"); return acked == 9 })
	if _, lost, refused := res.Counts("/l"); lost != 0 || refused != 0 {
		t.Errorf("%d lost, %d refused", lost, refused)
	}
	mu.Lock()
	defer mu.Unlock()
	tokens := func(a model.Access) int64 { return a.Token }
	if len(reports) != 18 || !slices.IsSortedFunc(reports, func(a, b model.Access) int { return int(tokens(a) - tokens(b)) }) || tokens(reports[0]) == 0 {
		t.Errorf("%+v", reports)
	}
}

// An unreachable resource is said and does not end a turn.
func TestContenderWithoutResource(t *testing.T) {
	endpoint, _ := oneEtcd(t)
	nobody := etcdtest.Nobody(t)
	h := &heard{t: t}
	r := contendWith(t, h, Options{Name: "c", Locks: []string{"/l"}, Recipe: RecipeMutex,
		Endpoints: []string{endpoint}, Rounds: 1, Resource: nobody})
	if b := h.saying(0, "read the resource"); b.State != model.BeliefHolding || !strings.Contains(b.Text, nobody) {
		t.Errorf("%+v", b)
	}
	if !process.Wait(r.ended, labtest.Patience) {
		t.Error("its round is over")
	}
}
