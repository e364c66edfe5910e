package locks

import (
	"strings"
	"time"

	"locktop/model"
)

// WatchState is how fresh the keys of a prefix are.
type WatchState string

// States of a watch.
const (
	Loading WatchState = "loading"
	Live    WatchState = "live"
	Lost    WatchState = "lost"
)

// Watch is what is known of the watch of one prefix.
type Watch struct {
	Prefix string
	State  WatchState
	// Since is when it came into that state; Rev up to where it is known.
	Since time.Time
	Rev   int64
	// Done and Total count the keys of a list under way, Total 0 for not known.
	Done, Total int64
	// Reason and Detail are those of Lost.
	Reason model.LostReason
	Detail model.Message
	// SeenAt is the last time that the prefix was known to be complete.
	SeenAt time.Time
	// Missed is how long in all nothing was seen of it, so that what happened then stays
	// unknown: a list had to take the place of a watch.
	Missed time.Duration

	loaded   bool      // it was live before
	lagging  bool      // we slept, and it was not seen up to then since
	regained time.Time // when it was last lost no more, to a cluster that did not answer
	until    int64     // up to where its history is being read, 0 for not
	list     uint32    // the number of its last list
	// backRev is up to where all was told when the watch came back, as its server said, and
	// unseenFrom when it was last seen before.
	backRev    int64
	unseenFrom time.Time
}

// toldLate says whether a revision is told after the server said that it was: servers before 3.4.25
// and 3.5.8 answer for a watch that is not at the end yet (etcd-io/etcd#15220).
func (w *Watch) toldLate(rev int64) bool { return rev <= w.backRev }

// WasListed says whether the prefix has been listed to its end.
func (w *Watch) WasListed() bool { return w.loaded }

// List returns the number of the last list of the prefix: each has its own.
func (w *Watch) List() uint32 { return w.list }

// HistoryUntil returns the revision up to which the history of the prefix is being read, 0
// if what is told of it happens now.
func (w *Watch) HistoryUntil() int64 { return w.until }

// Denied says that the prefix may not be read and never could be: so nothing that was seen
// of it is out of date. Grant is the command that would allow it, "" if none is known.
func (w *Watch) Denied() (denied bool, grant string) {
	if w.State != Lost || w.Reason != model.LostDenied || w.loaded {
		return false, ""
	}
	if w.Detail.Says("no-permission") || w.Detail.Says("no-permission-at-all") { // and not a wrong password
		grant = model.GrantRead(w.Prefix)
	}
	return true, grant
}

// covers says whether the keys of a lock lie under the prefix.
func (w *Watch) covers(lock string) bool { return strings.HasPrefix(lock+"/", w.Prefix) }

func (w *Watch) become(state WatchState, at time.Time) {
	if w.State == state {
		return
	}
	if w.State == Lost && w.Reason == model.LostDisconnect {
		w.regained = at
	}
	w.State, w.Since = state, at
}

// endHistory says that what follows is seen as it happens, once the history was read up to
// its end.
func (w *Watch) endHistory(at time.Time, rev int64) {
	if w.until != 0 && rev >= w.until {
		w.until = 0
		w.become(Live, at)
	}
}

// listed ends a list: from then on, or from the end of the history on, the prefix is live.
func (w *Watch) listed(e model.Loaded) {
	if w.loaded {
		w.Missed += e.At.Sub(w.SeenAt)
	}
	w.loaded, w.until = true, 0
	w.Rev, w.SeenAt, w.Detail = e.Rev, e.At, model.Message{}
	if e.Until > e.Rev {
		w.until = e.Until
		return
	}
	w.become(Live, e.At)
}

func (w *Watch) lost(e model.Lost) {
	w.lagging = w.lagging && w.loaded && e.Reason != model.LostDenied // else nothing is waited for
	w.become(Lost, e.At)
	w.Reason, w.Detail = e.Reason, e.Detail
}
