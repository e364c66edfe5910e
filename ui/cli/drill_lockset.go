package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"time"

	"locktop/chaos/drill"
	"locktop/chaos/drill/play"
	"locktop/demo"
	"locktop/model"
	"locktop/ui/cli/session"
)

// runLockSet runs every cell of the experiment as often as asked, but for the runs
// that the results have, and prints the table.
func (e *env) runLockSet(ctx context.Context, f drillFlags) error {
	length := time.Duration(f.seconds) * time.Second
	if f.dryRun {
		for _, c := range demo.LockSetCells() {
			fmt.Fprintf(e.out, "%s: %d times, %s each\n", c, f.repeat, length)
		}
		return nil
	}
	if len(f.reports) > 0 || f.pictures != "" {
		return bad("%s has no --report and no --pictures: it prints a table, and --results keeps the rows", demo.LockSetName)
	}
	rows, err := openResults[lockSetRow](f.results)
	if err != nil {
		return err
	}
	defer rows.close()
	for run := 1; run <= f.repeat; run++ {
		for _, c := range demo.LockSetCells() {
			if len(rowsOf(rows.all, c)) >= run {
				continue
			}
			row, err := e.playCell(ctx, c, length, f.seed+uint64(run))
			if err != nil {
				return fmt.Errorf("%s: %w", c, err)
			}
			fmt.Fprintf(e.err, "%s: %d acknowledged, %d lost, %d overlaps, %d refused\n", c, row.Acked, row.Lost, row.Overlaps, row.Refused)
			if err := rows.add(lockSetRow{row}); err != nil {
				return err
			}
		}
	}
	return lockSetTable(e.out, rows.all)
}

// lockSetRow is a row of the experiment in a results file.
type lockSetRow struct{ demo.LockSetRow }

func (r lockSetRow) whole() bool { return r.Fault != "" && r.Fence != "" }

func (lockSetRow) what() string { return "row of " + demo.LockSetName }

// rowsOf are the rows of a cell.
func rowsOf(rows []lockSetRow, c demo.LockSetCell) []lockSetRow {
	return slices.DeleteFunc(slices.Clone(rows), func(r lockSetRow) bool { return r.Fault != c.Fault || r.Fence != c.Fence })
}

// playCell runs a cell once and counts.
func (e *env) playCell(ctx context.Context, c demo.LockSetCell, length time.Duration, seed uint64) (row demo.LockSetRow, err error) {
	d := c.Drill(length, seed)
	var room labRoom
	defer func() { err = room.closeAfter(err) }()
	live, err := room.open(ctx, e, demo.Options{Spec: &d.Lab, Seed: seed}, func(string) {})
	if err != nil {
		return row, err
	}
	row = demo.LockSetRow{Fault: c.Fault, Fence: c.Fence, Seconds: length.Seconds(), Seed: seed}
	var count demo.LockSetCount
	round := play.Run(ctx, d, e.stage(&room, session.Tap(live.Source, tally(&count))), play.Options{Seed: seed})
	if round.Err != nil || round.Verdict == drill.Unknown {
		return row, errors.New(round.Reason)
	}
	count.Fill(&row)
	return row, nil
}

// tally counts the events that pass.
func tally(count *demo.LockSetCount) func(model.Batch, error) {
	return func(b model.Batch, _ error) {
		for _, e := range b.Events {
			count.Apply(e)
		}
	}
}

// lockSetTable writes what was measured beside what is known from elsewhere.
func lockSetTable(w io.Writer, rows []lockSetRow) error {
	var b strings.Builder
	b.WriteString("| Fault | Fence | Runs | Acked | Lost | Lost, share | Overlaps | Refused | Elsewhere: acked | lost | overlaps | refused |\n" +
		"|---|---|---|---|---|---|---|---|---|---|---|---|\n")
	for _, c := range demo.LockSetCells() {
		of := rowsOf(rows, c)
		if len(of) == 0 {
			continue
		}
		list := func(n func(lockSetRow) int) string {
			var words []string
			for _, r := range of {
				words = append(words, strconv.Itoa(n(r)))
			}
			return strings.Join(words, " / ")
		}
		acked, lost := 0, 0
		for _, r := range of {
			acked, lost = acked+r.Acked, lost+r.Lost
		}
		share := "–"
		if acked > 0 {
			share = fmt.Sprintf("%.1f %%", 100*float64(lost)/float64(acked))
		}
		ref := c.Reference()
		fmt.Fprintf(&b, "| %s | %s | %d × %.0f s | %s | %s | %s | %s | %s | %s (%s) | %s | %s | %s |\n", c.Fault, c.Fence, len(of), of[0].Seconds,
			list(func(r lockSetRow) int { return r.Acked }), list(func(r lockSetRow) int { return r.Lost }), share,
			list(func(r lockSetRow) int { return r.Overlaps }), list(func(r lockSetRow) int { return r.Refused }),
			ref.Acked, ref.What, ref.Lost, ref.Overlaps, ref.Refused)
	}
	_, err := io.WriteString(w, b.String())
	return err
}
