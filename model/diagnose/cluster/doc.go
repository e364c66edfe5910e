// Package cluster has the findings about the cluster as a whole and about its members. Each file
// is a family.
package cluster
