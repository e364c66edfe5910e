package queue

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"locktop/model"
)

// commit is a revision with n changes, named after what.
func commit(rev int64, what string, n int) model.Committed {
	c := model.Committed{Rev: rev}
	for i := range n {
		c.Changes = append(c.Changes, model.Change{KV: model.KV{Key: fmt.Sprint(what, i)}})
	}
	return c
}

// plenty is more than a queue of these tests holds.
const plenty = 4_000

func TestWholeRevisionsAreTaken(t *testing.T) {
	b := New(100, nil)
	for i, n := range []int{5, 6, 30, 1} {
		if err := b.Push(context.Background(), commit(int64(i), "k", n)); err != nil {
			t.Fatal(err)
		}
	}
	for _, row := range []struct {
		reason         string
		events, behind int
	}{
		{"5 fit in 10, 5+6 do not", 1, 3},
		{"6 alone", 1, 2},
		{"30 are more than 10 and come whole", 1, 1},
		{"the rest", 1, 0},
		{"nothing is left", 0, 0},
	} {
		events, left := b.Take(10)
		if len(events) != row.events || left != row.behind {
			t.Errorf("%s: %d events, %d left", row.reason, len(events), left)
		}
	}
}

func TestAQueueIsBounded(t *testing.T) {
	b := New(10, nil)
	ctx, cancel := context.WithCancel(context.Background())
	if err := b.Push(ctx, commit(1, "k", 50)); err != nil {
		t.Fatalf("a large revision has to get in when the box is empty: %v", err)
	}
	done := make(chan error, 1)
	go func() { done <- b.Push(ctx, commit(2, "k", 1)) }()
	cancel()
	if err := <-done; !errors.Is(err, context.Canceled) {
		t.Errorf("push into a full box: %v", err)
	}
	go func() { done <- b.Push(context.Background(), commit(3, "k", 1)) }()
	for range 2 {
		if _, err := b.Await(t.Context(), nil); err != nil {
			t.Fatal(err)
		}
		if events, _ := b.Take(1); len(events) != 1 {
			t.Fatalf("%d events", len(events))
		}
	}
	if err := <-done; err != nil {
		t.Errorf("push: %v", err)
	}
}

// A full queue lets readings go that were overtaken, before it has anybody wait: nothing else.
func TestAFullQueueLetsOvertakenReadingsGo(t *testing.T) {
	b := New(6, nil)
	ctx := context.Background()
	for _, e := range []model.Event{
		model.Watching{Prefix: "a", Rev: 1}, model.ClusterStatus{ClusterID: 1}, commit(2, "k", 1),
		model.Watching{Prefix: "b", Rev: 2}, model.ClusterStatus{ClusterID: 2}, model.Watching{Prefix: "a", Rev: 3},
	} {
		if err := b.Push(ctx, e); err != nil {
			t.Fatal(err)
		}
	}
	if weight, _, _ := b.State(false); weight != 6 {
		t.Errorf("something went before it was full: it weighs %d", weight)
	}
	if err := b.Push(ctx, commit(4, "k", 2)); err != nil {
		t.Fatal(err)
	}
	got, left := b.Take(100)
	want := []model.Event{commit(2, "k", 1), model.Watching{Prefix: "b", Rev: 2},
		model.ClusterStatus{ClusterID: 2}, model.Watching{Prefix: "a", Rev: 3}, commit(4, "k", 2)}
	if d := cmp.Diff(want, got); d != "" || left != 0 {
		t.Error(d, left)
	}
	if weight, urgent, _ := b.State(false); weight != 0 || urgent {
		t.Errorf("an empty queue weighs %d, urgent: %v", weight, urgent)
	}
}

