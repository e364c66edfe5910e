// Package cli is the command line: it reads flags and environment, opens
// connections and joins the rooms. It has no logic of locks of its own.
//
//	ls, describe, doctor,
//	report                   list, read the heads' leases, print, end ──┐
//	events, record           follow, print or write                   ──┤
//	break                    list, plan, ask, do, see what came of it ──┼──▶ package session
//	replay                   a recording in the place of a cluster    ──┤
//	demo, proxy              a lab; without a screen, line by line    ──┘
//
//	locktop, demo, proxy, replay on a terminal: a source ──▶ ui ──▶ gate.Gate
//
// past.go asks a recording in the place of a cluster, keep.go records every lab, package tape
// is a recording that the console goes back in.
//
// input.go refuses bad flags and arguments, connect.go opens every connection, exit.go
// makes exit codes of errors.
//
// Every command that waits ends on ctrl-c, SIGTERM and SIGHUP and leaves nothing
// behind. Exit code 2 means that the question could not be answered: bad input,
// or no cluster to ask.
package cli
