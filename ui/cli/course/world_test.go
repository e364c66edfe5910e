package course_test

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"time"

	"locktop/chaos/drill"
	"locktop/chaos/drill/runner"
	"locktop/model"
	"locktop/model/text"
)

// world is a lab without processes and without a clock of its own: keys, leases, and programs
// that do what contenders do. Time moves while a drill waits for something. While a person
// reads it moves as far as the person takes.
type world struct {
	mu       sync.Mutex
	now      time.Time
	stands   bool      // a text
	read     time.Time // until then somebody reads it
	rev      int64
	keys     map[string]model.KV
	leases   map[model.LeaseID]*lease
	progs    []*prog
	timers   []timer
	out      []model.Event
	changed  chan struct{} // something may have happened
	readOver chan struct{} // closed when read is reached; nil: nobody reads
	faults   map[string]int
	ids      int
	fence    drill.Fence
	noLead   bool
	// Of the guarded resource.
	highest     int64
	acked, lost int
}

type lease struct {
	ttl     time.Duration
	who     *prog
	ends    time.Time // zero: it is renewed
	sidecar *prog     // renews it as well, nil: nobody
}

type timer struct {
	at time.Time
	do func()
}

// prog is a program of the lab.
type prog struct {
	drill.Contender
	name         string
	proc         model.ProcState
	lease        model.LeaseID
	unsent, lost bool // its renewals are held; its lease went, and it knows
	told         []string
	waits        *claim
	held         []*claim
	last         *claim // that it held or holds
	readAt       int
	vain         int  // transactions of a spinner that failed
	naps         bool // before it spins again
	bare, byMod  bool // how it looks for who is before it, in a queue made by hand
	deaf         bool // it gave up, and its call waits on

	hand           *claim // that it put by hand
	read, watched  string // keys: that it read by hand last, and that it watches by hand
	observes       bool
	slow           bool   // what a watch tells it is held up
	sight          string // whom it observed last
	noGrant        bool   // its requests for a lease are held up
	late           string // a key that it will delete once its delete gets through
	holdsItsDelete bool
	unanswered     bool // its deletes are done, and no answer comes
}

// A client waits so long for the answer to its delete; an unlock in steps sets no deadline of its own.
const (
	asksFor    = 3 * time.Second
	stepsAsk   = time.Minute
	stepsWords = "owner-steps"
)

type claim struct {
	lock, key string
	rev       int64
	times     int
}

func newWorld(d *drill.Drill) *world {
	w := &world{now: time.Date(2026, 1, 2, 3, 4, 0, 0, time.UTC), keys: map[string]model.KV{}, leases: map[model.LeaseID]*lease{},
		faults: map[string]int{}, changed: make(chan struct{}, 1), fence: d.Lab.Fence}
	for _, c := range d.Lab.Contenders {
		for _, name := range c.Names() {
			w.progs = append(w.progs, &prog{Contender: c, name: name})
		}
	}
	w.say(model.LoadStarted{At: w.now, Prefix: "/"}, model.Loaded{At: w.now, Prefix: "/", Rev: 1}, model.Watching{At: w.now, Prefix: "/", Rev: 2})
	w.rev = 1
	w.members()
	return w
}

func (w *world) stage() runner.Lab {
	return runner.Lab{Source: w, Begin: w.begin, Do: w.do, Now: w.clock, Leader: func(context.Context) (string, error) { return "m1", nil }}
}

func (w *world) begin(context.Context) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, p := range w.progs {
		if !p.Later {
			w.spawn(p)
		}
	}
	return nil
}

func (w *world) clock() time.Time {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.now
}

// text says whether a text stands: then time moves only as far as somebody reads.
func (w *world) text(stands bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.stands = stands
	w.wake()
}

// reads lets somebody read for so long, and returns when that is over.
func (w *world) reads(ctx context.Context, long time.Duration) {
	over := make(chan struct{})
	w.mu.Lock()
	w.read, w.readOver = w.now.Add(long), over
	w.wake()
	w.mu.Unlock()
	select {
	case <-over:
	case <-ctx.Done():
	}
}

