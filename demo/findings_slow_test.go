//go:build slow

package demo

// onClusters says that situations are played on clusters, too, where leases take their time.
const onClusters = true
