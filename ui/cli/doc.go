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
// The name of a file begins with its command, or, where several commands share it, with what it is of:
//
//	flags, config   what was asked for: arguments, environment, profiles
//	connect         the way to a cluster: TLS, logins, why an endpoint does not answer
//	look            a look at some locks, what it could not see, and what it lists beside the prefixes
//	recording       a recording in the place of a cluster, and a recorded terminal made of one
//	console         the console: what it watches, its settings, a guard over the terminal
//	lab             what demo, learn and drill start: members, its recording, its doors for scripts
//	exit            errors as exit codes, signals, and the ends of what does not end in order
//
// A command is a function that makes it and, where it is more than one step, a type of its own
// with its flags and what it does (breakRun, drillRun, proxyRun), in one file; drill_run.go has drill_play.go beside
// it for one drill, drill_jobs.go for several at a time, and drill_output.go for reports. What all commands
// share is env, built of structs, each of which has the one before it within: streams and config (what flags,
// environment and profile say), access (the way to the cluster), viewer (looks at locks). Which of a flag,
// a variable and a profile counts is the business of config alone, for each setting (config.go).
//
// Every command that waits ends on ctrl-c, SIGTERM and SIGHUP and leaves nothing
// behind. Exit code 2 means that the question could not be answered: bad input,
// or no cluster to ask.
package cli

//go:generate go run locktop/ui/cli/documents commands COMMANDS.md
//go:generate go run locktop/ui/cli/documents promises PROMISES.md
//go:generate go run locktop/ui/cli/documents notices NOTICES