func (w *world) wake() {
	select {
	case w.changed <- struct{}{}:
	default:
	}
}

func (w *world) say(e ...model.Event) { w.out = append(w.out, e...) }
func (w *world) after(d time.Duration, do func()) {
	w.timers = append(w.timers, timer{w.now.Add(d), do})
	slices.SortStableFunc(w.timers, func(a, b timer) int { return a.at.Compare(b.at) })
}

// Next implements model.Source.
func (w *world) Next(ctx context.Context, want model.Want) (model.Batch, error) {
	for {
		w.mu.Lock()
		if len(w.out) == 0 {
			until := want.WakeAt
			if w.stands || w.readOver != nil {
				until = w.read
			}
			w.advance(until)
			if w.readOver != nil && !w.now.Before(w.read) {
				close(w.readOver)
				w.readOver = nil
			}
		}
		if len(w.out) > 0 {
			b := model.Batch{Events: w.out}
			w.out = nil
			w.mu.Unlock()
			return b, nil
		}
		w.mu.Unlock()
		select {
		case <-w.changed:
		case <-ctx.Done():
			return model.Batch{}, ctx.Err()
		}
	}
}

// advance lets time go on until something happens that is told, or until then.
func (w *world) advance(until time.Time) {
	for len(w.out) == 0 && w.now.Before(until) {
		next := until
		for _, l := range w.leases {
			if !l.ends.IsZero() && !w.noLead && l.ends.Before(next) && l.ends.After(w.now) {
				next = l.ends
			}
		}
		if len(w.timers) > 0 && w.timers[0].at.Before(next) {
			next = w.timers[0].at
		}
		w.now = next
		for len(w.timers) > 0 && !w.timers[0].at.After(w.now) {
			do := w.timers[0].do
			w.timers = w.timers[1:]
			do()
		}
		for id, l := range w.leases {
			if !l.ends.IsZero() && !w.noLead && !l.ends.After(w.now) {
				w.end(id)
			}
		}
		w.settle()
		if len(w.out) == 0 && !w.now.Before(until) {
			w.say(model.Tick{At: w.now})
		}
	}
}

func (w *world) commit(put *model.KV, del ...string) {
	w.rev++
	e := model.Committed{At: w.now, Rev: w.rev}
	if put != nil {
		kv := *put
		kv.CreateRev, kv.ModRev, kv.Version = w.rev, w.rev, 1
		if old, ok := w.keys[kv.Key]; ok {
			kv.CreateRev, kv.Version = old.CreateRev, old.Version+1
		}
		w.keys[kv.Key] = kv
		e.Changes = []model.Change{{KV: kv}}
	}
	for _, key := range del {
		delete(w.keys, key)
		e.Changes = append(e.Changes, model.Change{Deleted: true, KV: model.KV{Key: key, ModRev: w.rev}})
	}
	if len(e.Changes) > 0 {
		w.say(e)
	}
}

// end ends a lease: its keys go, and its client is told.
func (w *world) end(id model.LeaseID) {
	if id == 0 {
		return
	}
	l := w.leases[id]
	delete(w.leases, id)
	var gone []string
	for key, kv := range w.keys {
		if kv.Lease == id {
			gone = append(gone, key)
		}
	}
	slices.Sort(gone)
	if len(gone) > 0 {
		w.commit(nil, gone...)
	}
	if l != nil && l.who.lease == id && !owns(l.who.Recipe) && l.who.Recipe != "timer" {
		l.who.lost = true
	}
}

// stopsRenewing begins the countdown of a program's lease; renews ends it.
func (w *world) stopsRenewing(p *prog) {
	if l := w.leases[p.lease]; l != nil && l.ends.IsZero() && (l.sidecar == nil || l.sidecar.proc != model.ProcRunning) {
		l.ends = w.now.Add(l.ttl * 8 / 10)
	}
}

func (w *world) renews(p *prog) {
	if l := w.leases[p.lease]; l != nil && !owns(p.Recipe) && p.proc == model.ProcRunning && !p.unsent {
		l.ends = time.Time{}
	}
}

