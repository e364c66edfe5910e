package intervals

import "time"

// Waited returns how long all together waited for a lock between two times.
func (b *Book) Waited(lock string, from, to time.Time) time.Duration {
	first, last := from.UnixMicro(), to.UnixMicro()
	var sum int64
	if ln := b.lines[lock]; ln != nil {
		for _, c := range ln.chunks[ln.from(first):] {
			switch {
			case c.came >= last:
			case c.came >= first && c.gone <= last: // all of it
				sum += c.waited
			default:
				c.each(func(p *packed) bool {
					sum += max(0, min(p.end(), last)-max(p.came, first))
					return true
				})
			}
		}
	}
	b.presentPieces(lock, first, last, 0, func(p *Piece) bool {
		end := last
		if p.Held {
			end = min(p.Got, last)
		}
		sum += max(0, end-max(p.Came, first)) * int64(p.N)
		return true
	})
	return time.Duration(sum) * time.Microsecond
}
