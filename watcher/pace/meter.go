package pace

import (
	"sync"
	"time"
)

// meterSpan is how many seconds the request rate is averaged over.
const meterSpan = 5

// Kinds is how many kinds of requests are told apart.
const Kinds = 3

// Meter counts requests in one slot per second.
type Meter struct {
	mu    sync.Mutex
	slots [meterSpan][Kinds]int
	at    int64 // the second of the newest slot
	first int64 // the second of the first request
}

// Count notes one request.
func (m *Meter) Count(kind int, now time.Time) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.turn(now.Unix())
	if m.first == 0 {
		m.first = m.at
	}
	m.slots[m.at%meterSpan][kind]++
}

// Rates are requests per second over the span, or since the first if that is less: in all, and of each kind.
func (m *Meter) Rates(now time.Time) (rps float64, by [Kinds]float64) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.turn(now.Unix())
	if m.first == 0 {
		return 0, by
	}
	sum, span := 0, float64(min(meterSpan, m.at-m.first+1))
	for kind := range by {
		of := 0
		for _, slot := range m.slots {
			of += slot[kind]
		}
		by[kind] = float64(of) / span
		sum += of
	}
	return float64(sum) / span, by
}

// turn forgets the slots that have passed. It needs the lock.
func (m *Meter) turn(second int64) {
	if second-m.at >= meterSpan {
		m.slots = [meterSpan][Kinds]int{}
		m.at = second
	}
	for m.at < second {
		m.at++
		m.slots[m.at%meterSpan] = [Kinds]int{}
	}
}