func (w *world) is(p *prog, proc model.ProcState, ended string) {
	p.proc = proc
	for _, l := range w.leases {
		if l.sidecar == p && l.who.proc == model.ProcEnded {
			w.stopsRenewing(l.who)
		}
	}
	w.say(model.Contender{At: w.now, Name: p.name, PID: 7, Lock: p.Locks[0], Recipe: p.Recipe, TTL: int(p.TTL.Seconds()), Proc: proc, Ended: ended})
}

func (w *world) spawn(p *prog) {
	p.lease, p.unsent, p.lost, p.told, p.waits, p.held, p.last, p.readAt, p.deaf = 0, false, false, nil, nil, nil, nil, 0, false
	p.bare, p.byMod, p.naps, p.vain = false, false, false, 0
	p.hand, p.read, p.watched, p.observes, p.slow, p.sight, p.noGrant, p.late, p.holdsItsDelete = nil, "", "", false, false, "", false, "", false
	p.unanswered = false
	w.is(p, model.ProcRunning, "")
	if !p.Manual {
		p.told = append(p.told, "lock")
	}
	w.settle()
}

// says is a sentence of a program that takes part in nothing.
func (w *world) says(p *prog, said model.Message) {
	w.say(model.Belief{At: w.now, Contender: p.name, Lock: p.Locks[0], State: model.BeliefIdle, Lease: p.lease, Text: text.English(said), Said: said})
}

func (w *world) believes(p *prog, lock string, state model.BeliefState, c *claim, text string) {
	b := model.Belief{At: w.now, Contender: p.name, Lock: lock, State: state, Lease: p.lease, Text: text}
	if c != nil && c.key != "" {
		b.Key, b.Token = c.key, c.rev
	}
	w.say(b)
}

// settle lets everybody who runs do what is to do, until nobody does anything.
func (w *world) settle() {
	for moved := true; moved; {
		moved = w.tells()
		for _, p := range w.progs {
			if p.proc != model.ProcRunning {
				continue
			}
			switch {
			case p.lost && !p.IgnoreDone:
				moved = true
				w.learns(p)
			case len(p.told) > 0:
				moved = true
				word := p.told[0]
				p.told = p.told[1:]
				w.does(p, word)
			case p.waits != nil && !w.noLead:
				moved = w.tries(p) || moved
			}
		}
	}
}

// tells lets programs know what they watch.
func (w *world) tells() (moved bool) {
	for _, p := range w.progs {
		if p.proc != model.ProcRunning {
			continue
		}
		if _, there := w.keys[p.watched]; p.watched != "" && !there {
			p.watched, moved = "", true
			w.believes(p, p.Locks[0], model.BeliefWaiting, p.hand, "watch: DELETE")
		}
		head := w.first(p.Locks[0])
		if p.observes && !p.slow && head.Key != "" && head.Value != p.sight {
			p.sight, moved = head.Value, true
			w.says(p, model.Say("program-observes", p.sight))
		}
	}
	return moved
}

// learns lets a program know that its lease has gone.
func (w *world) learns(p *prog) {
	lock := p.Locks[0]
	if p.waits != nil {
		lock = p.waits.lock
	}
	locks := []string{lock}
	for _, c := range p.held {
		locks = append(locks, c.lock)
	}
	slices.Sort(locks)
	for _, lock := range slices.Compact(locks) {
		w.believes(p, lock, model.BeliefLost, nil, "")
	}
	p.lost, p.waits, p.held, p.lease = false, nil, nil, 0
}

// session gives a program a lease.
func (w *world) session(p *prog) {
	if w.leases[p.lease] != nil && !owns(p.Recipe) {
		return
	}
	p.lost = false
	p.lease = model.LeaseID(0x694d81e500000100 + w.rev*16 + int64(len(w.leases)) + int64(p.name[0])<<20)
	w.leases[p.lease] = &lease{ttl: p.TTL, who: p}
	if owns(p.Recipe) {
		w.leases[p.lease].ends = w.now.Add(p.TTL)
	} else if p.unsent {
		w.stopsRenewing(p)
	}
	w.say(model.LeaseOwner{At: w.now, Lease: p.lease, Client: model.Client{Name: p.name, Certain: true}})
}

