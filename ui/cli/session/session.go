package session

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"locktop/model"
	"locktop/model/journal"
	"locktop/model/locks"
	"locktop/model/store"
	"locktop/model/text"
)

// Session is a source and the state that is made of it.
type Session struct {
	State *store.Store
	// Name is what errors call the source, such as the endpoints.
	Name string
	// OneCluster makes the answer of another cluster an error. Without it the state begins
	// anew.
	OneCluster bool
	// OnBatch is called with every batch, once it is in the state.
	OnBatch func(model.Batch) error
	// OnEntry is called with every entry of the journal once its cause is settled, in order.
	OnEntry func(*journal.Entry) error
	// OnWait is called before the source is asked, and what it returns when it has answered.
	// In between nobody changes the state. Nil: nobody wants to know.
	OnWait func() (back func())

	// Cost is what looking costs, by the last batch.
	Cost model.Cost

	src       model.Source
	lastEntry uint64 // the last entry that OnEntry had
}

// New returns a session on a source. Whoever opened the source closes it.
func New(src model.Source, pins ...model.Pin) *Session {
	return &Session{State: store.New(pins...), src: src}
}

// CouldNotLook is the error of a look that failed: nothing can be said of what it was to
// look at.
type CouldNotLook struct{ error }

// Unwrap returns the cause.
func (e CouldNotLook) Unwrap() error { return e.error }

func couldNotLook(format string, args ...any) error {
	return CouldNotLook{fmt.Errorf(format, args...)}
}

// Pull says what ends a pull. The zero value pulls until the context ends.
type Pull struct {
	// Until ends it when it says true. It is asked before every batch.
	Until func() bool
	// For ends it after that long; 0 is no limit.
	For time.Duration
	// Patience is how long nothing may come before the pull fails; 0 is no limit.
	Patience time.Duration
	// Progress, if not nil, is a number that rises as the pull gets on: what comes meanwhile,
	// like one round of status after another, then needs the same patience as nothing.
	Progress func() int64
	// Listing makes it fail when a prefix cannot be listed or watched. A list that a compaction
	// ended begins anew by itself; Denied lets one of several prefixes be refused, too.
	Listing, Denied bool
	// Confirm asks once, at the beginning, whether everything was delivered.
	Confirm bool
	// Want is what is asked of the source; nil: what the state wants.
	Want func() model.Want
}

// Pull takes batches in until the pull ends, and returns the context's error if that ended
// it. At the end of a recording it tells the entries that will never be settled, and
// returns nil.
func (s *Session) Pull(ctx context.Context, p Pull) error {
	src := &patient{s: s, p: p, best: -1, confirm: p.Confirm}
	if p.For > 0 {
		src.end = time.Now().Add(p.For)
	}
	err := s.State.Run(ctx, src, store.Loop{Until: p.Until, Batch: func(b model.Batch) error { return s.took(b, p) }})
	switch {
	case src.timeUp:
		return ctx.Err()
	case src.over:
		return s.tell(true)
	}
	return err
}

// patient is the source of a session, asked with the bounds of a pull.
type patient struct {
	s       *Session
	p       Pull
	end     time.Time // of the pull, zero for none
	since   time.Time // when it last got on
	best    int64     // progress
	confirm bool      // is still to be asked
	timeUp  bool      // the end has come, or ctx ended
	over    bool      // the source has nothing more
}

// Next implements model.Source.
func (t *patient) Next(ctx context.Context, want model.Want) (model.Batch, error) {
	if t.p.Want != nil {
		want = t.p.Want()
	}
	want.Confirm = want.Confirm || t.confirm
	if t.s.OnWait != nil {
		defer t.s.OnWait()()
	}
	limited, cancel := ctx, context.CancelFunc(func() {})
	if !t.end.IsZero() {
		limited, cancel = context.WithDeadline(ctx, t.end)
	}
	defer cancel()
	if t.p.Progress == nil {
		t.since = time.Now()
	} else if n := t.p.Progress(); n > t.best {
		t.best, t.since = n, time.Now()
	}
	for {
		b, err := t.ask(limited, want)
		switch {
		case err == nil:
			t.confirm = false
			return b, nil
		case limited.Err() != nil:
			t.timeUp = true
			return b, limited.Err()
		case errors.Is(err, context.DeadlineExceeded) && time.Since(t.since) >= t.p.Patience+overslept:
			t.since = time.Now() // it was we who did not run
		case errors.Is(err, context.DeadlineExceeded):
			return b, t.s.outOfPatience(t.p)
		case errors.Is(err, io.EOF):
			t.over = true
			return b, err
		default:
			return b, couldNotLook("looking at %s: %w", t.s.Name, err)
		}
	}
}

