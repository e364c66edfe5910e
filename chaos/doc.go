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
//   - [Proxy] stands between clients and members of a lab. It carries every
//     request through unchanged, tells which client owns which lease, and holds
//     back the renewals of one client or one lease.
//
// How a request travels through the proxy:
//
//	client ──conn──▶ door ──link──▶ member
//	                  │      │
//	                  │      └─ one connection to the member for one of the client
//	                  └─ one listener for one (client, member), or for one member
//	                     and all clients that are not ours
//
// A link is born and dies with both of its connections: when the member does not
// answer, the client's connection is closed, so the client sees what it would see
// without a proxy and turns to another member. Within a link every RPC is carried
// as raw messages by a call, which decodes only what it must know about leases.
// Requests to renew pass through the holds, where a fault may keep them back.
//
// The gate and the proxy report [model.Event] values. They say what was done; what
// came of it is for the watch to see.
package chaos
