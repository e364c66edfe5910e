package session

import (
	"context"
	"errors"
	"io"
	"strings"
	"testing"
	"time"

	"locktop/model"
	"locktop/model/journal"
)

// list is what a watcher delivers of an empty prefix.
func list(prefix string) []model.Event {
	at := time.Unix(1, 0)
	return []model.Event{model.Requested{At: at, Prefixes: []string{prefix}}, model.LoadStarted{At: at, Prefix: prefix, Rev: 5},
		model.Loaded{At: at, Prefix: prefix, Rev: 5}, model.Watching{At: at, Prefix: prefix, Rev: 5}}
}

func batch(events ...model.Event) model.Batch { return model.Batch{Events: events} }

// ends is a source of some batches and an error.
type ends struct {
	batches []model.Batch
	err     error
}

func (e *ends) Next(context.Context, model.Want) (model.Batch, error) {
	if len(e.batches) == 0 {
		return model.Batch{}, e.err
	}
	b := e.batches[0]
	e.batches = e.batches[1:]
	return b, nil
}

// TestHowAPullEnds: after the batches the source says nothing, unless it has an error.
func TestHowAPullEnds(t *testing.T) {
	lost := func(prefix string, detail model.Message) model.Event {
		return model.Lost{At: time.Unix(2, 0), Prefix: prefix, Reason: model.LostDisconnect, Detail: detail}
	}
	broken := errors.New("broken")
	for _, row := range []struct {
		reason  string
		batches []model.Batch
		err     error // of the source
		pull    Pull
		one     bool // it has to be one cluster
		want    string
		code2   bool // it could not look
	}{
		{reason: "until a condition", batches: []model.Batch{batch(list("/a/")...)}, pull: Pull{}},
		{reason: "the time is over", pull: Pull{Until: never, For: time.Millisecond}},
		{reason: "the time is over sooner than the patience", pull: Pull{Until: never, For: time.Millisecond, Patience: time.Minute}},
		{reason: "nothing comes", pull: Pull{Until: never, Patience: time.Millisecond}, want: "here did not answer within 1ms (--command-timeout)", code2: true},
		{reason: "nothing comes any more", batches: []model.Batch{batch(list("/a/")...)}, pull: Pull{Until: never, Patience: 20 * time.Millisecond},
			want: "here did not answer within 20ms (--command-timeout)", code2: true},
		{reason: "the source is spent", err: broken, pull: Pull{Until: never}, want: "looking at here: broken", code2: true},
		{reason: "the recording is over", err: io.EOF, pull: Pull{Until: never}},
		{reason: "a prefix cannot be listed", batches: []model.Batch{batch(lost("/a/", model.Say("cannot", model.Say("to-list"), model.KeysOf("/a/"), model.Say("quote", "no permission on m1"))))}, pull: Pull{Until: never, Listing: true},
			want: `cannot list "/a/": no permission on m1`, code2: true},
		{reason: "nobody tries again once it has ended", batches: []model.Batch{batch(lost("", model.TryingAgain(model.Say("quote", "the stream broke"))))}, pull: Pull{Until: never, Listing: true},
			want: "cannot list all keys: the stream broke", code2: true},
		{reason: "a prefix is lost, and that is no reason to end", batches: []model.Batch{batch(lost("/a/", model.Say("quote", "x")))}, pull: Pull{Until: never, For: 20 * time.Millisecond}},
		{reason: "another cluster answers", batches: []model.Batch{batch(list("/a/")...),
			batch(model.Lost{At: time.Unix(2, 0), Prefix: "/a/", Reason: model.LostCluster, Detail: model.ListingAnew(model.Say("quote", "cluster 2 answers"))})},
			pull: Pull{Until: never}, one: true, want: "this was not a look at one cluster: cluster 2 answers", code2: true},
		{reason: "another cluster answers, and that may be", batches: []model.Batch{batch(list("/a/")...),
			batch(model.Lost{At: time.Unix(2, 0), Prefix: "/a/", Reason: model.LostCluster, Detail: model.ListingAnew(model.Say("quote", "cluster 2 answers"))})},
			pull: Pull{Until: never, For: 20 * time.Millisecond}},
	} {
		t.Run(row.reason, func(t *testing.T) {
			var src model.Source = &ends{row.batches, row.err}
			if row.err == nil {
				quiet := newScript()
				for _, b := range row.batches {
					quiet.batches <- b
				}
				src = quiet
			}
			s := New(src)
			s.Name, s.OneCluster = "here", row.one
			if row.pull.Until == nil {
				row.pull.Until = s.State.Coverage().Loaded
			} else {
				row.pull.Want = func() model.Want { return model.Want{} }
			}
			err := s.Pull(within(t), row.pull)
			if err == nil && row.want != "" || err != nil && err.Error() != row.want {
				t.Errorf("%v, want %q", err, row.want)
			}
			if errors.As(err, new(CouldNotLook)) != row.code2 {
				t.Errorf("%v: it could not look: %v, want %v", err, !row.code2, row.code2)
			}
		})
	}
}