func TestWhoCollectsIsWokenForWhatHeWaitsFor(t *testing.T) {
	for _, row := range []struct {
		reason        string
		there, pushed model.Event
		collecting    bool
		wakes         bool
	}{
		{"who waits for anything is woken", nil, model.LeaseRead{ID: 1}, false, true},
		{"the first that happened ends the wait for readings", model.LeaseRead{ID: 1}, commit(2, "k", 1), true, true},
		{"another reading may be the last that is wanted", model.LeaseRead{ID: 1}, model.LeaseRead{ID: 2}, true, true},
		{"another change is one more: under load there are hundreds in a second", commit(2, "k", 1), commit(3, "k", 1), true, false},
		{"it is enough for a batch", commit(2, "k", 1), commit(3, "k", BatchMax), true, true},
		{"a part of a list is returned at once", commit(2, "k", 1), model.Listed{}, true, true},
	} {
		b := New(2*BatchMax, nil)
		if row.there != nil {
			_ = b.Push(context.Background(), row.there)
			<-b.ready
		}
		b.State(row.collecting)
		_ = b.Push(context.Background(), row.pushed)
		if wakes := len(b.ready) > 0; wakes != row.wakes {
			t.Errorf("wakes: %v, want %v: %s", wakes, row.wakes, row.reason)
		}
		b.State(row.collecting)
		b.Close()
		if len(b.ready) == 0 {
			t.Errorf("the end wakes nobody: %s", row.reason)
		}
	}
}

func TestNextCollectsWhatComesTogether(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := New(plenty, time.Now)
		never := model.Want{}
		begun := time.Now()
		go func() {
			time.Sleep(time.Second)
			b.Add(model.FaultOn{ID: 1})
			time.Sleep(drainFor / 2)
			b.Add(model.FaultOff{ID: 1})
		}()
		got, err := b.Next(t.Context(), never)
		want := []model.Event{model.FaultOn{ID: 1}, model.FaultOff{ID: 1}}
		if diff := cmp.Diff(want, got.Events); diff != "" || err != nil {
			t.Errorf("what comes within the window is one batch (%v): -want +got\n%s", err, diff)
		}
		if took := time.Since(begun); took != time.Second+drainFor {
			t.Errorf("it took %v", took)
		}

		due := time.Now().Add(time.Minute)
		got, err = b.Next(t.Context(), model.Want{WakeAt: due})
		if diff := cmp.Diff([]model.Event{model.Tick{At: due}}, got.Events); diff != "" || err != nil {
			t.Errorf("nothing but time (%v): -want +got\n%s", err, diff)
		}

		b.Add(model.FaultOn{ID: 2})
		ctx, cancel := context.WithTimeout(t.Context(), drainFor/2)
		defer cancel()
		if _, err := b.Next(ctx, never); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("cancelled: %v", err)
		}
		b.Close()
		got, err = b.Next(t.Context(), never)
		if diff := cmp.Diff([]model.Event{model.FaultOn{ID: 2}}, got.Events); diff != "" || err != nil {
			t.Errorf("a cancelled call consumes nothing (%v): -want +got\n%s", err, diff)
		}
		for range 2 {
			if _, err := b.Next(t.Context(), never); !errors.Is(err, ErrClosed) {
				t.Errorf("spent: %v", err)
			}
		}
	})
}

func TestBatchesAreBounded(t *testing.T) {
	b := New(plenty, time.Now)
	for i := range BatchMax + 10 {
		b.Add(model.Acted{Outcome: model.Outcome{Rev: int64(i)}})
	}
	first, err := b.Next(t.Context(), model.Want{})
	if err != nil || len(first.Events) != BatchMax || first.Cost.Behind != 10 {
		t.Errorf("%d events, %d behind, %v", len(first.Events), first.Cost.Behind, err)
	}
	if rest, err := b.Next(t.Context(), model.Want{}); err != nil || len(rest.Events) != 10 {
		t.Errorf("%d events, %v", len(rest.Events), err)
	}
}

