//go:build !slow

package demo

// onClusters says that situations are only told, as histories of events; with the tag slow those
// on clusters are played, too.
const onClusters = false
