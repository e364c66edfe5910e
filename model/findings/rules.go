package findings

// families are all that there are. They are asked in this order: first what strains the cluster, then who believes
// what etcd does not say, then what the proxy proves of a claim, then what blocks by its mere form, then how the
// head's lease is, then what a healthy head may hide, then the waiters, then the members.
var families = []*Family{&clusterFamily, &strainFamily,
	&beliefFamily, &unlockFamily, &untoldFamily, &renewerFamily,
	&misplacedFamily, &overdueFamily, &ttlFamily, &renewalFamily, &predecessorFamily, &offLeaderFamily, &kubernetesFamily,
	&cycleFamily, &leakFamily, &holdFamily, &waiterFamily, &memberFamily}
