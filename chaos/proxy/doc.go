// Package proxy stands between etcd's clients and its members. It carries requests
// through unchanged, does to one client what a fault says (see [model.FaultKinds]), and
// tells what it saw: who owns a lease, writes, watches, is refused, is connected.
//
//	client ──▶ listener ──connection──▶ member
//	             │            └─ one connection to the member for one of the client
//	             └─ of one client and one member, or of one member and all clients
//	                that have no listener of their own
//
// In front of a cluster that is not ours, a listener takes connections of the user who runs the
// proxy alone (peer.go), and only some calls pass (lend.go): the proxy lends that user's
// certificate, and a port of loopback is open to everybody. Header blocks are always
// written anew then, so that the member reads exactly the fields that were checked.
//
// A connection is born and dies with both of its ends. When the member does not answer,
// the client's end is closed: the client sees what it would see without a proxy, and turns
// to another member. The package relay pairs the connections, and makes them slow; within
// one, frames of HTTP/2 pass as they came (frames.go). The proxy follows what is said,
// call by call (call.go), and takes a frame off its way only where a fault may act on it.
//
// Its cost while no fault is active is the row proxy of demo/BENCHMARKS.md: a program that
// locks and unlocks through "locktop proxy", against the same program without it.
//
// Where a fault acts:
//
//	cut              at the listener and on its connections
//	freeze, slow     on the bytes of the client's end (package relay), below TLS; a
//	                 frozen call also keeps what is in its queues
//	hold, delay      on the messages of a call, a queue for each direction (queue.go);
//	                 the opening of a call passes, since streams begin in order
//	drop-reply       on the answer, before its queue
//	hold-keepalives  on the requests of a LeaseKeepAlive call, lease by lease (hold.go)
//
// The faults in force are a snapshot that never changes (faults.go). Code that keeps
// something back waits for the next snapshot and asks again.
package proxy
