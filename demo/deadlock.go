package demo

import (
	"context"
	"errors"
	"slices"
	"time"

	"locktop/demo/contender"
	"locktop/model"
)

// deadlockLocks are what the two programs of a deadlock take, each in another order.
var deadlockLocks = []string{"/demo/stock", "/demo/cash"}

// betweenLocks is how long each works with its first lock: long enough for the other to
// have its own by then.
const betweenLocks = 2 * time.Second

// canDeadlock says why two more programs cannot be started.
func (c *crew) canDeadlock() error {
	if len(c.procs) == contender.MaxContenders-1 {
		return errors.New("a deadlock needs two more contenders, and there is room for one; stop one first")
	}
	return c.canSpawn(model.Action{})
}

// injectDeadlock starts two programs that take two locks in opposite order. Each takes a
// single turn: once somebody has broken the deadlock both get on, end, and the fault with
// them.
func (c *crew) injectDeadlock() (string, healer, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.closed {
		return "", nil, ErrClosed
	}
	if err := c.canDeadlock(); err != nil {
		return "", nil, err
	}
	var pair []*proc
	heal := func(context.Context) error {
		c.mu.Lock()
		defer c.mu.Unlock()
		return c.stopThese(pair)
	}
	locks := slices.Clone(deadlockLocks)
	for range 2 {
		pr := c.o.unnamed(c.freeNumber(), "", contender.RecipeMutex)
		pr.o.Locks, pr.o.Between, pr.o.Rounds, pr.deadlocks = slices.Clone(locks), betweenLocks, 1, true
		p, err := c.spawn(pr)
		if err != nil {
			return "", nil, errors.Join(err, c.stopThese(pair))
		}
		pair = append(pair, p)
		slices.Reverse(locks)
	}
	return pair[0].name() + " and " + pair[1].name(), heal, nil
}
