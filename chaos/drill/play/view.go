package play

import (
	"locktop/chaos/drill"
	"locktop/chaos/drill/judge"
	"locktop/model"
	"locktop/model/diagnose"
	"locktop/model/fold"
	"locktop/model/keyspace"
	"locktop/model/outlook"
)

// view is what waits are held against: queues and findings as the screen shows them,
// beliefs, processes and counts as the judge knows them.
type view struct {
	s *fold.State
	j *judge.Judge
}

// NewView is what waits are held against by whoever folds the state, and tells the judge, by
// himself.
func NewView(s *fold.State, j *judge.Judge) drill.View { return view{s, j} }

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
	l.Claims(func(c *keyspace.Claim) bool {
		who := v.j.OwnerOf(c.KV.Lease, c.Value)
		if who == "" {
			who = model.Printable(c.Key)
		}
		q.Owners = append(q.Owners, who)
		return true
	})
	q.Held, q.Blocked, q.State = l.Holders(), l.Blocked(), diagnose.StateWord(outlook.Of(l))
	return q
}
