package host

import "sync"

// Gate lets the end of the program wait for a boot under way, which may have
// started things that it has to stop.
type Gate struct {
	mu     sync.Mutex
	closed bool
	inside sync.WaitGroup
}

// Enter says whether the boot may begin.
func (g *Gate) Enter() bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.closed {
		return false
	}
	g.inside.Add(1)
	return true
}

// Leave says that it is over.
func (g *Gate) Leave() { g.inside.Done() }

// Close lets no boot begin any more and waits for one that did.
func (g *Gate) Close() {
	g.mu.Lock()
	g.closed = true
	g.mu.Unlock()
	g.inside.Wait()
}
