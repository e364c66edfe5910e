package runner

import (
	"locktop/chaos/drill"
	"locktop/chaos/drill/check"
	"locktop/model"
	"locktop/model/findings"
	"locktop/model/locks"
	"locktop/model/status"
	"locktop/model/store"
	"locktop/model/text"
)

// view is what waits are held against: queues and findings as the screen shows them,
// beliefs, processes and counts as the checker knows them.
type view struct {
	s *store.View
	j *check.Checker
}

// NewView is what waits are held against by whoever folds the state, and tells the checker, by
// himself.
func NewView(s *store.View, j *check.Checker) drill.View { return view{s, j} }

func (v view) LastWord(contender, lock string) model.Belief { return v.j.LastWord(contender, lock) }
func (v view) LastNote(contender string) string             { return v.j.LastNote(contender) }
func (v view) Process(contender string) model.Contender     { return v.j.Process(contender) }
func (v view) Acquisitions(lock string) int                 { return v.j.Acquisitions(lock) }
func (v view) Findings() []model.Finding                    { return v.s.Findings() }
func (v view) Cluster() model.ClusterStatus                 { return v.s.Cluster() }

func (v view) Queue(lock string) drill.Queue {
	var q drill.Queue
	l := v.s.Lock(lock)
	if l == nil {
		return q
	}
	l.Claims(func(c *locks.Claim) bool {
		who := v.j.OwnerOf(c.KV.Lease, c.Value)
		if who == "" {
			who = model.Printable(c.Key)
		}
		q.Owners = append(q.Owners, who)
		return true
	})
	q.Held, q.Blocked, q.State = l.Holders(), l.Blocked(), text.English(findings.StateWord(status.ConditionOf(v.s, l)))
	return q
}
