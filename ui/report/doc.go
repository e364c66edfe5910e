// Package report writes the model as text: tables for people and JSON, schema 1,
// for programs.
//
// The JSON is a contract that others script against. Names are stable; new ones
// may be added. Lease ids are strings in hex, revisions numbers, times RFC 3339
// with nanoseconds, durations seconds as numbers. What is not known is null and
// never 0. Bytes that are not UTF-8 go to key_base64 and value_base64, beside a
// readable form.
//
// Tables, wide, CSV and JSON are views of one table of fields ([fields.Locks] and others);
// findings, events and prefixes have a struct for JSON, held against it by a test. Documents
// are written value by value, so that the memory in use does not grow with the number of locks:
// less than 0.005 allocations for a claim that is plain ASCII (stream_test.go).
//
// [locktop/ui/report/ticket] makes one page of what happened, [locktop/ui/report/metrics]
// exposes the facts to Prometheus.
package report
