// Package drills_test runs every drill that is built in, as a person would: by the program. It
// is a package of its own since each of them waits for leases to end, beside the other tests
// of the command line.
package drills_test
