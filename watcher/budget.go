package watcher

import (
	"sync"
	"time"
)

// bucket is a token bucket. It starts full. What it holds at most and what flows in
// are together the budget, so that no second sees more than that.
type bucket struct {
	rate  float64 // tokens per second
	burst float64
	level float64
	last  time.Time
}

func newBucket(budget int, now time.Time) *bucket {
	burst := max(1, float64(budget)/4)
	return &bucket{rate: max(0.5, float64(budget)-burst), burst: burst, level: burst, last: now}
}

// take removes a token, or says how long until there is one.
func (b *bucket) take(now time.Time) (ok bool, wait time.Duration) {
	if d := now.Sub(b.last); d > 0 {
		b.level = min(b.burst, b.level+d.Seconds()*b.rate)
		b.last = now
	}
	if b.level >= 1 {
		b.level--
		return true, 0
	}
	return false, time.Duration((1 - b.level) / b.rate * float64(time.Second))
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