func queues(recipe string) bool {
	return recipe == "mutex" || recipe == "election" || recipe == "uuid-queue"
}

// does lets a program do what it was told.
func (w *world) does(p *prog, word string) {
	var top *claim
	if n := len(p.held); n > 0 {
		top = p.held[n-1]
	}
	word, named, _ := strings.Cut(word, " ")
	switch word {
	case "claim":
		w.session(p)
		p.hand = &claim{lock: p.Locks[0], key: p.Locks[0] + "/" + p.lease.String()}
		w.commit(&model.KV{Key: p.hand.key, Lease: p.lease})
		p.hand.rev = w.keys[p.hand.key].CreateRev
		w.believes(p, p.hand.lock, model.BeliefWaiting, p.hand, "txn")
	case "get":
		p.read = ""
		for key, kv := range w.keys {
			if strings.HasPrefix(key, p.Locks[0]+"/") && kv.CreateRev < p.hand.rev && (p.read == "" || w.keys[p.read].CreateRev < kv.CreateRev) {
				p.read = key
			}
		}
		w.believes(p, p.Locks[0], model.BeliefWaiting, p.hand, "get: CreateRevision=")
	case "watch":
		p.watched = p.read
		w.believes(p, p.Locks[0], model.BeliefWaiting, p.hand, "watch: Rev=")
	case "enter":
		p.held, p.last = append(p.held, p.hand), p.hand
		w.believes(p, p.Locks[0], model.BeliefHolding, p.hand, "")
	case "give-up":
		if c := p.waits; c != nil {
			p.waits = nil
			w.commit(nil, c.key)
			w.believes(p, c.lock, model.BeliefIdle, nil, "")
		}
	case "observe":
		p.observes = true
	case "observed":
		w.says(p, model.Say("program-observed", p.sight))
	case "leader":
		w.says(p, model.Say("program-asked", w.first(p.Locks[0]).Value))
	case "lock":
		if p.waits != nil || len(p.held) == len(p.Locks) {
			return
		}
		lock := cmp.Or(named, p.Locks[len(p.held)])
		if p.Recipe == "expiry-later" && p.noGrant {
			w.commit(&model.KV{Key: lock, Value: p.name})
			w.believes(p, lock, model.BeliefWaiting, nil, "")
			return
		}
		w.session(p)
		p.waits = &claim{lock: lock}
		if queues(p.Recipe) {
			p.waits.key = lock + "/" + p.lease.String()
			kv := model.KV{Key: p.waits.key, Lease: p.lease}
			if p.Recipe == "election" { // a mutex writes no value
				kv.Value = p.name
			}
			w.commit(&kv)
			p.waits.rev = w.keys[p.waits.key].CreateRev
		}
		w.believes(p, lock, model.BeliefWaiting, p.waits, "")
	case "abandon": // its call waits on
		w.believes(p, p.Locks[0], model.BeliefIdle, nil, "gave up")
		p.deaf = true
	case "lock-again":
		if top != nil {
			top.times++
		}
	case "unlock":
		if top == nil {
			return
		}
		if p.holdsItsDelete || p.unanswered {
			w.believes(p, top.lock, model.BeliefLeaving, top, "")
			if p.late = top.key; p.unanswered {
				w.commit(nil, top.key)
			}
			limit := asksFor
			if p.Recipe == stepsWords {
				limit = stepsAsk
			}
			w.after(limit, func() {
				if p.late == top.key {
					p.late, p.held = "", nil
					w.believes(p, top.lock, model.BeliefIdle, nil, "unlock: no answer within 3s")
				}
			})
			return
		}
		if kv, ok := w.keys[top.key]; ok && (!owns(p.Recipe) || kv.Value == cmp.Or(p.Owner, p.name)) && (!queues(p.Recipe) || kv.CreateRev == top.rev) {
			w.commit(nil, top.key)
		}
		if top.times--; top.times > 0 {
			w.believes(p, top.lock, model.BeliefHolding, top, "unlocked once")
			return
		}
		p.held = p.held[:len(p.held)-1]
		w.believes(p, top.lock, model.BeliefIdle, nil, "")
		if !p.Manual {
			w.is(p, model.ProcEnded, "exit 0")
		}
	case "resign-again": // the library forgot the key
		w.believes(p, p.Locks[0], model.BeliefIdle, nil, "resigned once more, without an error")
	case "unlock-again":
		if p.last != nil {
			w.commit(nil, p.last.key)
		}
	case "take-if":
		w.takes(p, named)
	case "renew":
		first := w.first(p.Locks[0])
		if l := w.leases[first.Lease]; l != nil {
			l.sidecar = p
			w.believes(p, p.Locks[0], model.BeliefIdle, nil, "renews the lease "+first.Lease.String())
		}
	case "queue-by":
		prefix, by, _ := strings.Cut(named, " ")
		p.bare, p.byMod = prefix == "bare", by == "mod"
	case "proclaim", "rewrite":
		if top != nil {
			w.commit(&model.KV{Key: top.key, Value: p.name + "#1", Lease: p.lease})
		}
	case "close":
		for _, c := range p.held {
			w.believes(p, c.lock, model.BeliefIdle, nil, "")
		}
		id := p.lease
		p.held, p.waits, p.lease = nil, nil, 0
		w.end(id)
	case "read":
		w.access(p, false)
	case "put":
		w.access(p, true)
	case "write":
		w.access(p, false)
		w.access(p, true)
	}
}

