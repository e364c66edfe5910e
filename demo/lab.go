package demo

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"sync"
	"syscall"
	"time"

	"locktop/chaos"
	"locktop/model"
)

// Defaults of Options: a person can watch queues of two or three per lock move.
const (
	defaultContenders = 6
	defaultTTL        = 5
	defaultHold       = 6 * time.Second
	defaultThink      = 1200 * time.Millisecond
)

// defaultLocks are competed for where Options names none.
var defaultLocks = []string{"/demo/orders", "/demo/billing", "/demo/leader=" + RecipeElection}

// Options says what lab to start. The zero value of a field is its default.
type Options struct {
	// Members is 1, 3 or 5; default 3.
	Members int
	// Port is the first of Members ports that people connect to; 0: free ports.
	Port int
	// Contenders is how many are started, at most [MaxContenders]; default 6, none
	// if negative.
	Contenders int
	// Locks are what they compete for, dealt out in turn: names, each with
	// "=election" after it if it is not a mutex. Default: two mutexes and an
	// election below /demo/.
	Locks []string
	// Self is a command line that runs a contender, to which the lab appends the
	// arguments of [ContenderOptions.Args]. The program gets PATH, ETCD_ENDPOINTS
	// and GOMAXPROCS=1 as its environment, and no terminal.
	Self []string
	// TTL is what the contenders ask for, in seconds; default 5. Hold and Think are
	// as in ContenderOptions; defaults 6 s and 1.2 s.
	TTL         int
	Hold, Think time.Duration
	// Seed makes the contenders' variations repeat.
	Seed uint64
	// Progress, if set, is called with lines for the person who waits.
	Progress func(string)
	// Now dates the reports; default time.Now.
	Now func() time.Time
}

// Lab is a cluster with a proxy before it and contenders on it. It is a
// [model.Source] of their reports and a [chaos.Lab]. All methods may be called from
// any goroutine, Next by one at a time.
type Lab struct {
	o       Options
	dir     *labDir
	proxy   *chaos.Proxy
	cluster *Cluster
	box     *mailbox
	journal *os.File
	procLog *os.File // what contenders print where errors go
	spawner *spawner
	wg      sync.WaitGroup // one per contender

	mu      sync.Mutex // also keeps actions one after another
	closed  bool
	procs   map[string]*proc // alive
	spawned int              // contenders so far, which gives the names
	recipes map[string]string
	faults  map[fault]int
	faultID int

	once     sync.Once
	closeErr error
}

var (
	_ model.Source = (*Lab)(nil)
	_ chaos.Lab    = (*Lab)(nil)
)

// Start cleans up after labs that died, and starts one. It returns when the members
// serve and the contenders are started. On an error, ctx's included, nothing of it
// is left; that of a Port in use matches [syscall.EADDRINUSE]. ctx is for the start
// only: the lab lives until Close.
func Start(ctx context.Context, o Options) (*Lab, error) {
	o, locks, err := o.complete()
	if err != nil {
		return nil, fmt.Errorf("start the lab: %w", err)
	}
	l := &Lab{o: o, box: newMailbox(), spawner: newSpawner(),
		procs: map[string]*proc{}, recipes: map[string]string{}, faults: map[fault]int{}}
	if err := l.start(ctx, locks); err != nil {
		return nil, fmt.Errorf("start the lab: %w", errors.Join(err, l.Close()))
	}
	return l, nil
}

// lock is a name to compete for and how.
type lock struct{ name, recipe string }

