package session

import (
	"context"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"locktop/model"
)

// TestUptoAMoment: between the last event and the moment whoever pulls is woken when he
// wants to be, as the cluster's source did it.
func TestUptoAMoment(t *testing.T) {
	at := func(sec int64) time.Time { return time.Unix(sec, 0) }
	tick := func(sec int64) model.Event { return model.Tick{At: at(sec)} }
	commit := func(sec, rev int64) model.Event { return model.Committed{At: at(sec), Rev: rev} }
	begin := model.LoadStarted{At: at(1), Rev: 5}
	events := []model.Event{begin, commit(2, 6), commit(4, 7), model.Belief{At: at(3)}, commit(9, 8)}
	for _, row := range []struct {
		reason string
		m      Moment
		wake   int64 // what is wanted, always
		want   []model.Event
		err    string
	}{
		{reason: "all of it", want: events},
		{reason: "up to a time", m: Moment{At: at(5)}, want: append(events[:4:4], tick(5))},
		{reason: "woken on the way, once", m: Moment{At: at(8)}, wake: 6, want: append(events[:4:4], tick(6), tick(8))},
		{reason: "not woken behind it", m: Moment{At: at(8)}, wake: 9, want: append(events[:4:4], tick(8))},
		{reason: "a report that is older than what came before it is known then", m: Moment{At: at(4)}, want: append(events[:4:4], tick(4))},
		{reason: "and not before", m: Moment{At: at(3)}, want: append(events[:2:2], tick(3))},
		{reason: "the end", m: Moment{At: at(9)}, want: append(events[:5:5], tick(9))},
		{reason: "a revision", m: Moment{Rev: 7}, want: events[:4]},
		{reason: "the revision of the list", m: Moment{Rev: 5}, want: events[:1]},
		{reason: "the last revision", m: Moment{Rev: 8}, want: events},
		{reason: "too early", m: Moment{At: at(0)}, err: "is not in the recording"},
		{reason: "too late", m: Moment{At: at(10)}, want: events, err: "is not in the recording"},
		{reason: "a revision too early", m: Moment{Rev: 4}, err: "revision 4 is not in the recording"},
		{reason: "a revision too late", m: Moment{Rev: 9}, want: events, err: "revisions 5 to 8"},
	} {
		src := &ends{err: io.EOF}
		for _, e := range events {
			src.batches = append(src.batches, batch(e))
		}
		var want model.Want
		if row.wake > 0 {
			want.WakeAt = at(row.wake)
		}
		u, err := Upto(src, row.m), error(nil)
		var got []model.Event
		for err == nil {
			var b model.Batch
			b, err = u.Next(context.Background(), want)
			got = append(got, b.Events...)
		}
		if d := cmp.Diff(row.want, got); d != "" || (err == io.EOF) != (row.err == "") || !strings.Contains(err.Error(), row.err) {
			t.Errorf("%s: %v, want %q (-want +got)\n%s", row.reason, err, row.err, d)
		}
	}
}
