// Package report writes the model as text: tables for people and JSON, schema 1,
// for programs.
//
// The JSON is a contract that others script against. Names are stable, new ones
// may be added. Lease ids are strings in hex, revisions numbers, times RFC 3339
// with nanoseconds, durations seconds as numbers. What is not known is null and
// never 0. Bytes that are not UTF-8 go to key_base64 and value_base64, beside a
// readable form.
//
// Tables, wide and CSV are views of one table of fields ([fields.Locks] and others). JSON
// is written by hand, for speed; a test holds its names against the same table.
//
// Locks are written as JSON a few at a time, by a stream on each processor, so that it
// takes no memory that grows with them: less than 0.005 allocations for a claim that is
// plain ASCII (stream_test.go).
//
// A [Page] is the report of what happened, for those who were not there: page.go collects it,
// pagestays.go takes from the book when each claim waited and held, pageaxis.go cuts the time
// into cells, pagegraph.go draws who waits for whom, and pagehtml.go and pagetext.go write it.
// The HTML loads and runs nothing; its policy allows its own style by its hash.
package report
