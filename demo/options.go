package demo

import (
	"cmp"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net/url"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"locktop/chaos/drill"
	"locktop/demo/contender"
	"locktop/model"
)

// Defaults of Options.
const (
	DefaultContenders = 12
	defaultTTL        = 5
	defaultHold       = 6 * time.Second
	defaultThink      = 1200 * time.Millisecond
)

// Where Options names no locks: six queue for one, so that the order is seen, three stand
// by for a leader, two share a report, and one is a job that runs now and then.
const (
	lockBilling = GuideLock
	lockLeader  = "/demo/leader"
	lockReport  = "/demo/report"
	lockNightly = "/demo/nightly"
	asLeader    = lockLeader + "=" + contender.RecipeElection
)

var defaultLocks = [DefaultContenders]string{
	lockBilling, lockBilling, lockBilling, lockBilling, lockBilling, lockBilling,
	asLeader, asLeader, asLeader, lockReport, lockReport, lockNightly,
}

// GuideLock is the lock of those whose queue is the longest.
const GuideLock = "/demo/billing"

// quickStart is for how long the contenders of a lab hold only briefly, so that who starts it sees a
// handover within its first seconds.
const quickStart = 3 * time.Second

// rhythm is how long the contenders of a lock hold it and do without.
type rhythm struct{ hold, think time.Duration }

var rhythms = map[string]rhythm{
	lockBilling: {4500 * time.Millisecond, 5 * time.Second},
	lockLeader:  {15 * time.Second, 2 * time.Second},
	lockReport:  {7 * time.Second, 3 * time.Second},
	lockNightly: {4 * time.Second, 26 * time.Second},
}

// Options says what lab to start. The zero value of a field is its default.
type Options struct {
	// Members is 1, 3 or 5; default 3. Processes makes them processes of their own,
	// which can be paused.
	Members   int
	Processes bool
	// Port is the first of Members ports that people connect to; 0: free ports.
	Port int
	// Spec, if set, says the members and the contenders instead of Members,
	// Processes, Contenders and Locks.
	Spec *drill.Lab
	// Held keeps the contenders back until [Lab.Begin], for whoever wants to see all
	// that they do.
	Held bool
	// Endpoints are the members (host:port or URLs) of a cluster that is not ours.
	// Then no member is started, and nothing is done to members or their data.
	Endpoints []string
	// TLS is for the connections to Endpoints, ServerTLS for those to the proxy; nil:
	// none.
	TLS, ServerTLS *tls.Config

	// Contenders is how many are started, at most [contender.MaxContenders]; none if negative.
	// Default [DefaultContenders], but none with Endpoints or Command.
	Contenders int
	// Locks are what they compete for, dealt out in turn: names, each with
	// "=election" after it if it is not a mutex. Default: three mutexes and an
	// election below /demo/.
	Locks []string
	// TTL is what contenders ask for that are not told, in seconds; default 5. Hold
	// and Think are as in contender.Options, for those that Spec does not know;
	// defaults 6 s and 1.2 s, but on the default locks as is the lock's way.
	TTL         int
	Hold, Think time.Duration
	// Fence, if set, lets contenders that Spec does not know work on a guarded resource
	// with that fence while they hold.
	Fence drill.Fence
	// Seed makes the contenders' variations repeat.
	Seed uint64
	// Self is a command line that runs a contender, to which the lab appends the
	// arguments of [contender.Options.Args]. The program gets PATH, ETCD_ENDPOINTS
	// and GOMAXPROCS=1 as its environment, and no terminal.
	Self []string
	// MemberSelf is a command line that runs a member, as cluster.Options.Process
	// wants it. Needed where members are processes.
	MemberSelf []string
	ExternalProgram

	// Progress, if set, is called with lines for the person who waits.
	Progress func(model.Message)
	// Now dates the reports; default time.Now.
	Now func() time.Time
}

// ExternalProgram is a program of the user's own in a lab, none where Command is empty.
type ExternalProgram struct {
	// ReaperCommand is a command line that runs [RunReaper], to which the lab appends its
	// directory. It is started with programs of the user's own; without it, what is left of
	// them when the lab is killed stays until the next lab.
	ReaperCommand []string

	// Command is a program of the user's own, started as one more contender with the
	// base name of the program as its name. ETCD_ENDPOINTS and ETCDCTL_ENDPOINTS are
	// its own listeners, all else of its environment the user's. It has no standard
	// input, and is not asked what it believes.
	Command []string
	// Sockets are files that have to go as well when the lab is killed.
	Sockets []string
	// Grace is what Command, and what it has started, have to end by themselves when the
	// lab ends, at least a quarter of a second. After Hurry is closed they are killed.
	Grace time.Duration
	Hurry <-chan struct{}
	// Output and Errors are where Command prints. Without Output what it prints is kept and
	// reported, as that of programs that play a role.
	Output, Errors io.Writer
}

