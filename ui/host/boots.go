package host

import "sync"

// Boots lets the end of the program wait for a boot under way, which may have
// started things that it has to stop.
type Boots struct {
	mu     sync.Mutex
	closed bool
	inside sync.WaitGroup
}

// Enter says whether the boot may begin.
func (b *Boots) Enter() bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.closed {
		return false
	}
	b.inside.Add(1)
	return true
}

// Leave says that it is over.
func (b *Boots) Leave() { b.inside.Done() }

// Close lets no boot begin any more and waits for one that did.
func (b *Boots) Close() {
	b.mu.Lock()
	b.closed = true
	b.mu.Unlock()
	b.inside.Wait()
}
