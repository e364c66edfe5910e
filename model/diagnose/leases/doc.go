// Package leases has the findings about leases: of a holder or a waiter whose lease is late,
// silent, overdue, reset, renewed by somebody else or left without a key. Each file is a family.
package leases
