package cli

import (
	"context"
	"errors"
	"fmt"
	"time"

	"locktop/chaos/drill"
	"locktop/chaos/drill/play"
	"locktop/demo"
	"locktop/demo/lockset"
	"locktop/model"
	"locktop/ui/cli/experiment"
	"locktop/ui/cli/session"
)

// runLockSet runs every cell of the experiment as often as asked, but for the runs
// that the results have, and prints the table.
func (f *drillRun) runLockSet(ctx context.Context) error {
	length := time.Duration(f.seconds) * time.Second
	cells := lockset.Cells()
	if f.dryRun {
		for _, c := range cells {
			fmt.Fprintf(f.e.out, "%s: %d times, %s each\n", c, f.repeat, length)
		}
		fmt.Fprintf(f.e.out, "%s, about %s in all\n", model.Many(len(cells)*f.repeat, "run"), experiment.Takes(len(cells)*f.repeat, length))
		return nil
	}
	if len(f.reports) > 0 || f.pictures != "" {
		return bad("%s has no --report and no --pictures: it prints a table, and --results keeps the rows", lockset.Name)
	}
	rows, err := openResults[lockSetRow](f.results)
	if err != nil {
		return err
	}
	defer rows.close()
	type turn struct {
		cell lockset.Cell
		run  int
	}
	var todo []turn
	for run := 1; run <= f.repeat; run++ {
		for _, c := range cells {
			if len(experiment.Of(bare(rows.all), c, length.Seconds())) < run {
				todo = append(todo, turn{c, run})
			}
		}
	}
	if had := len(cells)*f.repeat - len(todo); had > 0 {
		fmt.Fprintf(f.e.err, "%d of %s of %s are in %s already\n", had, model.Many(len(cells)*f.repeat, "run"), length, f.results)
	}
	for i, t := range todo {
		left := experiment.Takes(len(todo)-i, length)
		fmt.Fprintf(f.e.err, "run %d of %d, about %s left: %s\n", i+1, len(todo), left, t.cell)
		row, err := f.playCell(ctx, t.cell, length, f.seed+uint64(t.run))
		if err != nil {
			return fmt.Errorf("%s: %w", t.cell, err)
		}
		fmt.Fprintf(f.e.err, "%s: %d acknowledged, %d lost, %d overlaps, %d refused\n", t.cell, row.Acked, row.Lost, row.Overlaps, row.Refused)
		if err := rows.add(lockSetRow{row}); err != nil {
			return err
		}
	}
	return experiment.Table(f.e.out, bare(rows.all))
}

// lockSetRow is a row of the experiment in a results file.
type lockSetRow struct{ lockset.Row }

func (r lockSetRow) whole() bool { return r.Fault != "" && r.Fence != "" }

func (lockSetRow) what() string { return "row of " + lockset.Name }

// playCell runs a cell once and counts.
func (f *drillRun) playCell(ctx context.Context, c lockset.Cell, length time.Duration, seed uint64) (row lockset.Row, err error) {
	d := c.Drill(length, seed)
	var room labRoom
	defer func() { err = room.closeAfter(err) }()
	live, err := room.open(ctx, f.e, demo.Options{Spec: &d.Lab, Seed: seed}, func(string) {})
	if err != nil {
		return row, err
	}
	row = lockset.Row{Fault: c.Fault, Fence: c.Fence, Seconds: length.Seconds(), Seed: seed}
	var count lockset.Count
	round := play.Run(ctx, d, f.e.stage(&room, session.Tap(live.Source, tally(&count))), play.Options{Seed: seed})
	if round.Err != nil || round.Verdict == drill.Unknown {
		return row, errors.New(round.Reason)
	}
	count.Fill(&row)
	return row, nil
}

// tally counts the events that pass.
func tally(count *lockset.Count) func(model.Batch, error) {
	return func(b model.Batch, _ error) {
		for _, e := range b.Events {
			count.Apply(e)
		}
	}
}

// bare are the rows as the experiment knows them.
func bare(rows []lockSetRow) []lockset.Row {
	var all []lockset.Row
	for _, r := range rows {
		all = append(all, r.Row)
	}
	return all
}