// takes is a lock in one transaction: by the names of keys that are compared, and of those that are put.
func (w *world) takes(p *prog, named string) {
	w.session(p)
	compared, puts, _ := strings.Cut(strings.ReplaceAll(named, "mine", p.Locks[0]+"/"+p.lease.String()), " ")
	for key := range strings.SplitSeq(compared, "+") {
		if _, there := w.keys[key]; there {
			w.believes(p, p.Locks[0], model.BeliefIdle, nil, "txn: Succeeded=false")
			return
		}
	}
	for key := range strings.SplitSeq(puts, "+") {
		w.commit(&model.KV{Key: key, Value: p.name, Lease: p.lease})
		p.last = &claim{lock: p.Locks[0], key: key, rev: w.keys[key].CreateRev}
	}
	p.held = append(p.held, p.last)
	w.believes(p, p.Locks[0], model.BeliefHolding, p.last, "txn: Succeeded=true")
}

// access is one of the guarded resource.
func (w *world) access(p *prog, write bool) {
	if p.last == nil {
		return
	}
	a := model.Access{At: w.now, Contender: p.name, Lock: p.last.lock, Write: write, Token: p.last.rev, Highest: w.highest, Accepted: true}
	asks := w.fence == drill.FenceAll || write && w.fence == drill.FenceWrites
	a.Accepted = !asks || a.Token >= w.highest
	if asks {
		w.highest = max(w.highest, a.Token)
	}
	switch {
	case write && a.Accepted:
		w.lost += w.acked - p.readAt
		w.acked++
		p.readAt = w.acked
	case !write:
		p.readAt = w.acked
	}
	a.Acked, a.Lost = w.acked, w.lost
	w.say(a)
}