func never() bool { return false }

func TestAContextThatEndsIsAnErrorOfAPullAndNoneOfFollowing(t *testing.T) {
	for _, src := range []model.Source{newScript(), &endless{}} { // one says nothing, the other never stops
		ctx, cancel := context.WithTimeout(t.Context(), time.Millisecond)
		s := New(src)
		if err := s.Pull(ctx, Pull{}); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("%T: a pull ended with %v", src, err)
		}
		if err := s.Follow(ctx, 0); err != nil {
			t.Errorf("%T: following ended with %v", src, err)
		}
		cancel()
		if err := s.Follow(t.Context(), time.Millisecond); err != nil {
			t.Errorf("%T: following for a while ended with %v", src, err)
		}
	}
}

// endless has something whenever it is asked, even once the context has ended.
type endless struct{}

func (*endless) Next(context.Context, model.Want) (model.Batch, error) { return tick(1), nil }

func TestConfirmIsAskedOnce(t *testing.T) {
	src := newScript()
	src.batches <- tick(1)
	src.batches <- tick(2)
	close(src.batches)
	if err := New(src).Pull(within(t), Pull{Confirm: true}); !errors.Is(err, errSpent) {
		t.Fatal(err)
	}
	close(src.wants)
	var asked []bool
	for want := range src.wants {
		asked = append(asked, want.Confirm)
	}
	if len(asked) != 3 || !asked[0] || asked[1] || asked[2] {
		t.Errorf("asked to confirm in calls %v, want the first of three alone", asked)
	}
}

// TestEntriesAreToldInOrderOnceTheyAreSettled: the cause of the first is not known until
// the lease was read, or the source has ended.
func TestEntriesAreToldInOrderOnceTheyAreSettled(t *testing.T) {
	at := func(sec int64) time.Time { return time.Unix(sec, 0) }
	kv := func(lease model.LeaseID, rev int64) model.KV {
		return model.KV{Key: "/l/" + lease.String(), CreateRev: rev, ModRev: rev, Version: 1, Lease: lease}
	}
	begin := batch(model.Requested{At: at(1)}, model.Requested{At: at(1), Prefixes: []string{""}}, model.LoadStarted{At: at(1), Rev: 5},
		model.Listed{At: at(1), Rev: 5, KVs: []model.KV{kv(0x1f, 2), kv(0x2f, 3)}, Done: 2, Total: 2}, model.Loaded{At: at(1), Rev: 5}, model.Watching{At: at(1), Rev: 5})
	handover := batch(model.Committed{At: at(2), Rev: 6, Changes: []model.Change{{Deleted: true, KV: model.KV{Key: "/l/1f", ModRev: 6}}}})
	told := func(rest ...model.Batch) (sentences []string) {
		s := New(&ends{append([]model.Batch{begin, handover}, rest...), io.EOF})
		var last uint64
		s.OnEntry = func(f *journal.Entry) error {
			if f.Seq <= last {
				t.Errorf("entry %d is told behind %d", f.Seq, last)
			}
			last = f.Seq
			sentences = append(sentences, f.Sentence(s.State.Who))
			return nil
		}
		if err := s.Pull(within(t), Pull{}); err != nil {
			t.Fatal(err)
		}
		return sentences
	}
	alone := New(&ends{[]model.Batch{begin, handover}, errSpent})
	n := 0
	alone.OnEntry = func(*journal.Entry) error { n++; return nil }
	if err := alone.Pull(within(t), Pull{}); !errors.Is(err, errSpent) || n != 0 {
		t.Errorf("%v: %d entries are told before their cause is known", err, n)
	}
	if got := told(); len(got) == 0 {
		t.Error("the recording is over, and the last entry is not told")
	}
	settled := told(batch(model.LeaseRead{At: at(3), ID: 0x1f, Granted: 60, Remaining: 30, Rev: 6}))
	if len(settled) == 0 || !strings.Contains(strings.Join(settled, "\n"), "released") {
		t.Errorf("told %q, want a release: the lease lives on", settled)
	}
}

func TestAHookEndsThePull(t *testing.T) {
	full := errors.New("full")
	s := New(&endless{})
	n := 0
	s.OnBatch = func(model.Batch) error {
		if n++; n == 3 {
			return full
		}
		return nil
	}
	if err := s.Follow(within(t), 0); !errors.Is(err, full) || n != 3 {
		t.Errorf("%v after %d batches", err, n)
	}
}

func TestATapSeesWhatPasses(t *testing.T) {
	src := newScript()
	src.batches <- tick(7)
	close(src.batches)
	var seen []model.Batch
	var last error
	tap := Tap(src, func(b model.Batch, err error) { seen, last = append(seen, b), err })
	s := New(tap)
	if err := s.Pull(within(t), Pull{}); !errors.Is(err, errSpent) || !errors.Is(last, errSpent) || len(seen) != 2 || !s.State.Now().Equal(time.Unix(7, 0)) {
		t.Errorf("%v, seen %v and %v", err, seen, last)
	}
}
