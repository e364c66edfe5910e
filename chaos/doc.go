// Package chaos decides which requests may leave a client. The packages below it hold
// everything that acts on a cluster.
//
//	chaos        dial options: what a connection may ask for ([ReadOnly], [Writing])
//	chaos/gate   the one way for the actions of the console: plan, check again, act
//	chaos/proxy  stands between clients and members, injects faults, also on a timetable, reports what it saw
//	chaos/relay  pairs of TCP connections: accepts, dials, slows, cuts
//	chaos/drill  rehearsals: their files, their runs (runner), their verdicts (check), programs of others in
//	             their roles (roles), and drills that are drawn (storm)
//
// The reading connection of locktop carries [ReadOnly] always. A write needs the gate,
// and the gate needs to be armed. Gate and proxy do not know each other: both report
// model.Event values, which say what was done. The watch shows the result.
package chaos
