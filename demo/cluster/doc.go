// Package cluster is 1, 3 or 5 etcd members on the loopback interface, embedded or
// processes, which a lab breaks one by one: stop, start, pause, isolate, slow down, move
// the leader, compact, fill up.
//
//	client ──▶ member ──link──▶ member
//
// Each member listens to its peers behind a link of its own, so that it can be cut off
// or slowed down without its help. cluster.go says why it is hard to start and
// end etcd fast.
package cluster