func TestReportsThatNobodyReadsAreBounded(t *testing.T) {
	b := New(plenty, time.Now)
	const faults = 50
	for i := range 20 * plenty {
		b.Add(model.Belief{Contender: fmt.Sprint("c", i%7), Text: fmt.Sprint(i)})
		b.Add(model.LeaseOwner{Lease: model.LeaseID(i + 1)})
		b.Add(model.Wrote{Rev: int64(i)})
		if i%(20*plenty/faults) == 0 {
			b.Add(model.FaultOn{ID: i})
		}
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if len(b.events) > plenty {
		t.Errorf("%d events wait", len(b.events))
	}
	kept := 0
	last := map[string]string{}
	for _, e := range b.events {
		switch e := e.(type) {
		case model.FaultOn:
			kept++
		case model.Belief:
			last[e.Contender] = e.Text
		}
	}
	if kept != faults || len(last) != 7 || last[fmt.Sprint("c", (20*plenty-1)%7)] != fmt.Sprint(20*plenty-1) {
		t.Errorf("%d of %d faults, beliefs %v", kept, faults, last)
	}
}

// What goes once a queue is full to whose end nobody waits.
func TestWhatMakesRoom(t *testing.T) {
	c := model.Client{Name: "c1", Certain: true}
	belief := func(lock, text string) model.Event {
		return model.Belief{Contender: "c1", Lock: lock, Text: text}
	}
	proc := func(who, ended string) model.Event { return model.Contender{Name: who, Ended: ended} }
	lease := func(id model.LeaseID, member string) model.Event {
		return model.LeaseOwner{Lease: id, Client: c, Member: member}
	}
	conn := func(peer string, on bool) model.Event { return model.Connected{Client: c, Peer: peer, On: on} }
	watch := func(key string, on bool) model.Event { return model.Watches{Client: c, Key: key, On: on} }
	wrote := func(rev int64) model.Event { return model.Wrote{Client: c, Key: "k", Rev: rev} }
	on, off := model.FaultOn{ID: 1}, model.FaultOff{ID: 1}
	tests := []struct {
		in, want []model.Event
		limit    int
		reason   string
	}{
		{in: []model.Event{belief("a", "old"), belief("b", "only"), on, belief("a", "new"), off},
			want: []model.Event{belief("b", "only"), on, belief("a", "new"), off}, limit: 100,
			reason: "the latest belief of each lock stays, in its place"},
		{in: []model.Event{proc("c1", ""), proc("c2", ""), proc("c1", "killed")},
			want: []model.Event{proc("c1", ""), proc("c2", ""), proc("c1", "killed")}, limit: 100,
			reason: "that a program began and ended is told both"},
		{in: []model.Event{lease(1, "m1"), lease(2, "m1"), lease(1, "m2")},
			want: []model.Event{lease(2, "m1"), lease(1, "m2")}, limit: 100,
			reason: "the latest of each lease and client"},
		{in: []model.Event{conn("p1", true), conn("p2", true), conn("p1", false), watch("k", true), watch("j", true), watch("k", false)},
			want: []model.Event{conn("p2", true), conn("p1", false), watch("j", true), watch("k", false)}, limit: 100,
			reason: "the latest of each connection and watch"},
		{in: []model.Event{wrote(1), model.Access{}, model.Refused{}, wrote(2), model.Access{}, model.Acted{}, model.Acted{}},
			want:  []model.Event{wrote(1), model.Access{}, model.Refused{}, wrote(2), model.Access{}, model.Acted{}, model.Acted{}},
			limit: 100, reason: "what was done is never about the same"},
		{in: []model.Event{wrote(1), on, lease(1, "m1"), wrote(2), belief("a", "")},
			want: []model.Event{on, wrote(2), belief("a", "")}, limit: 3,
			reason: "too many: the oldest evidence goes"},
		{in: []model.Event{wrote(1), on, off, proc("c1", ""), belief("a", ""), model.Acted{}},
			want: []model.Event{on, off, proc("c1", ""), belief("a", ""), model.Acted{}}, limit: 1,
			reason: "nothing but evidence goes, whatever the limit"},
	}
	for _, tt := range tests {
		b := New(len(tt.in), nil)
		for _, e := range tt.in {
			b.Add(e)
		}
		b.mu.Lock()
		if !b.makeRoom() {
			t.Errorf("%s: a full queue makes no room", tt.reason)
		}
		b.dropEvidence(b.weight - tt.limit)
		b.mu.Unlock()
		got, _ := b.Take(100)
		if diff := cmp.Diff(tt.want, got); diff != "" {
			t.Errorf("%s: -want +got\n%s", tt.reason, diff)
		}
	}
}
