// Package cli is the command line: it reads flags and environment, opens
// connections and wires the rooms together. It has no logic of locks of its own.
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
// past.go asks a recording in the place of a cluster, and taped.go opens it. keep.go records every
// lab, serve_record.go what serve sees. Package playback has the recording in which the console goes
// back.
//
// A command is a function that makes it and, where it is more than one step, a type of its own
// with its flags and what it does (breakRun, drillRun, proxyRun), in one file. What all commands
// share is env, in layers, each of which knows only those before it: streams, config (what flags, environment and profile say), access (the way
// to the cluster), viewer (looks at locks).
//
// input.go refuses bad flags and arguments, connect.go opens every connection, exit.go
// makes exit codes of errors.
//
// Every command that waits ends on ctrl-c, SIGTERM and SIGHUP and leaves nothing
// behind. Exit code 2 means that the question could not be answered: bad input,
// or no cluster to ask.
package cli
