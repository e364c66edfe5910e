// Package relay carries TCP connections on to another address, and decides how slowly.
//
//	who connects ──▶ Listener ──▶ Pair ──▶ target
//	                               └─ Slowness: late, thin, or not at all
//
// A [Listener] accepts, and hands each connection to its owner as a [Pair], which dials
// the target when it is asked to. Both connections of a pair end together: a client
// sees what it would see without a relay. A relay does not look at what a pair carries: the
// links between members are carried as bytes ([Pair.Carry] with [io.Copy]), and the proxy
// puts TLS and the frames of HTTP/2 on top.
package relay
