// Package demo is the lab: an etcd cluster of its own with contenders on it, for
// people who want to see locks, and to break them, without a cluster at hand.
//
//	             ┌──────────────── process of locktop ────────────────┐
//	contender c1 ─▶ listeners of c1 ─┐
//	contender c2 ─▶ listeners of c2 ─┼─ chaos.Proxy ──▶ members m1…mN ◀── console
//	etcdctl, …   ─▶ shared listeners ┘
//
// There are four parts:
//
//   - [Cluster] is 1, 3 or 5 etcd members on the loopback interface, embedded or
//     processes, which can be broken one by one.
//   - [RunContender] is what a contender's process does: it takes locks by a recipe,
//     holds them, lets them go, and prints what it believes as JSON lines. Belief and
//     truth are told apart by asking somebody else, etcd.
//   - [Resource] is what the locks of a lab protect, so that two who hold at the same
//     time have a victim.
//   - [Lab] starts all of it, reports what it hears as a [model.Source], and does what
//     the console and the drills want done. What it starts is said in Options, or by
//     the lab of a drill ([drill.Lab]); with Options.Endpoints the members are not
//     its own, and with Options.Command one contender is a program of the user's.
//
// Every fault goes one way. [Lab.Do] keeps the place of the fault, does it without
// holding the mutex, and keeps with it what takes it back: a signal, the proxy's Heal,
// the start of a member, a guarded delete. From then on healing it, healing all, its
// time being up and the end of its target are the same for every kind: each ends in
// one [model.FaultOff]. What cannot be healed stays in force and is said, and the
// others are healed all the same.
//
// Contenders are processes because a pause or a crash is only real for a process.
// They are the same program run again (Options.Self), never see the terminal, and
// are in a process group of their own, so that ctrl-c is for the lab alone.
//
// A lab leaves nothing behind. Everything that it writes is in one directory, which
// [Lab.Close] removes. If the lab is killed there are three life lines: the system
// kills contenders and members with the thread that started them (Linux), their
// standard input ends, and the next [Start] sweeps. It takes the lock of each lab
// directory: where that can be had the lab is dead, and the processes that are
// recorded there are killed, by number and start time, so that it never hits another
// one. A program of the user's has no standard input, so the second is not for it.
//
// Where to begin: [Start] in lab.go and what it starts in options.go, then procs.go
// for the life of a contender, actions.go for what can be done, faults.go for how a
// fault lives and faults_kinds.go and faults_data.go for each kind of them, labdir.go
// for cleaning up, and cluster.go for why starting and ending etcd fast is not as
// plain as it looks.
package demo
