package ui

import (
	"locktop/model"
	"locktop/ui/fields"
)

// historyEntry is where one was before a jump: a page and what was selected there.
type historyEntry struct {
	page                   pageID
	lock, session, finding string
	journal                string
}

// trailMax bounds how many jumps can be taken back.
const trailMax = 32

// jump goes to a page so that one can come back.
func (a *App) jump(p pageID) {
	if len(a.trail) >= trailMax {
		a.trail = append(a.trail[:0], a.trail[1:]...)
	}
	a.trail = append(a.trail, historyEntry{a.page, a.locks.pick.id, a.sessions.pick.id, a.findings.pick.id, a.journal.lock})
	a.goTo(p)
}

// comeBack takes the last jump back.
func (a *App) comeBack() {
	if len(a.trail) == 0 {
		a.say(late, "nothing to go back to: no jump was made")
		return
	}
	s := a.trail[len(a.trail)-1]
	a.trail = a.trail[:len(a.trail)-1]
	a.goTo(s.page)
	if s.lock != "" && s.lock != a.locks.pick.id {
		a.selectLock(s.lock)
	}
	if s.session != "" {
		a.sessions.pick.id, a.sessions.pick.pinned, a.sessions.force = s.session, true, true
	}
	if s.finding != "" {
		a.findings.pick.id, a.findings.pick.pinned, a.findings.force = s.finding, true, true
	}
	a.journal.only(s.journal)
	if s.page == pageQueue {
		a.queue.show(s.lock)
	}
}

// openQueue opens the queue of the lock that is meant by what is selected.
func (a *App) openQueue() {
	lock, why := a.lockMeant()
	if lock == "" {
		a.say(late, why)
		return
	}
	jumped := a.page != pageLocks
	var claim *model.Claim
	if a.page == pageSessions || a.page == pageFindings {
		claim = a.target().claim
	}
	a.jump(pageQueue)
	if jumped {
		a.selectLock(lock)
	}
	a.locks.pick.pinned = true
	a.queue.show(lock)
	if l := a.state.Lock(lock); claim != nil && claim.Lock() == l {
		a.queue.move(a.state, l.Place(claim))
	}
}

// lockMeant returns the lock that what is selected leads to, or why there is none.
func (a *App) lockMeant() (lock, why string) {
	switch a.page {
	case pageLab:
		c, ok := a.lab.contender(a.state)
		if !ok || a.state.Lock(c.Lock) == nil {
			return "", "this contender has no lock to show"
		}
		return c.Lock, ""
	case pageSessions, pageFindings:
		if t := a.target(); t.lock != nil {
			return t.lock.Name, ""
		}
		return "", "no lock belongs to this"
	}
	return a.locks.pick.id, "there is no lock to open yet"
}

// openSession goes to the session of the selected claim.
func (a *App) openSession() {
	t := a.target()
	var lease model.LeaseID
	switch {
	case t.claim != nil:
		lease = t.claim.KV.Lease
	case t.finding != nil && a.state.Lease(t.finding.Lease) != nil:
		lease = t.finding.Lease
	}
	if lease == 0 {
		a.say(late, "what is selected has no session")
		return
	}
	a.jump(pageSessions)
	a.sessions.show(lease)
}

// openFinding goes to the worst finding about what is selected.
func (a *App) openFinding() {
	f, why := a.finding()
	if f == nil {
		a.say(late, why)
		return
	}
	a.jump(pageFindings)
	a.findings.show(f)
}

// claimOf returns the claim of a session that counts most: one that holds, else
// one that waits.
func claimOf(l *model.Lease) *model.Claim {
	if l == nil {
		return nil
	}
	if f, _ := l.Worst(); f != nil {
		for _, c := range l.Claims() {
			if f.About(c) {
				return c
			}
		}
	}
	return fields.SessionOf(l).Lead
}

func (a *App) targetSession(t *target) {
	t.claim = claimOf(a.sessions.chosen(a.state))
	if t.claim != nil {
		t.lock = t.claim.Lock()
	}
	a.clientOf(t)
}

func (a *App) targetFinding(t *target) {
	f := a.findings.chosen()
	if f == nil {
		t.why = "no finding is selected"
		return
	}
	t.finding, t.lock = f, a.state.Lock(f.Lock)
	if c := a.state.Claim(f.Claim.Key); f.About(c) {
		t.claim = c
	}
	a.clientOf(t)
}
