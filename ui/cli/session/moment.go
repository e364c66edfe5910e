package session

import (
	"context"
	"fmt"
	"io"
	"time"

	"locktop/model"
)

// Moment is a moment of a recording: a time or a revision. The zero value is its end.
type Moment struct {
	At  time.Time
	Rev int64
}

// Upto returns a source that ends at a moment: what was told later is not known yet.
// Up to a time it wakes whoever pulls when he wants to be woken, as the cluster's source
// did. A moment that the source does not have is an error that says from when to when it
// goes.
func Upto(src model.Source, m Moment) model.Source { return &upto{src: src, m: m} }

type upto struct {
	src   model.Source
	m     Moment
	span  span
	ended bool // src has nothing more that counts
	done  bool
}

// span is from when to when events go, and which revisions they tell of.
type span struct {
	from, to  time.Time
	least     int64 // of the first list
	greatest  int64
	committed int64 // the greatest that was applied
}

// Next implements model.Source.
func (u *upto) Next(ctx context.Context, want model.Want) (model.Batch, error) {
	if u.done {
		return model.Batch{}, io.EOF
	}
	if !u.ended {
		b, err := u.src.Next(ctx, want)
		switch {
		case err == io.EOF && u.m == Moment{}:
			return b, err
		case err == io.EOF && u.short():
			return b, u.outside()
		case err == io.EOF:
			u.ended = true
		case err != nil:
			return b, err
		default:
			if b, err = u.cut(ctx, b); err != nil || len(b.Events) > 0 {
				return b, err
			}
		}
	}
	if u.m.At.IsZero() {
		u.done = true
		return model.Batch{}, io.EOF
	}
	at := want.WakeAt
	if !at.After(u.span.to) || at.After(u.m.At) {
		at, u.done = u.m.At, true
	}
	u.span.to = at
	return model.Batch{Events: []model.Event{model.Tick{At: at}}}, nil
}

// cut returns what of a batch was told by the moment.
func (u *upto) cut(ctx context.Context, b model.Batch) (model.Batch, error) {
	for i, e := range b.Events {
		before := u.span
		u.span.take(e)
		if !u.beyond() {
			continue
		}
		if i == 0 && before.to.IsZero() && !u.m.At.IsZero() || u.m.Rev > 0 && u.m.Rev < u.span.least {
			return model.Batch{}, u.before(ctx)
		}
		u.span, u.ended = before, true
		return model.Batch{Events: b.Events[:i]}, nil
	}
	return b, nil
}

// beyond says whether what was taken is later than the moment.
func (u *upto) beyond() bool {
	return !u.m.At.IsZero() && u.span.to.After(u.m.At) || u.m.Rev > 0 && (u.span.committed > u.m.Rev || u.m.Rev < u.span.least)
}

// short says whether the source ended before the moment.
func (u *upto) short() bool {
	return u.span.to.Before(u.m.At) || u.span.greatest < u.m.Rev
}

// before reads on to the end, for the range.
func (u *upto) before(ctx context.Context) error {
	for {
		b, err := u.src.Next(ctx, model.Want{})
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if err != nil {
			return u.outside()
		}
		for _, e := range b.Events {
			u.span.take(e)
		}
	}
}

func (u *upto) outside() error {
	const layout = "2006-01-02 15:04:05.000 MST"
	what := "the time " + u.m.At.Format(layout)
	if u.m.Rev > 0 {
		what = fmt.Sprintf("revision %d", u.m.Rev)
	}
	return couldNotLook("%s is not in the recording: it goes from %s to %s, revisions %d to %d",
		what, u.span.from.Format(layout), u.span.to.Format(layout), u.span.least, u.span.greatest)
}

// take takes an event in. Reports of the lab may be older than what came before them:
// the time of a span never goes back.
func (s *span) take(e model.Event) {
	if at := e.When(); at.After(s.to) {
		s.to = at
		if s.from.IsZero() {
			s.from = at
		}
	}
	rev := int64(0)
	switch e := e.(type) {
	case model.LoadStarted:
		rev = e.Rev
		if s.least == 0 {
			s.least = rev
		}
		s.committed = max(s.committed, rev)
	case model.Committed:
		rev = e.Rev
		s.committed = max(s.committed, rev)
	case model.Watching:
		rev = e.Rev
	case model.Back:
		rev = e.Rev
	}
	s.greatest = max(s.greatest, rev)
}
