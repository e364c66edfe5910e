package locks

import (
	"slices"
	"strings"
	"time"

	"locktop/model"
	"locktop/model/recipe"
)

// Keys are the watched keys, the directories in which they stand, and the locks that these are.
type Keys struct {
	pins       *Pins
	change     *currentChange
	inferences Inferences

	shownKey   recipe.Key        // the one that is shown to recipes
	claims     map[string]*Claim // every watched key
	dirs       map[string]*dir
	lastDir    *dir    // that was asked for last: keys come in their order
	maxKey     string  // no key that was ever there comes behind it
	infos      int     // how many keys lockInfo could read
	claimCount int     // claims in all
	noValues   bool    // values of keys are left out of what is told
	order      []*Lock // every lock, sorted by name unless dirty
	dirty      bool
	played     map[string]bool // locks in which a program says that it takes part
}

func newKeys(p *Pins, ch *currentChange) *Keys {
	return &Keys{pins: p, change: ch, claims: map[string]*Claim{}, dirs: map[string]*dir{}}
}

// Pins are what the user said of keys and locks.
type Pins struct{ all []model.Pin }

// Expected returns how many contenders were declared for a lock, 0 for none.
func (ps *Pins) Expected(lock string) int {
	if p := ps.expecting(lock); p != nil {
		return p.Expect
	}
	return 0
}

// WarnWait returns from when on a wait for a lock is worth a word, 0 if nobody said.
func (ps *Pins) WarnWait(lock string) time.Duration {
	want, longest := time.Duration(0), -1
	for _, p := range ps.all {
		if p.Wait > 0 && len(p.Prefix) > longest && strings.HasPrefix(lock+"/", p.Prefix) {
			want, longest = p.Wait, len(p.Prefix)
		}
	}
	return want
}

// Long says whether somebody said that a lock is meant to be held for long.
func (ps *Pins) Long(lock string) bool {
	return slices.ContainsFunc(ps.all, func(p model.Pin) bool { return p.Long && strings.HasPrefix(lock+"/", p.Prefix) })
}

// NoValues says whether values of keys are left out of what is told.
func (ks *Keys) NoValues() bool { return ks.noValues }

// Claim returns the watched key of that name, nil if there is none.
func (ks *Keys) Claim(key string) *Claim { return ks.claims[key] }

// Counts returns the numbers of watched keys, and of those that are claims of a
// lock.
func (ks *Keys) Counts() (keys, claims int) { return len(ks.claims), ks.claimCount }

// Lock returns the lock of that name, nil if there is none.
func (ks *Keys) Lock(name string) *Lock {
	if d := ks.dirs[name]; d != nil && d.lock != nil && d.lock.listed {
		return d.lock
	}
	return nil
}

// Locks returns every lock by name, the free ones that are still remembered
// included. The slice is the state's own and valid until the next Apply.
func (ks *Keys) Locks() []*Lock {
	if ks.dirty {
		ks.order = slices.DeleteFunc(ks.order, func(l *Lock) bool { return !l.listed })
		slices.SortFunc(ks.order, func(a, b *Lock) int { return strings.Compare(a.Name, b.Name) })
		ks.dirty = false
	}
	return ks.order
}

// dirAt returns the directory of that path, made with its parents if needed.
func (ks *Keys) dirAt(path string) *dir {
	if ks.lastDir != nil && ks.lastDir.path == path {
		return ks.lastDir
	}
	d := ks.dirs[path]
	if d == nil {
		d = ks.makeDir(path)
	}
	ks.lastDir = d
	return d
}

func (ks *Keys) makeDir(path string) *dir {
	d := &dir{path: path}
	ks.dirs[path] = d
	if up, _, ok := model.Split(path); ok {
		d.parent = ks.dirAt(up)
		if d.parent.children == nil {
			d.parent.children = map[*dir]struct{}{}
		}
		d.parent.children[d] = struct{}{}
	}
	return d
}

// dropDir forgets d and its parents as far as nothing is in them.
func (ks *Keys) dropDir(d *dir) {
	for d != nil && d.keys == 0 && d.lock == nil && d.self == nil && len(d.children) == 0 {
		delete(ks.dirs, d.path)
		if ks.lastDir == d {
			ks.lastDir = nil
		}
		if d.parent != nil {
			delete(d.parent.children, d)
		}
		d = d.parent
	}
}

