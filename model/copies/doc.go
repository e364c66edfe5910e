// Package copies makes copies of records that point to each other.
//
// A record stays one record in the copy, however many point to it. A copy is shallow at first: code
// that knows the type then replaces what the record points to by copies.
package copies
