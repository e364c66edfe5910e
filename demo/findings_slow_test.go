//go:build slow

package demo

import "testing"

// TestFindingsOnClusters plays the situations that need servers and programs.
func TestFindingsOnClusters(t *testing.T) {
	th := &theatre{shared: stageCluster(t, 1), clusters: make(chan struct{}, clustersAtOnce)}
	playStories(t, th, func(st *story) bool { return !st.isTold() })
}