// below yields every key in d and under it. A queue right here has them all.
func (d *dir) below(yield func(*Claim)) {
	if d.lock != nil && d.lock.mode == recipe.Queue && !d.lock.direct {
		d.lock.queue.All(func(c *Claim) bool {
			if !c.isOutside() || c.home != d {
				yield(c)
			}
			return true
		})
		return
	}
	if d.lock != nil && d.lock.mode == recipe.Queue {
		d.lock.queue.All(func(c *Claim) bool { yield(c); return true })
	}
	for c := range d.others {
		yield(c)
	}
	for child := range d.children {
		child.below(yield)
	}
}

// mode is what the keys make of the directory. A claim that lost its lease blocks whoever comes next,
// also where it is the last one of the queue.
func (d *dir) mode() recipe.Shape {
	switch {
	case d.queued > 0, d.detached > 0 && d.lock != nil && d.lock.mode == recipe.Queue:
		return recipe.Queue
	case d.self != nil:
		return recipe.Single
	case d.leased > 0:
		return recipe.Group
	}
	return recipe.NoShape
}

// count adds n to what d has of the claim's form.
func (d *dir) count(c *Claim, n int) {
	switch c.form.Shape() {
	case recipe.Queue:
		d.queued += n
	case recipe.Group:
		d.leased += n
	case recipe.Single:
		d.self = nil
		if n > 0 {
			d.self = c
		}
	}
}

// inQueueHere says whether c is known to its directory by the queue alone.
func (c *Claim) inQueueHere() bool { return c.home == c.dir && c.form.Shape() == recipe.Queue }

// isOutside says whether c competes for a lock below whose name it does not stand.
func (c *Claim) isOutside() bool {
	return c.home != nil && c.form.Shape() == recipe.Queue && (len(c.Key) <= len(c.home.path) || c.Key[len(c.home.path)] != '/')
}

// enter finds the place of a key and puts it into every queue that counts it.
func (ks *Keys) enter(c *Claim) {
	shown, lock := ks.shown(&c.KV), ""
	switch p := model.PinOf(c.Key, ks.pins.all); {
	case c.Stripped(): // it was a lock by itself, and remains one that never expires
		lock = c.Key
	case c.moved: // it is the claim that it was
		lock = c.dir.path
	case p != nil:
		lock, c.form = p.Recipe.Place(shown)
	default:
		if lock, c.form = recipe.Place(shown); (c.form.Shape() == recipe.Group || c.standsAlone()) && ks.takesTurns(shown, c.dir) {
			lock, c.form = recipe.ByPin.Place(shown)
		}
	}
	c.home, c.detached = nil, c.Stripped() || c.form == 0 && recipe.Detached(shown)
	if c.form != 0 {
		c.home = ks.dirAt(lock)
		c.home.count(c, 1)
		ks.reshape(c.home, c)
	}
	c.lostLease(1)
	if c.dir != nil && !c.inQueueHere() {
		if c.dir.others == nil {
			c.dir.others = map[*Claim]struct{}{}
		}
		c.dir.others[c] = struct{}{}
	}
	ks.eachQueue(c, func(l *Lock) { l.insert(c) })
	ks.count(c, 1)
	c.count()
}

// lostLease adds n to how many such keys the directory has, if c is one.
func (c *Claim) lostLease(n int) {
	if c.form == 0 && c.detached { // named below something
		c.dir.detached += n
	}
}

// standsAlone says whether a leased key stands below nothing, and is of no recipe.
func (c *Claim) standsAlone() bool { return c.form == 0 && c.dir == nil && c.KV.Lease != 0 }

// leave is the opposite of enter.
func (ks *Keys) leave(c *Claim) {
	if c.lease != nil {
		c.lease.count(c, false, false)
	}
	ks.count(c, -1)
	ks.eachQueue(c, func(l *Lock) { l.remove(c) })
	if c.dir != nil {
		delete(c.dir.others, c)
	}
	if c.lostLease(-1); c.form == 0 && c.detached && c.dir.lock != nil {
		ks.reshape(c.dir, c)
	}
	if home := c.home; home != nil {
		home.count(c, -1)
		ks.reshape(home, c)
		c.home = nil
	}
}

