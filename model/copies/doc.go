// Package copies makes copies of records that point to each other.
//
// What is one record stays one in the copy, however many point to it. A copy is shallow at first:
// whoever knows the type puts copies in the place of what the record points to.
package copies
