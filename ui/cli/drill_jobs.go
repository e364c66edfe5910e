package cli

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"sync/atomic"

	"locktop/chaos/drill/roles"
	"locktop/chaos/drill/runner"
)

// slot is a drill that is played beside others: what it prints, and what came of it.
type slot struct {
	out     bytes.Buffer
	reports []runner.Report
	code    int
	err     error
	done    chan struct{}
	left    bool // it was not begun
}

// runEach runs the drills, so many at a time, and prints what came of them one after another, in their
// order.
func (dr *drillRun) runEach(ctx context.Context, asked []roles.Assignment, results *resultsFile, all *runner.Suite) (code int, err error) {
	var slots []*slot
	for range asked {
		slots = append(slots, &slot{done: make(chan struct{})})
	}
	var failed atomic.Bool // so that no other is begun
	next := make(chan int)
	go func() {
		defer close(next)
		for i := range asked {
			next <- i
		}
	}()
	for range dr.jobs {
		go func() {
			for i := range next {
				one := slots[i]
				if one.left = ctx.Err() != nil || failed.Load(); !one.left {
					g, e := *dr, *dr.e
					g.e, g.collect = &e, func(r runner.Report) { one.reports = append(one.reports, r) }
					if dr.jobs > 1 || dr.output == "github" {
						e.out = &one.out
					}
					one.code, one.err = g.runDrill(ctx, asked[i], results)
					if one.err != nil || dr.failFast && one.code != 0 {
						failed.Store(true)
					}
				}
				close(one.done)
			}
		}()
	}
	told := false
	for i, one := range slots {
		<-one.done
		if e := dr.print(one); e != nil {
			err = errors.Join(err, e)
		}
		err = errors.Join(err, one.err)
		all.Reports = append(all.Reports, one.reports...)
		code = worseCode(code, one.code)
		if !one.left {
			continue
		}
		all.NotRun = append(all.NotRun, asked[i].Name)
		switch {
		case told || err != nil:
		case ctx.Err() != nil:
			if code = worseCode(code, exitBad); code != exitBad { // which says it
				fmt.Fprintf(dr.e.err, "interrupted: %s and what comes after it were not run\n", asked[i].Name)
			}
		default:
			fmt.Fprintf(dr.e.out, "%s and what comes after it were not run (--fail-fast)\n", asked[i].Name)
		}
		told = true
	}
	return code, err
}

// print prints what a drill printed. GitHub shows of several the first line alone, until it is opened.
func (dr *drillRun) print(one *slot) error {
	if dr.output != "github" || len(one.reports) == 0 {
		_, err := dr.e.out.Write(one.out.Bytes())
		return err
	}
	_, err := fmt.Fprintf(dr.e.out, "::group::%s: %s\n%s::endgroup::\n", one.reports[0].Drill.Name, one.reports[0].Verdict(), one.out.Bytes())
	return err
}
