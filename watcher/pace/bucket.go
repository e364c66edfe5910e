package pace

import "time"

// Bucket is a token bucket. What is in no hurry waits until an empty bucket is full again:
// what is asked together is written, answered and shown together, where one question after
// another would wake everything for each. What the bucket holds at most and what flows in
// are together the budget, so that no second sees more than that.
type Bucket struct {
	rate  float64 // tokens per second
	burst float64
	level float64
	empty bool // it was, and is not full again
	last  time.Time
}

// NewBucket returns a bucket of so many tokens a second, which holds no more than burst and
// begins with level.
func NewBucket(rate, burst, level float64, now time.Time) *Bucket {
	return &Bucket{rate: rate, burst: burst, level: level, last: now}
}

// ForBudget returns a full bucket that lets through no more than the budget in any second:
// a quarter of it at once, three quarters every second.
func ForBudget(budget int, now time.Time) *Bucket {
	burst := max(1, float64(budget)/4)
	return NewBucket(max(0.5, float64(budget)-burst), burst, burst, now)
}

// Refund puts a token back that was not used.
func (b *Bucket) Refund() { b.level++ }

// Take removes a token, or says how long to wait for one.
func (b *Bucket) Take(now time.Time, hurry bool) (ok bool, wait time.Duration) {
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