// eachQueue calls f with every lock whose queue counts c.
func (ks *Keys) eachQueue(c *Claim, f func(*Lock)) {
	change := func(l *Lock) {
		ks.change.remember(l)
		f(l)
		ks.change.changed(l)
	}
	for d := c.dir; d != nil; d = d.parent {
		if d.lock != nil && d.lock.mode == recipe.Queue {
			change(d.lock)
		}
	}
	if h := c.home; h != nil && h.lock != nil && h.lock.mode == c.form.Shape() && (h.lock.mode != recipe.Queue || c.isOutside()) {
		change(h.lock)
	}
	if name := recipe.Registers(ks.shown(&c.KV)); name != "" {
		if l := ks.Lock(name); l != nil && l.mode == recipe.Single {
			ks.change.remember(l)
			ks.change.changed(l)
		}
	}
}

// count counts c among the claims of its lock.
func (ks *Keys) count(c *Claim, n int) {
	if c.home == nil {
		return
	}
	if c.form.Claims() {
		ks.claimCount += n
		if c.lease != nil {
			c.lease.compete(c, int32(n))
		}
	}
	if l := c.home.lock; l != nil {
		l.counts.Count(c.form, c.HasValue(), int32(n))
	}
}

// reshape makes of a directory what its keys say, when that has changed because of
// a key that enters or leaves: that one is put into the queue by who called.
func (ks *Keys) reshape(d *dir, claim *Claim) {
	want := d.mode()
	if d.lock == nil {
		if want == recipe.NoShape {
			return
		}
		p := model.PinOf(d.path+"/", ks.pins.all)
		d.lock = &Lock{Name: d.path, dir: d, recipe: recipe.OrderOnly, direct: p != nil && p.Recipe.Permits > 0,
			evidence: evidence{played: ks.played[d.path] || ks.pins.Expected(d.path) > 0}}
	}
	l := d.lock
	if want != recipe.NoShape && !l.listed {
		l.listed, ks.dirty = true, true
		ks.order = append(ks.order, l)
	}
	if l.mode == want {
		return
	}
	ks.change.remember(l)
	ks.change.changed(l)
	l.mode, l.queue, l.others = want, newQueue[*Claim](l.queue.Second()), newQueue[*Claim](l.queue.Second())
	switch want {
	case recipe.Queue:
		for c := range d.others {
			l.insert(c)
		}
		for child := range d.children {
			child.below(l.insert)
		}
	case recipe.Single:
		if d.self != claim {
			l.insert(d.self)
		}
	case recipe.Group:
		for c := range d.others {
			if c.home == d && c.form.Shape() == recipe.Group {
				l.insert(c)
			}
		}
	}
}

// forget drops a lock that has no claims.
func (ks *Keys) forget(l *Lock) {
	l.listed, ks.dirty = false, true
	if l.dir.lock == l {
		l.dir.lock = nil
	}
	ks.dropDir(l.dir)
}

// shown is the key as a recipe looks at it, until the next one is shown.
func (ks *Keys) shown(kv *model.KV) *recipe.Key {
	ks.shownKey = kv.RecipeKey()
	return &ks.shownKey
}

// tell names the rule of a lock: by the pin that covers it, else from what its claims
// look like.
func (ks *Keys) tell(l *Lock) (t recipe.Recognition, observed bool) {
	if len(ks.pins.all) > 0 {
		name := l.Name
		if l.mode != recipe.Single {
			name += "/"
		}
		if p := model.PinOf(name, ks.pins.all); p != nil {
			return p.Recipe.Pinned(&l.counts), false
		}
	}
	look := recipe.Look{Name: l.Name, Tally: &l.counts, Unread: ks.noValues && l.counts.AnyValued()}
	if h := l.queue.First(); h != nil && h.home == l.dir && (l.mode != recipe.Queue || l.counts.Kind().Has(h.form)) {
		if h.Stripped() && l.recipe.Shape == recipe.Single {
			return recipe.Recognition{Recipe: l.recipe, Sign: l.sign, Kind: l.kind}, l.observed // what it was told by may have gone
		}
		look.First = ks.shown(&h.KV)
		if l.mode == recipe.Single {
			look.OnLease = func(key string) bool { c := ks.claims[key]; return c != nil && c.lease == h.lease }
		}
	}
	if l.mode == recipe.Queue && l.dir.queued == 0 && l.sign != nil { // those that it was told by have gone
		return recipe.Recognition{Recipe: l.recipe, Sign: l.sign, Kind: l.kind}, l.observed
	}
	t = recipe.Tell(l.mode, look)
	if l.mode == recipe.Group || l.mode == recipe.Single && look.First != nil && (t.Confidence() == model.Hint || t.Recipe == recipe.ByPin) {
		return ks.observed(l, t, look.First)
	}
	return t, false
}
