// Package demo is the lab: an etcd cluster of its own with contenders on it, for
// people who want to see locks, and to break them, without a cluster at hand.
//
//	             ┌──────────────── process of locktop ────────────────┐
//	contender c1 ─▶ listeners of c1 ─┐
//	contender c2 ─▶ listeners of c2 ─┼─ proxy.Proxy ──▶ members m1…mN ◀── console
//	etcdctl, …   ─▶ shared listeners ┘
//
// The parts stand in folders of their own, and none knows the lab:
//
//   - demo/cluster: 1, 3 or 5 etcd members on the loopback interface, embedded or
//     processes, which can be broken one by one.
//   - demo/contender: what a contender's process does. It takes locks by a recipe,
//     holds them, lets them go, and prints what it believes as JSON lines. Belief and
//     truth are told apart by asking somebody else, etcd.
//   - demo/resource: what the locks of a lab protect, so that two holders at the same
//     time do visible harm.
//   - demo/process: groups of processes, signals, output line by line; ports that stay free
//     between their choice and their use.
//   - demo/drills, demo/lessons: the built-in files.
//
// [Lab] starts all of it, reports what it hears as a [model.Source], and does what the
// console and the drills want done. [Options], or the lab of a drill ([drill.Lab]), says
// what it starts. With Options.Endpoints the members are not its own. With
// Options.Command one contender is a program of the user's.
//
// Lab itself joins three parts, which share labState: the options, the directory, the queue of
// reports, the mutex, the end.
//
//   - activeFaults (faults.go): the faults in force, and how they end. It knows neither of the others.
//   - writer (faults_data.go): writes that no contender makes. It knows neither, either.
//   - supervisor (supervisor.go, procs.go, role.go, external.go): contenders, their processes, and what they
//     say. It knows activeFaults: the faults of a process end with it.
//
// Every kind of fault is done in the same steps. [Lab.Do] notes the fault, does it without
// holding the mutex, and notes what heals it: a signal, the proxy's Heal,
// the start of a member, a guarded delete. From then on four things are the same for
// every kind of fault: healing it, healing all, expiry, and loss of its
// target. Each ends in one [model.FaultOff]. A fault that cannot be healed stays in force
// and is reported, and the others are healed all the same.
//
// Contenders are processes because a pause or a crash is only real for a process.
// They are the same program run again (Options.Self), never see the terminal, and
// are in a process group of their own, so that ctrl-c is for the lab alone.
//
// A lab leaves nothing behind. All its files are in one directory, which [Lab.Close]
// removes. If the lab is killed there are three safeguards: the system kills contenders
// and members with the thread that started them (Linux), their standard input ends, and
// the next [Start] sweeps. The sweep takes the lock of each lab directory: where it gets
// the lock the lab is dead, and the sweep kills the processes that are recorded there, by
// number and start time, so that it never hits another one. A program of the user's has
// no standard input, so the second safeguard is not for it.
//
// Where to begin: [Start] in lab.go and what it starts in options.go, then procs.go
// for the life of a contender, actions.go for what can be done, faults_kinds.go for how each
// fault is done, faults.go for its lifetime, and labdir.go for cleaning up.
package demo

//go:generate go run locktop/ui/cli/documents drills DRILLS.md
//go:generate go run locktop/ui/cli/documents drill-files WRITING-DRILLS.md
