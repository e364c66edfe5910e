package cli

import (
	"context"
	"fmt"
	"time"

	"locktop/model"
	"locktop/model/text"
	"locktop/ui/cli/session"
	"locktop/ui/report"
	"locktop/ui/report/ticket"
	"locktop/watcher/recording"
)

// happened reads a recording and returns what happened in the period that is asked for.
func (v *viewer) happened(ctx context.Context, past pastFlags) (*ticket.Page, error) {
	log, own := &ticket.Log{}, *v
	own.witness = log.Take
	r, err := own.openPast(ctx, past, recording.Pace{})
	if err != nil {
		return nil, err
	}
	defer r.close()
	if err := r.Pull(ctx, session.Pull{}); err != nil && ctx.Err() != nil {
		return nil, ctx.Err()
	} // of a recording that is cut off there is what there is
	from := r.begins
	if !r.from.IsZero() {
		from = r.from
	}
	return ticket.New(r.State.View, ticket.Options{From: from, Observation: report.Observation{At: r.State.Now()}, Values: true, Names: true, Log: log}), nil
}

// atWorst puts the moment at which a recording is looked at to the worst of a period, and says which
// that is. Without anything wrong it stays at the end.
func (v *viewer) atWorst(ctx context.Context, past *pastFlags) error {
	p, err := v.happened(ctx, *past)
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
