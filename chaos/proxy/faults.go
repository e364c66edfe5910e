package proxy

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"locktop/chaos/relay"
	"locktop/model"
	"locktop/model/text"
)

// leaseTarget begins the target of a fault that is done to a lease, in hex.
const leaseTarget = "lease:"

// everyone is the target that means every client.
const everyone = "all"

// Inject puts a fault in force: one of those that are done to a client. It acts on
// the connections and streams that are open and on those that open later, until it
// is healed or its client forgotten; For is the caller's to keep. A message that is
// being forwarded at this very moment may still pass.
//
// The target is a client with listeners of its own, the address of a connected
// client that shares one, "all", or for hold-keepalives "lease:" and hex. Any other
// is errNoClient. A fault that is in force already is an error too.
func (p *Proxy) Inject(f model.Fault) error {
	if err := p.inject(f); err != nil {
		return fmt.Errorf("%s: %w", text.English(f.Message()), err)
	}
	if f.Kind == model.FaultCut {
		p.sever()
	}
	return nil
}

func (p *Proxy) inject(f model.Fault) error {
	if err := f.Check(); err != nil {
		return err
	}
	if info, _ := f.Kind.Info(); info.Target != model.TargetClient {
		return fmt.Errorf("the proxy cannot do that to a %s", info.Target)
	}
	if f.Member != "" && !slices.Contains(p.names, f.Member) {
		return fmt.Errorf("there is no member %s; there are %s", model.Printable(f.Member), strings.Join(p.names, ", "))
	}
	x := &injected{Fault: f, healed: make(chan struct{})}
	x.remaining.Store(int64(f.Count))
	p.mu.Lock() // the client stays while the fault is put in force
	defer p.mu.Unlock()
	if p.closed {
		return ErrClosed
	}
	if hex, ok := strings.CutPrefix(f.Target, leaseTarget); ok && f.Kind == model.FaultHoldKeepalives {
		id, err := model.ParseLeaseID(hex)
		if err != nil {
			return err
		}
		x.lease = id
	} else if !p.isClient(f.Target) {
		return errNoClient
	}
	return p.faults.add(x)
}

// isClient says whether a fault can be done to that client. p.mu is held.
func (p *Proxy) isClient(client string) bool {
	return client == everyone || p.clients[client] != nil ||
		slices.ContainsFunc(p.shared, func(d *listener) bool {
			return slices.ContainsFunc(d.Pairs(), func(pair *relay.Pair) bool { return d.route(pair).client == client })
		})
}

// sever closes the connections that are cut now.
func (p *Proxy) sever() {
	p.mu.Lock()
	doors := slices.Concat(slices.Collect(maps.Values(p.clients))...)
	p.mu.Unlock()
	now := p.faults.now()
	for _, d := range append(doors, p.shared...) {
		d.Cut(func(pair *relay.Pair) bool { return now.strikes(model.FaultCut, d.route(pair)) })
	}
}

// Heal ends every fault in force that f heals (see [model.Fault.Heals]), and
// returns how many those were. Of the renewals that hold-keepalives held, the latest
// of each lease goes to the member now and the older ones are dropped: renewing
// twice at the same moment is renewing once. All else that was held goes on in order.
func (p *Proxy) Heal(f model.Fault) int {
	return p.heal(func(x model.Fault) bool { return f.Heals(x) })
}

// HealAll ends every fault and returns how many there were.
func (p *Proxy) HealAll() int {
	return p.heal(func(model.Fault) bool { return true })
}

func (p *Proxy) heal(which func(model.Fault) bool) int {
	n := p.faults.remove(which)
	if n > 0 {
		p.holds.release()
	}
	return n
}

// Faults returns the faults in force, oldest first.
func (p *Proxy) Faults() []model.Fault {
	var out []model.Fault
	for _, x := range p.faults.now().list {
		out = append(out, x.Fault)
	}
	return out
}

// injected is a fault in force.
type injected struct {
	model.Fault
	lease     model.LeaseID // the target, if it is a lease
	remaining atomic.Int64  // how many messages more, if Count bounds them
	healed    chan struct{} // closed when it is
}

// appliesTo says whether the fault is done to the connections of that route.
func (i *injected) appliesTo(r route) bool {
	return (i.Target == r.client || i.Target == everyone) && (i.Member == "" || i.Member == r.member)
}

// take counts one more message, false if there were enough.
func (i *injected) take() bool { return i.Count == 0 || i.remaining.Add(-1) >= 0 }

// sameFault says whether two faults would do the same.
func sameFault(f, g model.Fault) bool {
	for _, h := range []*model.Fault{&f, &g} {
		h.For = 0
		if h.Direction == "" {
			h.Direction = model.Requests
		}
	}
	return f == g
}

// faults are those in force, as a snapshot that never changes: while no fault is in
// force, a message costs one atomic load.
type faults struct {
	mu  sync.Mutex // of those who change it
	cur atomic.Pointer[inForce]
}

// inForce is what is in force until changed is closed.
type inForce struct {
	list    []*injected
	changed chan struct{}
}

func newFaults() *faults {
	fs := &faults{}
	fs.cur.Store(&inForce{changed: make(chan struct{})})
	return fs
}

func (fs *faults) now() *inForce { return fs.cur.Load() }

// add puts a fault in force.
func (fs *faults) add(x *injected) error {
	fs.mu.Lock()
	defer fs.mu.Unlock()
	list := fs.now().list
	if slices.ContainsFunc(list, func(y *injected) bool { return sameFault(x.Fault, y.Fault) }) {
		return fmt.Errorf("it is active already")
	}
	fs.replace(append(slices.Clone(list), x))
	return nil
}

// remove ends the faults for which it is true, and counts them.
func (fs *faults) remove(which func(model.Fault) bool) int {
	fs.mu.Lock()
	defer fs.mu.Unlock()
	var stay, gone []*injected
	for _, x := range fs.now().list {
		if which(x.Fault) {
			gone = append(gone, x)
		} else {
			stay = append(stay, x)
		}
	}
	if len(gone) == 0 {
		return 0
	}
	fs.replace(stay)
	for _, x := range gone {
		close(x.healed)
	}
	return len(gone)
}

// replace makes that list the one in force and wakes who waits for a change.
func (fs *faults) replace(list []*injected) {
	old := fs.now()
	fs.cur.Store(&inForce{list: list, changed: make(chan struct{})})
	close(old.changed)
}

// strikes says whether a fault of that kind is done to the connections of that route.
func (s *inForce) strikes(kind model.FaultKind, r route) bool {
	for _, x := range s.list {
		if x.Kind == kind && x.appliesTo(r) {
			return true
		}
	}
	return false
}

// slowness is how slow the connections of that route are now: of several faults the worst.
func (s *inForce) slowness(r route) relay.Slowness {
	slow := relay.Slowness{Frozen: s.strikes(model.FaultFreeze, r), Changed: s.changed}
	for _, x := range s.list {
		if x.Kind != model.FaultSlow || !x.appliesTo(r) {
			continue
		}
		slow.Delay = max(slow.Delay, x.Delay)
		if x.Rate > 0 && (slow.Rate == 0 || x.Rate < slow.Rate) {
			slow.Rate = x.Rate
		}
	}
	return slow
}
