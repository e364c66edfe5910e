package cli

import (
	"context"
	"errors"
	"fmt"
	"time"

	"locktop/model"
	"locktop/model/store"
	"locktop/model/text"
	"locktop/ui/cli/session"
	"locktop/ui/report"
	"locktop/ui/report/ticket"
	"locktop/watcher/recording"
)

// happened reads a recording and returns what happened in the period that is asked for, and what of
// that was done by hand and stands in these audit logs, nil for your own.
func (v *viewer) happened(ctx context.Context, past pastFlags, actionFiles []string) (*ticket.Page, []model.Acted, error) {
	acts, err := readActs(v.err, actionFiles, unmasked)
	if err != nil {
		return nil, nil, err
	}
	log, own := &ticket.Log{}, *v
	own.witness = func(s *store.Store) {
		acts.take(s)
		log.Take(s.View)
	}
	r, err := own.openPast(ctx, past, recording.Pace{})
	if err != nil {
		return nil, nil, err
	}
	defer r.close()
	if err := r.Pull(ctx, session.Pull{}); err != nil && !errors.Is(err, recording.ErrDamaged) { // of one that is cut off there is what there is
		return nil, nil, couldNotRun(err)
	}
	if err := r.covers(past); err != nil {
		return nil, nil, err
	}
	acts.finish(r.State)
	log.Take(r.State.View)
	from := r.begins
	if !r.from.IsZero() {
		from = r.from
	}
	o := ticket.Options{From: from, Observation: report.Observation{At: r.State.Now()}, Values: true, Names: true, Log: log}
	return ticket.New(r.State.View, o), acts.seen, nil
}

// atWorst puts the moment at which a recording is looked at to the worst of a period, and says which
// that is. Without anything wrong it stays at the end.
func (v *viewer) atWorst(ctx context.Context, past *pastFlags) error {
	p, _, err := v.happened(ctx, *past, nil)
	if err != nil {
		return err
	}
	at, what, any := p.Worst()
	if !any {
		return nil
	}
	past.at = at.Format(time.RFC3339Nano)
	fmt.Fprintf(v.err, "as of %s, the worst since --from: %s\n", at.Format(time.DateTime), what)
	return nil
}

// openingWords say where a recording opens, and what else there is.
func openingWords(p *ticket.Page) (at time.Time, said string) {
	at, what, any := p.Worst()
	if !any {
		return at, ""
	}
	n := len(p.Stories)
	if n == 1 {
		return at, text.English(model.Say("opened-at-what-happened", model.Verbatim(at.Format(time.TimeOnly)), model.Verbatim(what)))
	}
	return at, text.English(model.Say("opened-at-the-worst", model.Verbatim(at.Format(time.TimeOnly)), n, model.Verbatim(what)))
}
