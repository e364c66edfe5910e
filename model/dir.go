package model

import "locktop/model/recipe"

// dir is a directory of keys: what stands between two slashes of a key.
type dir struct {
	path     string
	parent   *dir
	children map[*dir]struct{}
	keys     int                 // keys in here and below
	others   map[*Claim]struct{} // keys right here, but for the claims of a queue right here
	self     *Claim              // the key whose name is the path, if it is a lock by itself
	queued   int                 // claims that make this a queue
	leased   int                 // leased keys right here that fit no recipe
	lock     *Lock               // what that makes of it, or made: a free lock is remembered
}

// dirAt returns the directory of that path, made with its parents if needed.
func (k *Keyspace) dirAt(path string) *dir {
	if k.near != nil && k.near.path == path {
		return k.near
	}
	d := k.dirs[path]
	if d == nil {
		d = k.makeDir(path)
	}
	k.near = d
	return d
}

func (k *Keyspace) makeDir(path string) *dir {
	d := &dir{path: path}
	k.dirs[path] = d
	if up, _, ok := Split(path); ok {
		d.parent = k.dirAt(up)
		if d.parent.children == nil {
			d.parent.children = map[*dir]struct{}{}
		}
		d.parent.children[d] = struct{}{}
	}
	return d
}

// dropDir forgets d and its parents as far as nothing is in them.
func (k *Keys) dropDir(d *dir) {
	for d != nil && d.keys == 0 && d.lock == nil && d.self == nil && len(d.children) == 0 {
		delete(k.dirs, d.path)
		if k.near == d {
			k.near = nil
		}
		if d.parent != nil {
			delete(d.parent.children, d)
		}
		d = d.parent
	}
}

// below yields every key in d and under it. A queue right here has them all.
func (d *dir) below(yield func(*Claim)) {
	if d.lock != nil && d.lock.mode == recipe.Queue {
		d.lock.queue.all(func(c *Claim) bool {
			if !c.beside() || c.home != d {
				yield(c)
			}
			return true
		})
		return
	}
	for c := range d.others {
		yield(c)
	}
	for child := range d.children {
		child.below(yield)
	}
}

// mode is what the keys make of the directory.
func (d *dir) mode() recipe.Shape {
	switch {
	case d.queued > 0:
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

// beside says whether c competes for a lock below whose name it does not stand.
func (c *Claim) beside() bool {
	return c.home != nil && c.form.Shape() == recipe.Queue && (len(c.Key) <= len(c.home.path) || c.Key[len(c.home.path)] != '/')
}

// enter finds the place of a key and puts it into every queue that counts it.
func (k *Keyspace) enter(c *Claim) {
	shown, lock := k.shown(&c.KV), ""
	switch p := PinOf(c.Key, k.pins); {
	case c.Stripped(): // it was a lock by itself, and remains one that never expires
		lock = c.Key
	case p != nil:
		lock, c.form = p.Recipe.Place(shown)
	default:
		if lock, c.form = recipe.Place(shown); c.form.Shape() == recipe.Group && k.takesTurns(shown, c.dir) {
			lock, c.form = recipe.ByPin.Place(shown)
		}
	}
	c.home, c.detached = nil, c.Stripped() || c.form == 0 && recipe.Detached(shown)
	if c.form != 0 {
		c.home = k.dirAt(lock)
		c.home.count(c, 1)
		k.reshape(c.home, c)
	}
	if c.dir != nil && !c.inQueueHere() {
		if c.dir.others == nil {
			c.dir.others = map[*Claim]struct{}{}
		}
		c.dir.others[c] = struct{}{}
	}
	k.eachQueue(c, func(l *Lock) { l.queue.insert(c) })
	k.tally(c, 1)
}

// leave is the opposite of enter.
func (k *Keyspace) leave(c *Claim) {
	k.tally(c, -1)
	k.eachQueue(c, func(l *Lock) { l.queue.remove(c) })
	if c.dir != nil {
		delete(c.dir.others, c)
	}
	if home := c.home; home != nil {
		home.count(c, -1)
		k.reshape(home, c)
		c.home = nil
	}
}

// eachQueue calls f with every lock whose queue counts c.
func (k *Keyspace) eachQueue(c *Claim, f func(*Lock)) {
	change := func(l *Lock) {
		k.remember(l)
		f(l)
		k.changed(l)
	}
	for d := c.dir; d != nil; d = d.parent {
		if d.lock != nil && d.lock.mode == recipe.Queue {
			change(d.lock)
		}
	}
	if h := c.home; h != nil && h.lock != nil && h.lock.mode == c.form.Shape() && (h.lock.mode != recipe.Queue || c.beside()) {
		change(h.lock)
	}
	if name := recipe.Registers(k.shown(&c.KV)); name != "" {
		if l := k.Lock(name); l != nil && l.mode == recipe.Single {
			k.remember(l)
			k.changed(l)
		}
	}
}

// tally counts c among the claims of its lock.
func (k *Keys) tally(c *Claim, n int) {
	if c.home == nil {
		return
	}
	if c.form.Claims() {
		k.own += n
		if c.lease != nil {
			c.lease.competing += n
		}
	}
	if l := c.home.lock; l != nil {
		l.tally.Count(c.form, c.Value != "", int32(n))
	}
}

// reshape makes of a directory what its keys say, when that has changed because of
// a key that enters or leaves: that one is put into the queue by who called.
func (k *Keyspace) reshape(d *dir, because *Claim) {
	want := d.mode()
	if d.lock == nil {
		if want == recipe.NoShape {
			return
		}
		d.lock = &Lock{Name: d.path, dir: d, recipe: recipe.OrderOnly}
	}
	l := d.lock
	if want != recipe.NoShape && !l.listed {
		l.listed, k.dirty = true, true
		k.order = append(k.order, l)
	}
	if l.mode == want {
		return
	}
	k.remember(l)
	k.changed(l)
	l.mode, l.queue = want, queue{byMod: l.queue.byMod}
	switch want {
	case recipe.Queue:
		for c := range d.others {
			l.queue.insert(c)
		}
		for child := range d.children {
			child.below(l.queue.insert)
		}
	case recipe.Single:
		if d.self != because {
			l.queue.insert(d.self)
		}
	case recipe.Group:
		for c := range d.others {
			if c.home == d && c.form.Shape() == recipe.Group {
				l.queue.insert(c)
			}
		}
	}
}
