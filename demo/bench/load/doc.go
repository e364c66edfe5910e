// Package load is what runs beside the program that is measured: servers with data
// in them, proxies, contenders, a flood of events, and a follower of it. Each is a
// process of its own, so memory and time are the system's figures of exactly that
// process.
//
// process.go says how one is started and ended; the other files have a role each.
package load