// ask asks once, with the patience that is left.
func (t *patient) ask(ctx context.Context, want model.Want) (model.Batch, error) {
	if err := ctx.Err(); err != nil { // a source may have something all the same
		return model.Batch{}, err
	}
	if t.p.Patience > 0 {
		patience, cancel := context.WithDeadline(ctx, t.since.Add(t.p.Patience))
		defer cancel()
		ctx = patience
	}
	return t.s.src.Next(ctx, want)
}

// overslept is how much later than asked for a call has to return to say nothing of the
// cluster.
const overslept = 2 * time.Second

// Follow pulls for that long, or until ctx ends if it is 0. Either end is no error.
func (s *Session) Follow(ctx context.Context, d time.Duration) error {
	err := s.Pull(ctx, Pull{For: d})
	if ctx.Err() != nil && errors.Is(err, ctx.Err()) {
		return nil
	}
	return err
}

// outOfPatience says what was waited for in vain.
func (s *Session) outOfPatience(p Pull) error {
	for _, w := range s.State.Coverage().Watches() {
		if p.Listing && w.Reason == model.LostCompacted && w.State != locks.Live {
			return couldNotLook("the list of %s did not end within %s (--command-timeout): what it stood at was compacted again and again on %s",
				model.KeysUnder(w.Prefix), p.Patience, s.Name)
		}
	}
	return couldNotLook("%s did not answer within %s (--command-timeout)", s.Name, p.Patience)
}

// took tells of a batch that is in the state.
func (s *Session) took(b model.Batch, p Pull) error {
	s.Cost = b.Cost
	if s.OnBatch != nil {
		if err := s.OnBatch(b); err != nil {
			return err
		}
	}
	if err := s.tell(false); err != nil {
		return err
	}
	if other := s.State.Coverage().OtherCluster(); s.OneCluster && !other.IsZero() {
		return couldNotLook("this was not a look at one cluster: %s", text.English(other.WithoutNext()))
	}
	if !p.Listing {
		return nil
	}
	refused, watches := 0, s.State.Coverage().Watches()
	for _, w := range watches {
		if w.State != locks.Lost || w.Reason.Anew() {
			continue
		}
		if refused++; w.Reason != model.LostDenied || !p.Denied || refused == len(watches) {
			return couldNotList(w)
		}
	}
	return nil
}

// backlogMax is how many entries may wait behind one whose cause is not known yet. Behind
// them, and a batch more, the journal forgets.
const backlogMax = 4_000

// tell tells the entries of the journal that are settled. At the end it tells the others,
// too: they never will be. Where entries are missing it says how many.
func (s *Session) tell(atEnd bool) error {
	if s.OnEntry == nil {
		return nil
	}
	entries := s.State.JournalAfter(s.lastEntry)
	for i, entry := range entries {
		if entry.Pending && !atEnd && len(entries)-i <= backlogMax {
			return nil // its cause is known within seconds, and the order is kept
		}
		if n := entry.Seq - s.lastEntry - 1; n > 0 {
			if err := s.OnEntry(leftOut(n, entry.At)); err != nil {
				return err
			}
		}
		s.lastEntry = entry.Seq
		if err := s.OnEntry(entry); err != nil {
			return err
		}
	}
	return nil
}

func leftOut(n uint64, at time.Time) *journal.Entry {
	return &journal.Entry{At: at, Kind: journal.Gap, LeftOut: n,
		Text: model.Say("entries-left-out", n)}
}

// couldNotList says why the keys of a prefix are not known, and what to do.
func couldNotList(w *locks.Watch) error {
	why := w.Detail.WithoutNext()
	if !why.Says("cannot") && !why.Says("cannot-on") {
		why = model.Say("cannot", model.Say("to-list"), model.KeysOf(w.Prefix), why)
	}
	return couldNotLook("%s", text.English(why))
}
