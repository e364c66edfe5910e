package findings

import (
	"container/heap"
	"time"

	"locktop/model"
	"locktop/model/locks"
)

// worklist is which locks are to be judged: now, in the order in which something of them changed,
// and later, when time alone may change what is found of them.
type worklist struct {
	k      *locks.State
	all    []*locks.Lock
	queued map[*locks.Lock]bool
	times  alarms
	at     map[*locks.Lock]time.Time // the next time of each in times
	seq    uint64
}

func newWorklist(k *locks.State) *worklist {
	return &worklist{k: k, queued: map[*locks.Lock]bool{}, at: map[*locks.Lock]time.Time{}}
}

// add has a lock judged.
func (w *worklist) add(l *locks.Lock) {
	if !w.queued[l] {
		w.queued[l] = true
		w.all = append(w.all, l)
	}
}

// addNamed does so by name; of a lock that is not known nothing is to be judged.
func (w *worklist) addNamed(lock string) {
	if l := w.k.Keys.Lock(lock); l != nil {
		w.add(l)
	}
}

// addAt has a lock judged at a time.
func (w *worklist) addAt(l *locks.Lock, at time.Time) {
	if before, ok := w.at[l]; ok && before.After(w.k.Now()) && !at.Before(before) {
		return
	}
	w.at[l] = at
	w.seq++
	heap.Push(&w.times, alarm{at, w.seq, l})
}

// addChanged has the locks judged that changed, and first those whose time has come.
func (w *worklist) addChanged(changes []locks.Change) {
	for now := w.k.Now(); len(w.times) > 0 && !w.times[0].at.After(now); {
		x := heap.Pop(&w.times).(alarm)
		if w.at[x.lock].Equal(x.at) {
			delete(w.at, x.lock)
		}
		w.add(x.lock)
	}
	for i := range changes {
		if c := &changes[i]; c.Kind == locks.Changed || c.Kind == locks.Due {
			w.add(c.Lock)
		}
	}
}

// take yields the locks that are to be judged and leaves none, or stops where yield says that
// nothing is of use any more.
func (w *worklist) take(yield func(*locks.Lock) bool) {
	for i := 0; i < len(w.all); i++ { // more may come meanwhile
		delete(w.queued, w.all[i])
		if !yield(w.all[i]) {
			return
		}
	}
	clear(w.all)
	w.all = w.all[:0]
}

// shortestWake is how soon time alone has a lock judged at the earliest.
const shortestWake = 50 * time.Millisecond

// ask adds to what is wanted when the next lock is to be judged by the passing of time.
func (w *worklist) ask(want model.Want) model.Want {
	if len(w.times) == 0 {
		return want
	}
	now := w.k.Now()
	at := w.times[0].at
	if soon := now.Add(shortestWake); at.Before(soon) {
		at = soon
	}
	if want.WakeAt.IsZero() || at.Before(want.WakeAt) {
		want.WakeAt = at
	}
	return want
}

// alarm is a lock that is to be judged at a time.
type alarm struct {
	at   time.Time
	seq  uint64
	lock *locks.Lock
}

type alarms []alarm

func (a alarms) Len() int { return len(a) }

func (a alarms) Less(i, j int) bool {
	if !a[i].at.Equal(a[j].at) {
		return a[i].at.Before(a[j].at)
	}
	return a[i].seq < a[j].seq
}

func (a alarms) Swap(i, j int) { a[i], a[j] = a[j], a[i] }

// Push implements heap.Interface.
func (a *alarms) Push(x any) { *a = append(*a, x.(alarm)) }

// Pop implements heap.Interface.
func (a *alarms) Pop() any {
	old := *a
	x := old[len(old)-1]
	old[len(old)-1] = alarm{}
	*a = old[:len(old)-1]
	return x
}