// tries lets a waiting program have its lock if it may, and says whether something changed.
func (w *world) tries(p *prog) bool {
	c := p.waits
	if queues(p.Recipe) {
		for key, kv := range w.keys {
			rev, prefix := kv.CreateRev, c.lock+"/"
			if p.byMod {
				rev = kv.ModRev
			}
			if p.bare {
				prefix = c.lock
			}
			if strings.HasPrefix(key, prefix) && rev < c.rev {
				return false
			}
		}
		w.has(p, c)
		return true
	}
	c.key = c.lock
	if p.Recipe == "try-lock" {
		c.key = c.lock + "/" + p.lease.String()
	}
	if _, taken := w.keys[c.key]; taken && p.Recipe == "spin" && !p.naps {
		p.naps = true
		w.after(40*time.Millisecond, func() {
			if p.naps = false; p.waits == c {
				p.vain++
				w.say(model.Asked{At: w.now, Client: model.Client{Name: p.name, Certain: true}, Txns: p.vain, Vain: p.vain})
			}
		})
	}
	if p.Recipe == "cron-lock" { // it compares another key
		c.key = strings.Replace(c.lock, "/lock/", "/jobs/", 1)
		delete(w.keys, c.key) // and puts this one, whoever has it
	}
	for key := range w.keys {
		if key == c.key || p.Recipe == "try-lock" && strings.HasPrefix(key, c.lock+"/") {
			return false
		}
	}
	w.commit(&model.KV{Key: c.key, Value: cmp.Or(p.Owner, p.name), Lease: p.lease})
	c.rev = w.keys[c.key].CreateRev
	w.has(p, c)
	for _, o := range w.progs { // who was woken in vain
		if o.waits != nil && o.waits.lock == c.lock && o.proc == model.ProcRunning {
			w.believes(o, c.lock, model.BeliefIdle, nil, "another was first")
			w.believes(o, c.lock, model.BeliefWaiting, nil, "")
		}
	}
	return true
}

func (w *world) has(p *prog, c *claim) {
	c.times, p.waits, p.last = 1, nil, c
	p.held = append(p.held, c)
	w.believes(p, c.lock, model.BeliefHolding, c, "")
	if !p.Manual {
		w.after(p.Hold, func() { p.told = append(p.told, "unlock") })
	}
}

func (w *world) members() {
	e := model.ClusterStatus{At: w.now, ClusterID: 1}
	for i := range 3 {
		m := model.Member{ID: uint64(i + 1), Name: fmt.Sprint("m", i+1), Leader: i == 0 && !w.noLead, Term: 2, NoLeader: w.noLead}
		if w.noLead && i > 0 {
			m.Err = model.Say("quote", "it does not answer")
		}
		e.Members = append(e.Members, m)
	}
	w.say(e)
}

// someKey is one of those that are there, "" for none.
func (w *world) someKey(rng *rand.Rand) string {
	w.mu.Lock()
	defer w.mu.Unlock()
	keys := slices.Sorted(maps.Keys(w.keys))
	if len(keys) == 0 {
		return ""
	}
	return keys[rng.IntN(len(keys))]
}

// startAnew gives all leases that run out a whole TTL, as a new leader does.
func (w *world) startAnew() {
	for _, l := range w.leases {
		if !l.ends.IsZero() {
			l.ends = w.now.Add(l.ttl + time.Second)
		}
	}
}

// do is every action of the lab.
func (w *world) do(_ context.Context, a model.Action) model.Outcome {
	w.mu.Lock()
	defer w.mu.Unlock()
	defer w.wake()
	o := model.Outcome{Action: a, At: w.now, Done: true}
	find := func(name string) *prog {
		for _, p := range w.progs {
			if p.name == name && p.proc != "" && p.proc != model.ProcEnded {
				return p
			}
		}
		o.Done, o.Err = false, name+" does not run"
		return nil
	}
	switch a.Kind {
	case model.SpawnProc:
		for _, p := range w.progs {
			if p.name == a.Contender {
				w.spawn(p)
			}
		}
	case model.TellProc:
		if p := find(a.Contender); p != nil {
			p.told = append(p.told, a.Word)
		}
	case model.InjectFault:
		w.inject(a.Fault, find, &o)
	case model.DeleteClaim:
		if _, ok := w.keys[a.Key]; !ok {
			o.Done, o.Err = false, "it is gone"
			return o
		}
		w.commit(nil, a.Key)
	case model.HealFault:
		w.heal(a.Fault)
	case model.HealAll:
		for _, p := range w.progs {
			w.heal(model.Fault{Kind: model.FaultPause, Target: p.name})
			w.heal(model.Fault{Kind: model.FaultHoldKeepalives, Target: p.name})
			w.heal(model.Fault{Kind: model.FaultFreeze, Target: p.name})
			p.unsent, p.slow, p.noGrant, p.holdsItsDelete, p.unanswered = false, false, false, false, false
			if p.late != "" {
				w.commit(nil, p.late)
				p.late, p.held = "", nil
				w.believes(p, p.Locks[0], model.BeliefIdle, nil, "")
			}
		}
		w.heal(model.Fault{Kind: model.FaultLoseQuorum})
	default:
		o.Done, o.Err = false, "this world cannot do that"
	}
	w.settle()
	return o
}

