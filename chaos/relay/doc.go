// Package relay carries HTTP/2 from one connection to another, frame by frame.
//
//	bytes ──▶ Direction ──Frame──▶ Inspect: pass? ──▶ bytes, unchanged
//	                                    └─ no: the caller deals with the frame
//
// A [Direction] is one way of a connection. It passes frames as they came, as many at
// once as have come: the two ends agree on streams, windows and settings with each other,
// and the relay takes part in none of it. Two things have to be made good when a frame is
// taken off its way. Header blocks depend on those before them: after one that was late
// or did not pass, the rest are written anew ([Direction.Header]). And what never arrives
// takes up room in the sender's window: [Direction.Credit] gives that back.
//
// The subset is what gRPC needs (RFC 9113): no pushes, no trailers from clients, header
// blocks of at most 16 MiB. Anything else ends the connection. The package knows nothing
// of etcd, calls or faults. FuzzRelay holds it to its promise: what passes is what came.
package relay
