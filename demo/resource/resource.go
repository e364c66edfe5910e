package resource

import (
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"slices"
	"sync"
	"time"

	"locktop/chaos/drill"
	"locktop/demo/process"
	"locktop/model"
)

// serveWithin bounds one request to the resource.
const serveWithin = 3 * time.Second

const (
	// MaxElements bounds a register of the resource.
	MaxElements = 20000
	// MaxAccess bounds a request, in bytes.
	MaxAccess = 1 << 20
	// AccessPath is the page on which the resource is accessed.
	AccessPath = "/access"
	// RulePath is the page on which it is given a [Rule].
	RulePath = "/rule"
)

// Rule is a fence that somebody wrote: what the resource refuses, and what it keeps of the tokens
// that it accepts.
type Rule struct {
	// Op compares the token of an access with what is kept: <, <=, >, >=, = or !=. Where it holds,
	// the access is refused.
	Op string `json:"op"`
	// Keep is "highest", "last", or "nothing".
	Keep string `json:"keep"`
}

// refuses says whether an access with this token is refused.
func (r Rule) refuses(token, kept int64) bool {
	switch r.Op {
	case "<":
		return token < kept
	case "<=":
		return token <= kept
	case ">":
		return token > kept
	case ">=":
		return token >= kept
	case "=":
		return token == kept
	}
	return token != kept
}

// keeps is what is kept once an access with this token was accepted.
func (r Rule) keeps(token, kept int64) int64 {
	switch r.Keep {
	case "highest":
		return max(token, kept)
	case "last":
		return token
	}
	return kept
}

// usual is the rule of a fence that nobody has written anew.
var usual = Rule{Op: "<", Keep: "highest"}

// Options says what resource to start.
type Options struct {
	// Fence says which accesses are refused with an old token.
	Fence drill.Fence
	// Report, if set, is called with a [model.Access] for each access, one at a time
	// and in their order. It must not block.
	Report func(model.Event)
	// Now dates the reports; default time.Now.
	Now func() time.Time
}

// Resource is what the locks of a lab protect: for each lock a register with a set
// of numbers, outside of etcd. A writer reads the set, adds a number, and writes the
// whole set back, so that two who do that at the same time lose an update. It
// listens on the loopback interface, and all methods may be called from any
// goroutine.
type Resource struct {
	o        Options
	listener net.Listener
	server   *http.Server
	serving  sync.WaitGroup

	mu        sync.Mutex
	rule      Rule
	registers map[string]*register
}

// register is what one lock protects.
type register struct {
	set     []int64
	acked   map[int64]bool // every number of a write that was accepted
	highest int64          // of the tokens of accepted accesses that are fenced
	refused int
}

// Access is a request to the resource.
type Access struct {
	Contender string  `json:"contender"`
	Lock      string  `json:"lock"`
	Token     int64   `json:"token"`
	Write     bool    `json:"write"`
	Set       []int64 `json:"set,omitempty"` // of a write
}

// Answer is what the resource says to it.
type Answer struct {
	Accepted bool    `json:"accepted"`
	Highest  int64   `json:"highest"` // of the tokens before
	Set      []int64 `json:"set,omitempty"`
}

