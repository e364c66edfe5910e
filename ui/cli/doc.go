// Package cli is the command line: it reads flags and environment, opens
// connections and joins the rooms. It has no logic of locks of its own.
//
//	look      list, read the heads' leases, print, end       ls, describe
//	console   watcher [+ lab] ──merge──▶ ui, ui ──▶ gate.Gate   locktop, demo
//	plain     the same sources, journal lines instead of a screen
//
// Every command that waits ends on ctrl-c, SIGTERM and SIGHUP and leaves nothing
// behind. Exit code 2 means that the question could not be answered: bad input,
// or no cluster to ask.
package cli
