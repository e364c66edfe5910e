// Package cli is the command line: it reads flags and environment, opens
// connections and wires the packages together. It has no lock logic of its own.
//
//	ls, describe, doctor,
//	report                   list, read the heads' leases, print, end ──┐
//	events, record           follow, print or write                   ──┤
//	break                    list, plan, ask, do, show the result     ──┼──▶ package session
//	replay                   a recording in the place of a cluster    ──┤
//	demo, proxy              a lab; without a screen, line by line    ──┘
//
//	locktop, demo, proxy, replay on a terminal: a source ──▶ ui ──▶ gate.Gate
//
// past.go asks a recording in the place of a cluster, and recorded.go opens it. labrecording.go records
// every lab, serve_record.go what serve sees. Package playback lets the console go back in a recording, and
// film.go makes a recorded terminal of one.
// coverage.go says what a look could not see, and secondlist.go lists what a look at some locks needs
// beside the prefixes.
//
// A command is a function that makes it and, where it is more than one step, a type of its own
// with its flags and what it does (breakRun, drillRun, proxyRun), in one file; drill_run.go has drill_play.go beside
// it for one drill, drill_jobs.go for several at a time, and drill_output.go for reports. What all commands
// share is env, built of structs, each of which has the one before it within: streams and config (what flags,
// environment and profile say), access (the way to the cluster), viewer (looks at locks). Which of a flag,
// a variable and a profile counts is the business of config alone, for each setting (config.go).
//
// input.go refuses bad flags and arguments, connect.go opens every connection, exit.go
// turns errors into exit codes. secondsignal.go lets a second ctrl-c end what does not end in order.
//
// Every command that waits ends on ctrl-c, SIGTERM and SIGHUP and leaves nothing
// behind. Exit code 2 means that the question could not be answered: bad input,
// or no cluster to ask.
package cli

//go:generate go run locktop/ui/cli/documents commands COMMANDS.md
//go:generate go run locktop/ui/cli/documents promises PROMISES.md
//go:generate go run locktop/ui/cli/documents notices NOTICES
