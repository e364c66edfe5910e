package contender

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/signal"
	"strings"
	"sync"
	"syscall"
	"time"

	clientv3 "go.etcd.io/etcd/client/v3"
	"go.uber.org/zap"

	"locktop/demo/process"
	"locktop/model"
	"locktop/watcher/validate"
)

const (
	// leaveWithin bounds how long a contender that is told to end tries to let go.
	leaveWithin = 2 * time.Second
	// askWithin bounds one request that is not waiting for the lock.
	askWithin = 3 * time.Second
	// Backoff after an error, doubling.
	backoffMin = 200 * time.Millisecond
	backoffMax = 3 * time.Second
)

// Run competes for locks until ctx ends, the process gets SIGTERM or
// SIGINT, o.EndWith ends, or o.Rounds are over: it waits for the locks, holds them,
// lets them go, thinks, and prints each change of what it believes to out as a
// [BeliefLine]. A session that is lost is said and replaced, and so is an etcd that
// cannot be reached. A manual one does what o.EndWith tells it instead.
//
// In the end it lets go of its claims, so that the next in line has the lock at
// once; it tries that for at most two seconds. The error is about options that
// cannot work, about a login that fails, or an [ErrDenied], which only a person can
// change; an ordinary end is nil. A manual contender says what it was denied, and
// goes on.
func Run(ctx context.Context, o Options, out io.Writer) error {
	if err := o.Check(); err != nil {
		return err
	}
	ctx, stop := signal.NotifyContext(ctx, syscall.SIGTERM, os.Interrupt)
	defer stop()
	client, err := o.dial()
	if err != nil {
		return fmt.Errorf("contend for %s: %w", strings.Join(o.Locks, ", "), err)
	}
	c := &contender{o: o, client: client, guard: newGuard(o.Resource), tell: &teller{out: out}}
	c.hire()
	ended := make(chan struct{})
	defer close(ended)
	go closeAfter(ctx, client, ended)
	words := make(chan string)
	if o.EndWith != nil {
		go func() {
			readWords(ctx, o, words)
			stop()
		}()
	}
	if o.Manual {
		c.runManual(ctx, words)
	} else {
		err = c.run(ctx)
	}
	_ = client.Close() // what it may fail with is that it is closed
	return err
}

// dial opens the contender's client. It waits only to log in.
func (o Options) dial() (*clientv3.Client, error) {
	c := o.Client
	c.Endpoints, c.Context = o.Endpoints, nil
	c.Logger = zap.NewNop() // the default one writes to the terminal
	c.DialTimeout = cmp.Or(c.DialTimeout, askWithin)
	c.DialKeepAliveTime = cmp.Or(c.DialKeepAliveTime, 2*time.Second)
	c.DialKeepAliveTimeout = cmp.Or(c.DialKeepAliveTimeout, askWithin)
	c.DialOptions = append(c.DialOptions[:len(c.DialOptions):len(c.DialOptions)], validate.Options()...)
	return clientv3.New(c)
}

// readWords reads o.EndWith to its end; the lines are commands if it is manual.
func readWords(ctx context.Context, o Options, words chan<- string) {
	if !o.Manual {
		io.Copy(io.Discard, o.EndWith)
		return
	}
	for lines := bufio.NewScanner(o.EndWith); lines.Scan(); {
		word := strings.TrimSpace(lines.Text())
		if word == "" {
			continue
		}
		select {
		case words <- word:
		case <-ctx.Done():
			return
		}
	}
}

// closeAfter ends what does not end by itself soon after ctx did, by closing the
// client under it. It returns with ended at the latest.
func closeAfter(ctx context.Context, client *clientv3.Client, ended <-chan struct{}) {
	select {
	case <-ctx.Done():
	case <-ended:
		return
	}
	if !process.Wait(ended, leaveWithin) {
		_ = client.Close()
	}
}

// contender is the state of Run.
type contender struct {
	o       Options
	client  *clientv3.Client
	guard   *guard
	tell    *teller
	workers []*worker // one, unless o.Workers says otherwise
}

// hire makes the workers.
func (c *contender) hire() {
	for i := range max(c.o.Workers, 1) {
		w := &worker{contender: c, name: c.o.Name}
		if c.o.Workers > 1 {
			w.name = fmt.Sprintf("%s.%d", c.o.Name, i+1)
		}
		seed := c.o.Seed + uint64(i)<<32
		w.rng = rand.New(rand.NewPCG(seed, seed^0x9e3779b97f4a7c15))
		c.workers = append(c.workers, w)
	}
}

// errLost says that the session ended before its user did.
var errLost = errors.New("the session is lost")

// run goes through sessions until ctx ends, every round is over, or it is denied what
// it needs.
func (c *contender) run(ctx context.Context) error {
	c.sayIdle(silence)
	pause := backoffMin
	for ctx.Err() == nil {
		begun := time.Now()
		err := c.compete(ctx)
		if err == nil {
			return nil
		}
		if ctx.Err() != nil || errors.Is(err, errLost) {
			continue // a lost session is no reason to wait with the next
		}
		if denied := c.denied(ctx, err); denied != nil {
			c.sayIdle(quote(denied.Error()))
			return denied
		}
		c.sayIdle(quote(c.explain(err)))
		if time.Since(begun) > 2*backoffMax {
			pause = backoffMin
		}
		process.Sleep(ctx, nil, jitter(c.workers[0].rng, pause, 0.3))
		pause = min(2*pause, backoffMax)
	}
	return nil
}

// compete opens a session and lets the workers compete until it is lost, something
// fails or ctx ends. It returns nil when every worker had its rounds.
func (c *contender) compete(ctx context.Context) error {
	s, err := c.open(ctx)
	if err != nil {
		return err
	}
	// Nobody knows what became of a claim on an error: it must not stay behind.
	defer s.close()
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	var working sync.WaitGroup
	for _, w := range c.workers {
		working.Go(func() {
			if err := w.turns(ctx, s); err != nil {
				cancel(err)
			}
		})
	}
	working.Wait()
	return context.Cause(ctx)
}

// sayIdle says of every lock that nobody wants it now.
func (c *contender) sayIdle(said model.Message) {
	for _, w := range c.workers {
		for _, lock := range c.o.Locks {
			w.say(lock, model.BeliefIdle, claim{}, said)
		}
	}
}

// jitter is d, give or take up to the share.
func jitter(rng *rand.Rand, d time.Duration, share float64) time.Duration {
	return time.Duration(float64(d) * (1 + share*(2*rng.Float64()-1)))
}

func isDone(c <-chan struct{}) bool {
	select {
	case <-c:
		return true
	default:
		return false
	}
}

// explain puts an error into words that help.
func (c *contender) explain(err error) string {
	if errors.Is(err, context.DeadlineExceeded) {
		return fmt.Sprintf("no answer from %s within %v; trying again", strings.Join(c.o.Endpoints, ", "), askWithin)
	}
	return err.Error() + "; trying again"
}