// New starts a resource on a free port of 127.0.0.1.
func New(o Options) (*Resource, error) {
	switch o.Fence {
	case "":
		o.Fence = drill.FenceNone
	case drill.FenceNone, drill.FenceWrites, drill.FenceAll:
	default:
		return nil, fmt.Errorf("start the resource: fence %q: want %s, %s or %s", o.Fence,
			drill.FenceNone, drill.FenceWrites, drill.FenceAll)
	}
	if o.Report == nil {
		o.Report = func(model.Event) {}
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	l, err := process.Listen()
	if err != nil {
		return nil, fmt.Errorf("start the resource: %w", err)
	}
	r := &Resource{o: o, listener: l, rule: usual, registers: map[string]*register{}}
	pages := http.NewServeMux()
	pages.HandleFunc("POST "+AccessPath, r.serve)
	pages.HandleFunc("POST "+RulePath, r.serveRule)
	r.server = &http.Server{Handler: pages, ReadTimeout: serveWithin, WriteTimeout: serveWithin, IdleTimeout: serveWithin}
	r.serving.Go(func() { _ = r.server.Serve(l) }) // it ends with Close
	return r, nil
}

// Addr is where it listens, host:port: what a contender is told.
func (r *Resource) Addr() string { return r.listener.Addr().String() }

// Close ends it at once. The counts stay readable.
func (r *Resource) Close() error {
	err := r.server.Close()
	r.serving.Wait()
	if err != nil && !errors.Is(err, net.ErrClosed) {
		return fmt.Errorf("close the resource: %w", err)
	}
	return nil
}

// serve answers one access.
func (r *Resource) serve(w http.ResponseWriter, req *http.Request) {
	var a Access
	if err := json.NewDecoder(http.MaxBytesReader(w, req.Body, MaxAccess)).Decode(&a); err != nil {
		http.Error(w, "read the access: "+err.Error(), http.StatusBadRequest)
		return
	}
	if a.Contender == "" || a.Lock == "" || len(a.Set) > MaxElements {
		http.Error(w, fmt.Sprintf("want a contender, a lock, and at most %d elements", MaxElements), http.StatusBadRequest)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	// A client that does not hear the answer is like any client of an unreliable network.
	_ = json.NewEncoder(w).Encode(r.Access(a))
}

// serveRule takes a rule, and forgets what was kept of tokens before.
func (r *Resource) serveRule(w http.ResponseWriter, req *http.Request) {
	var rule Rule
	if err := json.NewDecoder(http.MaxBytesReader(w, req.Body, MaxAccess)).Decode(&rule); err != nil {
		http.Error(w, "read the rule: "+err.Error(), http.StatusBadRequest)
		return
	}
	if !slices.Contains([]string{"<", "<=", ">", ">=", "=", "!="}, rule.Op) || !slices.Contains([]string{"highest", "last", "nothing"}, rule.Keep) {
		http.Error(w, fmt.Sprintf("the rule %q, keep %q: want <, <=, >, >=, = or !=, and highest, last or nothing", rule.Op, rule.Keep), http.StatusBadRequest)
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.rule = rule
	for _, reg := range r.registers {
		reg.highest = 0
	}
}

// Access decides on an access, does it, and reports it.
func (r *Resource) Access(a Access) Answer {
	r.mu.Lock()
	defer r.mu.Unlock()
	reg := r.registers[a.Lock]
	if reg == nil {
		reg = &register{acked: map[int64]bool{}}
		r.registers[a.Lock] = reg
	}
	fenced := r.o.Fence == drill.FenceAll || r.o.Fence == drill.FenceWrites && a.Write
	ans := Answer{Highest: reg.highest, Accepted: !fenced || !r.rule.refuses(a.Token, reg.highest)}
	switch {
	case !ans.Accepted:
		reg.refused++
	case a.Write:
		reg.replace(a.Set)
	default:
		ans.Set = slices.Clone(reg.set)
	}
	if ans.Accepted && fenced {
		reg.highest = r.rule.keeps(a.Token, reg.highest)
	}
	r.o.Report(model.Access{At: r.o.Now(), Contender: a.Contender, Lock: a.Lock, Write: a.Write,
		Token: a.Token, Highest: ans.Highest, Accepted: ans.Accepted,
		Acked: len(reg.acked), Lost: len(reg.lost())})
	return ans
}

// replace is an accepted write.
func (reg *register) replace(set []int64) {
	reg.set = slices.Clone(set)
	for _, e := range set {
		reg.acked[e] = true
	}
}

// lost are the numbers that were acknowledged and are not there now, sorted.
func (reg *register) lost() []int64 {
	there := make(map[int64]bool, len(reg.set))
	for _, e := range reg.set {
		there[e] = true
	}
	var lost []int64
	for e := range reg.acked {
		if !there[e] {
			lost = append(lost, e)
		}
	}
	slices.Sort(lost)
	return lost
}

// Counts are the updates of a lock's register that were acknowledged, those of them
// that are lost by now, and the accesses that were refused because of their tokens.
func (r *Resource) Counts(lock string) (acked, lost, refused int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	reg := r.registers[lock]
	if reg == nil {
		return 0, 0, 0
	}
	return len(reg.acked), len(reg.lost()), reg.refused
}

// Lost are the numbers of a lock's register that were acknowledged and are missing
// now, sorted.
func (r *Resource) Lost(lock string) []int64 {
	r.mu.Lock()
	defer r.mu.Unlock()
	if reg := r.registers[lock]; reg != nil {
		return reg.lost()
	}
	return nil
}
