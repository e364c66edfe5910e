package cluster

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"syscall"
	"time"

	"locktop/demo/process"
)

const (
	// answerWithin bounds the wait for a member's process to do what it is told.
	answerWithin = 5 * time.Second
	// memberGrace is what a member's process has to end by itself.
	memberGrace = time.Second
)

// memberOrder is what a member's process is told, as a line of JSON.
type memberOrder struct {
	Seq int      `json:"seq"`
	Cut []uint64 `json:"cut"` // the peers to be cut off from, no others
}

// memberReport is what a member's process says, as a line of JSON. It is one of:
// started (ID is set) or not (Error), ready, or done with an order (Seq).
type memberReport struct {
	ID    uint64 `json:"id,omitempty"`
	Error string `json:"error,omitempty"`
	InUse bool   `json:"in_use,omitempty"` // the error is a port that is taken
	Ready bool   `json:"ready,omitempty"`
	Seq   int    `json:"seq,omitempty"`
}

// memberProc is the process of a member.
type memberProc struct {
	*process.Child
	started chan memberReport
	ready   chan struct{}
	answers chan int
	orders  int

	done chan struct{} // closed when it has ended
}

// spawnMember starts a member's process and waits until it listens.
func spawnMember(ctx context.Context, o Options, log *os.File, plan memberPlan) (*memberProc, uint64, error) {
	p := &memberProc{started: make(chan memberReport, 1), ready: make(chan struct{}), answers: make(chan int, 1),
		done: make(chan struct{})}
	cmd := exec.Command(o.Process[0], slices.Concat(o.Process[1:], plan.args())...)
	cmd.Env = []string{"PATH=" + os.Getenv("PATH")}
	cmd.Stdout = &process.Lines{Each: p.heard}
	cmd.Stderr = log
	var err error
	if p.Child, err = process.Start(cmd, o.Start, true); err != nil {
		return nil, 0, err
	}
	go func() {
		p.Wait()
		close(p.done)
	}()
	id, err := p.listens(ctx)
	if err != nil {
		p.kill()
		return nil, 0, err
	}
	return p, id, nil
}

// listens waits until the member listens and returns its id.
func (p *memberProc) listens(ctx context.Context) (uint64, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, readyWithin, fmt.Errorf("it said nothing for %v", readyWithin))
	defer cancel()
	var r memberReport
	select {
	case r = <-p.started:
	case <-p.done:
		select {
		case r = <-p.started: // its last words
		default:
			return 0, fmt.Errorf("it ended (%s)", p.HowEnded())
		}
	case <-ctx.Done():
		return 0, context.Cause(ctx)
	}
	if r.InUse {
		return 0, fmt.Errorf("%s: %w", r.Error, syscall.EADDRINUSE)
	}
	if r.Error != "" {
		return 0, errors.New(r.Error)
	}
	return r.ID, nil
}

// heard takes a line that the process printed. It is called by one goroutine.
func (p *memberProc) heard(line []byte) {
	var r memberReport
	if json.Unmarshal(line, &r) != nil {
		return // not for us, and the member's own log is elsewhere
	}
	switch {
	case r.Ready:
		close(p.ready)
	case r.Seq != 0:
		select {
		case <-p.answers: // nobody waited for that one
		default:
		}
		p.answers <- r.Seq
	default:
		p.started <- r
	}
}

// cutOff tells the process to cut the member off from exactly these peers.
func (p *memberProc) cutOff(peers []uint64) error {
	p.orders++
	line, err := json.Marshal(memberOrder{Seq: p.orders, Cut: peers})
	if err != nil {
		return err
	}
	if err := p.Tell(string(line)); err != nil {
		return err
	}
	timeout := time.NewTimer(answerWithin)
	defer timeout.Stop()
	for {
		select {
		case seq := <-p.answers:
			if seq == p.orders {
				return nil
			}
		case <-p.done:
			return fmt.Errorf("its process has ended (%s)", p.HowEnded())
		case <-timeout.C:
			return fmt.Errorf("its process did not answer within %v", answerWithin)
		}
	}
}

// stop ends the process by asking, then by force.
func (p *memberProc) stop() {
	p.CloseInput()
	if !process.Wait(p.done, memberGrace) {
		p.kill()
	}
}

// kill ends the process by force, whatever it does, and waits.
func (p *memberProc) kill() {
	p.CloseInput()
	// That it has ended by now is no error.
	_ = p.Signal(os.Kill)
	<-p.done
}