// complete fills in defaults and rejects what cannot work. It returns the contenders
// that are known from the start.
func (o Options) complete() (Options, []*program, error) {
	o.defaults()
	for i, ep := range o.Endpoints {
		addr, err := hostPort(ep)
		if err != nil {
			return o, nil, err
		}
		o.Endpoints[i] = addr
	}
	if len(o.Endpoints) > 0 {
		o.Members = len(o.Endpoints)
	}
	known, err := o.programs()
	if err != nil {
		return o, nil, err
	}
	switch {
	case o.Processes && len(o.Endpoints) == 0 && len(o.MemberSelf) == 0:
		return o, nil, errors.New("no command line for members that are processes")
	case len(o.Self) == 0 && slices.ContainsFunc(known, func(pr *program) bool { return pr.command == nil }):
		return o, nil, errors.New("no command line for contenders")
	case len(known) > contender.MaxContenders:
		return o, nil, fmt.Errorf("%d contenders: at most %d", len(known), contender.MaxContenders)
	case o.Port < 0 || o.Port+o.Members > 65536:
		return o, nil, fmt.Errorf("port %d: want 1 to %d, as %d members use as many ports from there on",
			o.Port, 65536-o.Members, o.Members)
	}
	return o, known, checkNames(known)
}

func (o *Options) defaults() {
	if o.Spec != nil {
		o.Members, o.Processes = o.Spec.Members, o.Spec.Processes
	}
	o.Endpoints = slices.Clone(o.Endpoints)
	if o.Members == 0 {
		o.Members = 3
	}
	if o.Contenders == 0 && len(o.Endpoints) == 0 && len(o.Command) == 0 {
		o.Contenders = DefaultContenders
	}
	if o.TTL == 0 {
		o.TTL = defaultTTL
	}
	if len(o.Locks) == 0 {
		o.Locks = defaultLocks[:]
	}
	if o.Progress == nil {
		o.Progress = func(model.Message) {}
	}
	if o.Now == nil {
		o.Now = time.Now
	}
}

// hostPort takes the scheme off an endpoint.
func hostPort(endpoint string) (string, error) {
	if !strings.Contains(endpoint, "://") {
		return endpoint, nil
	}
	u, err := url.Parse(endpoint)
	if err != nil {
		return "", fmt.Errorf("endpoint %q: %w", endpoint, err)
	}
	if u.Scheme != "http" && u.Scheme != "https" || u.Host == "" {
		return "", fmt.Errorf("endpoint %q: want host:port, or http or https before it", endpoint)
	}
	return u.Host, nil
}

// program is what a contender is run from. But for ran and ahead it does not change.
type program struct {
	o       contender.Options // without endpoints and resource
	member  string            // the only one that it may talk to; empty: all
	guarded bool
	later   bool
	// deadlocks: a fault started it, to wait for another that waits for it.
	deadlocks bool
	command   []string       // of the user's own; then only the name of o is set, if it plays no role
	role      *drill.Program // that it plays; nil for none
	// ran and ahead are guarded by the lab's mutex. ahead are its listeners, where a fault was done
	// to its connections before it was started.
	ran   bool
	ahead []string
}

// lock is the first lock that it competes for, "" if that is not known.
func (pr *program) lock() string {
	if len(pr.o.Locks) == 0 {
		return ""
	}
	return pr.o.Locks[0]
}

// workers are the names of those that share its session.
func (pr *program) workers() []string {
	var names []string
	for i := 1; pr.o.Workers > 1 && i <= pr.o.Workers; i++ {
		names = append(names, pr.o.Name+"."+strconv.Itoa(i))
	}
	return names
}

