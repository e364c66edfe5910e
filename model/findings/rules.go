package findings

// families are all that there are. They are asked in this order: first two who believe, then what the proxy proves of
// a claim, then what blocks by its mere form, then how the head's lease is, then what a
// healthy head may hide, then the waiters.
var families = []*Family{&clusterFamily, &strainFamily,
	&beliefFamily, &unlockFamily, &untoldFamily, &renewerFamily,
	&misplacedFamily, &overdueFamily, &ttlFamily, &renewalFamily, &predecessorFamily, &offLeaderFamily, &kubernetesFamily,
	&cycleFamily, &leakFamily, &holdFamily, &waiterFamily, &memberFamily}
