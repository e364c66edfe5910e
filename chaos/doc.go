// Package chaos holds everything that changes the world: every write of the
// console to etcd, and the faults of the proxy. Who only looks needs of it just
// [ReadOnly].
//
// There are three parts, and none knows the others:
//
//   - [ReadOnly] and [Writing] are dial options that decide inside the client
//     which requests may leave it. The reading connection of locktop carries
//     ReadOnly for ever.
//   - [Gate] is the one door for the actions of the console. It plans (reads what
//     would go), checks again just before it acts, writes a journal line before
//     and one after, and refuses everything while it is not armed.
//   - [Proxy] stands between clients and members. It carries requests through
//     unchanged, does to one client what a fault says (see [model.FaultKinds]), and
//     tells what it saw: who owns a lease, writes, watches, is refused, is there.
//
// How a request travels through the proxy:
//
//	client ──conn──▶ door ──link──▶ member
//	                  │      │
//	                  │      └─ one connection to the member for one of the client
//	                  └─ one listener for one (client, member), or for one member
//	                     and all clients that are not ours
//
// Before a cluster that is not ours a door takes connections of the user who runs the
// proxy alone (peer.go), and only some calls pass (lend.go): what the proxy lends is
// that user's certificate, and a port of loopback is open to everybody. Header blocks
// are always written anew then, so that the member reads the fields that were looked at.
//
// A link is born and dies with both of its connections: when the member does not
// answer, the client's connection is closed, so the client sees what it would see
// without a proxy and turns to another member. Within a link the frames of HTTP/2 go
// on as they came, as many at once as have come (relay.go): the two ends agree on
// streams, windows and settings with each other, not with the proxy. It follows what
// is said, call by call (call.go), and takes a frame off its way only where a fault
// may act on it. Two things are to be made good then. Header blocks depend on those
// before them: after one that was late the rest are written anew, by themselves. And
// what never arrives takes up room in the sender's window for ever: the proxy gives
// that back.
//
// What it costs where no fault is in force: `go -C demo/bench run . proxy` on two cores,
// five rounds of 5 s, kept 0.93 of the locks per second of one client (0.91 to 1.46 of a
// round) and 0.90 of those of 64 (0.80 to 0.92). The rows direct, toxiproxy and copy
// compare it more closely, with toxiproxy and with a bare copy of the bytes.
//
// Where a fault acts:
//
//	cut              at the door and on its links
//	freeze, slow     on the bytes of the client's connection (wire.go), below TLS;
//	                 a frozen call also keeps what is in its lanes
//	hold, delay      on the messages of a call, one lane each way (lane.go); what a
//	                 call begins with passes, since streams have to begin in order
//	drop-reply       on the answer, before its lane
//	hold-keepalives  on the requests of a LeaseKeepAlive call, lease by lease (hold.go)
//
// The faults in force are a snapshot that never changes (faults.go). Whoever keeps
// something back waits for the next one and asks again.
//
// The gate and the proxy report [model.Event] values. They say what was done; what
// came of it is for the watch to see.
package chaos