// programs are the contenders that are known from the start, in their order.
func (o Options) programs() ([]*program, error) {
	var all []*program
	if o.Spec != nil {
		for _, c := range o.Spec.Contenders {
			all = append(all, o.declared(c)...)
		}
	} else {
		for i := range o.Contenders {
			name, recipe := parseLock(o.Locks[i%len(o.Locks)])
			all = append(all, o.unnamed(i+1, name, recipe))
		}
	}
	if len(o.Command) > 0 {
		all = append(all, &program{command: o.Command, o: contender.Options{Name: commandName(o.Command[0])}})
	}
	for _, pr := range all {
		if pr.member != "" && !slices.Contains(memberNames(o.Members), pr.member) {
			return nil, fmt.Errorf("contender %s: there is no member %s; there are %s",
				pr.o.Name, pr.member, strings.Join(memberNames(o.Members), ", "))
		}
	}
	return all, nil
}

// unnamed is the nth contender that has no name of its own.
func (o Options) unnamed(n int, lock, recipe string) *program {
	r := rhythms[lock]
	var quick time.Duration
	if o.Hold == 0 {
		quick = quickStart
	}
	return &program{guarded: o.Fence != "", o: contender.Options{Name: "c" + strconv.Itoa(n), Locks: []string{lock}, Recipe: recipe, TTL: o.TTL,
		Hold: cmp.Or(o.Hold, r.hold, defaultHold), Think: cmp.Or(o.Think, r.think, defaultThink), QuickStart: quick, Seed: o.Seed + uint64(n)}}
}

// declared are the contenders of one row of a drill.
func (o Options) declared(c drill.Contender) []*program {
	base := program{member: c.Member, guarded: c.Guarded, later: c.Later, o: contender.Options{
		Locks: c.Locks, Recipe: c.Recipe, TTL: int((c.TTL + time.Second - 1) / time.Second), NoLease: c.NoLease,
		Hold: c.Hold, Think: c.Think, Full: c.Full, Rounds: c.Rounds, Manual: c.Manual, Workers: c.Workers, IgnoreDone: c.IgnoreDone,
		Owner: c.Owner}}
	if base.o.Recipe == "" {
		base.o.Recipe = contender.RecipeMutex
	}
	if base.o.TTL == 0 {
		base.o.TTL = o.TTL
	}
	if c.Program != nil {
		base.role, base.command = c.Program, c.Program.Command
	}
	names := []string{c.Name}
	if c.Count > 1 {
		names = nil
		for i := range c.Count {
			names = append(names, c.Name+strconv.Itoa(i+1))
		}
	}
	var all []*program
	for i, name := range names {
		pr := base
		pr.o.Name, pr.o.Seed = name, o.seedOf(name)+uint64(i)
		all = append(all, &pr)
	}
	return all
}

// seedOf is a seed that a contender has whoever else is there.
func (o Options) seedOf(name string) uint64 {
	seed := o.Seed
	for _, b := range []byte(name) {
		seed = seed*31 + uint64(b)
	}
	return seed
}

// parseLock splits the recipe from a lock's name, which may hold a = of its own.
func parseLock(s string) (name, recipe string) {
	for _, recipe := range contender.CommonRecipes() {
		if name, ok := strings.CutSuffix(s, "="+recipe); ok {
			return name, recipe
		}
	}
	return s, contender.RecipeMutex
}

var (
	nameForm  = regexp.MustCompile(`^[a-z0-9][a-z0-9._-]*$`)
	notOfName = regexp.MustCompile(`[^a-z0-9._-]+`)
)

// commandName makes a contender's name of a path.
func commandName(path string) string {
	name := notOfName.ReplaceAllString(strings.ToLower(filepath.Base(path)), "-")
	if name = strings.TrimLeft(name, "._-"); name == "" || name == everyone {
		return "command"
	}
	return name
}

// everyone is what the proxy calls all clients together.
const everyone = "all"

// checkNames rejects names that could not be told apart.
func checkNames(known []*program) error {
	seen := map[string]bool{everyone: true}
	for _, pr := range known {
		if !nameForm.MatchString(pr.o.Name) {
			return fmt.Errorf("contender %q: want a name of a-z, 0-9, dot, dash and underscore", pr.o.Name)
		}
		for _, name := range append(pr.workers(), pr.o.Name) {
			if seen[name] {
				return fmt.Errorf("contender %s: the name is taken; every contender needs one of its own", name)
			}
			seen[name] = true
		}
	}
	return nil
}

func memberNames(n int) []string {
	names := make([]string, n)
	for i := range names {
		names[i] = "m" + strconv.Itoa(i+1)
	}
	return names
}
