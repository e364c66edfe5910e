package diagnose

import (
	"locktop/model/diagnose/cluster"
	"locktop/model/diagnose/leases"
	"locktop/model/diagnose/queues"
	"locktop/model/diagnose/rule"
	"locktop/model/diagnose/told"
)

// families are all that there are. They are asked in this order: first two who believe, then what the proxy proves of
// a claim, then what blocks by its mere form, then how the head's lease is, then what a
// healthy head may hide, then the waiters.
var families = []*rule.Family{&cluster.Whole,
	&told.Beliefs, &told.Unlocks, &told.Untold, &leases.Renewers,
	&queues.Misplaced, &leases.Overdue, &leases.TTL, &leases.Renewals, &leases.Predecessor, &leases.OffLeader, &queues.Kubernetes,
	&queues.Circles, &leases.Leak, &queues.Holds, &leases.Waiters, &cluster.Members}
