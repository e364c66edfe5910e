package watcher

import (
	"context"
	"sync"
	"time"
)

// bucket is a token bucket. It starts full, and what is in no hurry waits until an empty
// one is full again: what is asked together is written, answered and shown together,
// where one question after another would wake everything for each. What it holds at
// most and what flows in are together the budget, so that no second sees more than that.
type bucket struct {
	rate  float64 // tokens per second
	burst float64
	level float64
	empty bool // it was, and is not full again
	last  time.Time
}

func newBucket(rate, burst, level float64, now time.Time) *bucket {
	return &bucket{rate: rate, burst: burst, level: level, last: now}
}

// forBudget returns a full bucket that lets through no more than the budget in any second:
// a quarter of it at once, three quarters every second.
func forBudget(budget int, now time.Time) *bucket {
	burst := max(1, float64(budget)/4)
	return newBucket(max(0.5, float64(budget)-burst), burst, burst, now)
}

// refund puts a token back that was not used.
func (b *bucket) refund() { b.level++ }

// take removes a token, or says how long to wait for one.
func (b *bucket) take(now time.Time, hurry bool) (ok bool, wait time.Duration) {
	if d := now.Sub(b.last); d > 0 {
		b.level = min(b.burst, b.level+d.Seconds()*b.rate)
		b.last = now
	}
	b.empty = b.level < 1 || b.empty && b.level < b.burst
	if b.level >= 1 && (hurry || !b.empty) {
		b.level--
		return true, 0
	}
	missing := b.burst - b.level
	if hurry {
		missing = 1 - b.level
	}
	// A little longer, so that rounding does not leave it short of the last token.
	return false, time.Microsecond + time.Duration(missing/b.rate*float64(time.Second))
}

// meterSpan is how many seconds the request rate is averaged over.
const meterSpan = 5

// meter counts requests in one slot per second.
type meter struct {
	mu    sync.Mutex
	slots [meterSpan]int
	at    int64 // the second of the newest slot
	first int64 // the second of the first request
}

// count notes one request.
func (m *meter) count(now time.Time) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.turn(now.Unix())
	if m.first == 0 {
		m.first = m.at
	}
	m.slots[m.at%meterSpan]++
}

// rps is requests per second over the span, or since the first if that is less.
func (m *meter) rps(now time.Time) float64 {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.turn(now.Unix())
	if m.first == 0 {
		return 0
	}
	sum := 0
	for _, n := range m.slots {
		sum += n
	}
	return float64(sum) / float64(min(meterSpan, m.at-m.first+1))
}

// turn forgets the slots that have passed. It needs the lock.
func (m *meter) turn(second int64) {
	if second-m.at >= meterSpan {
		m.slots = [meterSpan]int{}
		m.at = second
	}
	for m.at < second {
		m.at++
		m.slots[m.at%meterSpan] = 0
	}
}

// sleep waits for d, or until ctx ends or a kick arrives; kick may be nil.
func sleep(ctx context.Context, d time.Duration, kick <-chan struct{}) {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
	case <-kick:
	case <-ctx.Done():
	}
}

// poke leaves a token in a channel of capacity one.
func poke(c chan struct{}) {
	select {
	case c <- struct{}{}:
	default:
	}
}
