package pace

import (
	"sync"
	"time"
)

// meterSpan is how many seconds the request rate is averaged over.
const meterSpan = 5

// Meter counts requests in one slot per second.
type Meter struct {
	mu    sync.Mutex
	slots [meterSpan]int
	at    int64 // the second of the newest slot
	first int64 // the second of the first request
}

// Count notes one request.
func (m *Meter) Count(now time.Time) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.turn(now.Unix())
	if m.first == 0 {
		m.first = m.at
	}
	m.slots[m.at%meterSpan]++
}

// RPS is requests per second over the span, or since the first if that is less.
func (m *Meter) RPS(now time.Time) float64 {
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
func (m *Meter) turn(second int64) {
	if second-m.at >= meterSpan {
		m.slots = [meterSpan]int{}
		m.at = second
	}
	for m.at < second {
		m.at++
		m.slots[m.at%meterSpan] = 0
	}
}