func (w *world) inject(f model.Fault, find func(string) *prog, o *model.Outcome) {
	switch f.Kind {
	case model.FaultMoveLeader:
		w.startAnew()
		return
	case model.FaultLoseQuorum:
		w.noLead = true
		w.members()
	case model.FaultStopMember:
		w.startAnew()
	case model.FaultPut:
		w.commit(&model.KV{Key: f.Target, Value: f.Value})
	default:
		p := find(f.Target)
		if p == nil {
			return
		}
		switch f.Kind {
		case model.FaultKill:
			w.stopsRenewing(p)
			w.is(p, model.ProcEnded, "killed")
			return
		case model.FaultRevoke:
			if w.leases[p.lease] == nil {
				o.Done, o.Err = false, "it has no lease"
				return
			}
			w.end(p.lease)
			return
		case model.FaultStop:
			w.after(20*time.Millisecond, func() { // it takes a moment to leave in order
				for _, c := range p.held {
					w.believes(p, c.lock, model.BeliefIdle, nil, "")
				}
				w.end(p.lease)
				w.is(p, model.ProcEnded, "exit 0")
			})
			return
		case model.FaultPause:
			w.stopsRenewing(p)
			w.is(p, model.ProcPaused, "")
		case model.FaultDetach:
			if p.last == nil || w.keys[p.last.key].Lease != p.lease {
				o.Done, o.Err = false, "it has no claim"
				return
			}
			kv := w.keys[p.last.key]
			kv.Lease = 0
			w.commit(&kv)
		case model.FaultHold:
			p.slow, p.noGrant, p.holdsItsDelete = f.Method == "Watch/Watch", f.Method == "Lease/LeaseGrant", f.Method == "KV/DeleteRange" || f.Method == "KV/Txn" && p.Recipe == "election"
		case model.FaultDropReply:
			p.unanswered = f.Method == "KV/DeleteRange"
		case model.FaultHoldKeepalives, model.FaultFreeze, model.FaultCut:
			p.unsent = true
			w.stopsRenewing(p)
		default:
			o.Done, o.Err = false, "this world knows no such fault"
			return
		}
	}
	w.ids++
	w.faults[text.English(f.Message())] = w.ids
	w.say(model.FaultOn{At: w.now, ID: w.ids, Fault: f})
}

// first is the first key in the queue of a lock.
func (w *world) first(lock string) (first model.KV) {
	for key, kv := range w.keys {
		if strings.HasPrefix(key, lock+"/") && (first.Key == "" || kv.CreateRev < first.CreateRev) {
			first = kv
		}
	}
	return first
}

func (w *world) heal(f model.Fault) {
	id, on := w.faults[text.English(f.Message())]
	if !on {
		return
	}
	delete(w.faults, text.English(f.Message()))
	w.say(model.FaultOff{At: w.now, ID: id, Why: "healed"})
	if f.Kind == model.FaultLoseQuorum {
		w.noLead = false
		w.startAnew()
		w.members()
	}
	for _, p := range w.progs {
		if p.name != f.Target {
			continue
		}
		passes := f.Kind == model.FaultHoldKeepalives && p.Recipe != "timer" || f.Kind == model.FaultCut // an error ended the timer
		if p.unsent = p.unsent && !passes; f.Kind == model.FaultPause && p.proc == model.ProcPaused {
			w.is(p, model.ProcRunning, "")
		}
		w.renews(p)
	}
}

// owns says whether a recipe writes its owner into one key, and never renews.
func owns(recipe string) bool { return recipe == "owner" || recipe == "owner-steps" }