// complete fills in defaults and rejects what cannot work.
func (o Options) complete() (Options, []lock, error) {
	if o.Members == 0 {
		o.Members = 3
	}
	if o.Contenders == 0 {
		o.Contenders = defaultContenders
	}
	if o.TTL == 0 {
		o.TTL = defaultTTL
	}
	if o.Hold == 0 {
		o.Hold = defaultHold
	}
	if o.Think == 0 {
		o.Think = defaultThink
	}
	if len(o.Locks) == 0 {
		o.Locks = defaultLocks
	}
	if o.Progress == nil {
		o.Progress = func(string) {}
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	var locks []lock
	for _, s := range o.Locks {
		locks = append(locks, parseLock(s))
	}
	switch {
	case len(o.Self) == 0:
		return o, nil, errors.New("no command line for contenders")
	case o.Contenders > MaxContenders:
		return o, nil, fmt.Errorf("%d contenders: at most %d", o.Contenders, MaxContenders)
	case o.Port < 0 || o.Port+o.Members > 65536:
		return o, nil, fmt.Errorf("port %d: want 1 to %d, as %d members use as many ports from there on",
			o.Port, 65536-o.Members, o.Members)
	}
	return o, locks, nil
}

// parseLock splits the recipe from a lock's name, which may hold a = of its own.
func parseLock(s string) lock {
	for _, recipe := range []string{RecipeMutex, RecipeElection} {
		if name, ok := strings.CutSuffix(s, "="+recipe); ok {
			return lock{name, recipe}
		}
	}
	return lock{s, RecipeMutex}
}

// start builds the lab in place. What it built before an error, Close takes down.
func (l *Lab) start(ctx context.Context, locks []lock) (err error) {
	for _, path := range sweep(time.Now()) {
		l.o.Progress("cleaned up after a lab that died: " + path)
	}
	if l.dir, err = newLabDir(); err != nil {
		return err
	}
	if l.journal, err = l.openFile("journal.jsonl"); err != nil {
		return err
	}
	if l.procLog, err = l.openFile("contenders.log"); err != nil {
		return err
	}
	l.o.Progress(fmt.Sprintf("starting %d etcd members", l.o.Members))
	if err := l.startCluster(ctx); err != nil {
		return err
	}
	l.o.Progress(fmt.Sprintf("starting %d contenders", max(l.o.Contenders, 0)))
	for _, k := range locks {
		l.recipes[k.name] = k.recipe
	}
	for i := range l.o.Contenders {
		if err := ctx.Err(); err != nil {
			return err
		}
		k := locks[i%len(locks)]
		l.mu.Lock()
		_, err := l.spawn(k.name, k.recipe)
		l.mu.Unlock()
		if err != nil {
			return err
		}
	}
	return ctx.Err()
}

func (l *Lab) openFile(name string) (*os.File, error) {
	f, err := os.OpenFile(l.dir.file(name), os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o600)
	if err != nil {
		return nil, fmt.Errorf("open a file of the lab: %w", err)
	}
	return f, nil
}

// startCluster starts the proxy and the members behind it. The ports between the
// two are chosen before either listens, so they may be taken by then: another try.
func (l *Lab) startCluster(ctx context.Context) error {
	for try := 1; ; try++ {
		backends, err := freeAddrs(l.o.Members)
		if err != nil {
			return err
		}
		l.proxy, err = chaos.NewProxy(chaos.ProxyOptions{
			Backends: backends, SharedPort: l.o.Port, Now: l.o.Now, Report: l.box.put})
		if errors.Is(err, syscall.EADDRINUSE) && l.o.Port != 0 {
			return fmt.Errorf("port %d or one of the %d after it is in use; choose another: %w",
				l.o.Port, l.o.Members-1, err)
		}
		if err != nil {
			return err
		}
		dir := l.dir.file(fmt.Sprintf("etcd%d", try))
		if err := os.Mkdir(dir, 0o700); err != nil {
			return fmt.Errorf("make the cluster's directory: %w", err)
		}
		l.cluster, err = StartCluster(ctx, ClusterOptions{Members: l.o.Members, Dir: dir,
			Advertise: l.proxy.Shared(), ClientAddrs: backends, Progress: l.o.Progress})
		if err == nil || try == startTries || !errors.Is(err, syscall.EADDRINUSE) {
			return err
		}
		if err := l.proxy.Close(); err != nil {
			return err
		}
	}
}

// Dir is the directory that holds everything the lab writes, until Close.
func (l *Lab) Dir() string { return l.dir.path }

// Endpoints are the addresses (host:port) that a person is told: listeners of the
// proxy that all clients share.
func (l *Lab) Endpoints() []string { return l.proxy.Shared() }

// MemberEndpoints are the members' own addresses (host:port), for connections that
// no fault of the proxy is to touch: the console's.
func (l *Lab) MemberEndpoints() []string { return l.cluster.MemberEndpoints() }

// JournalPath is the file for the journal of actions.
func (l *Lab) JournalPath() string { return l.journal.Name() }

// Journal writes to that file. It is good until Close.
func (l *Lab) Journal() io.Writer { return l.journal }

// Report adds what somebody else has to tell to the lab's own reports. It never
// blocks.
func (l *Lab) Report(e model.Event) { l.box.put(e) }

// Next returns the reports of the contenders, the proxy and [Lab.Report]. Of want it
// heeds WakeAt. After Close it returns what is left, then [ErrClosed].
func (l *Lab) Next(ctx context.Context, want model.Want) (model.Batch, error) {
	return l.box.next(ctx, want.WakeAt, l.o.Now)
}
