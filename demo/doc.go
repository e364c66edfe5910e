// Package demo is the lab: an etcd cluster of its own with contenders on it, for
// people who want to see locks, and to break them, without a cluster at hand.
//
//	             ┌──────────────── process of locktop ────────────────┐
//	contender c1 ─▶ listeners of c1 ─┐
//	contender c2 ─▶ listeners of c2 ─┼─ chaos.Proxy ──▶ members m1…mN ◀── console
//	etcdctl, …   ─▶ shared listeners ┘
//
// There are three parts:
//
//   - [Cluster] is 1, 3 or 5 embedded etcd members on the loopback interface.
//   - [RunContender] is what a contender's process does: it takes a lock by the
//     client library's recipe, holds it, lets it go, and prints what it believes as
//     JSON lines. Belief and truth are told apart by asking somebody else, etcd.
//   - [Lab] starts a cluster, a proxy and contender processes, reports what it hears
//     of them as a [model.Source], and does what the console wants done to them.
//
// Contenders are processes because a pause or a crash is only real for a process.
// They are the same program run again (Options.Self), never see the terminal, and
// are in a process group of their own, so that ctrl-c is for the lab alone.
//
// A lab leaves nothing behind. Everything that it writes is in one directory, which
// [Lab.Close] removes. If the lab is killed there are three life lines: the system
// kills the contenders with the thread that started them (Linux), their standard
// input ends, and the next [Start] sweeps. It takes the lock of each lab directory:
// where that can be had the lab is dead, and the contenders that are recorded there
// are killed, by number and start time, so that it never hits another process.
//
// Where to begin: [Start] in lab.go, then procs.go for the life of a contender,
// actions.go for what can be done to it, labdir.go for cleaning up, and cluster.go
// for why starting and ending etcd fast is not as plain as it looks.
package demo
