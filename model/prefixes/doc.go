// Package prefixes tells how fresh the keys under each watched prefix are: whether they are
// listed, watched or lost, since when, and up to where. It is folded from the same events as
// the keys, and knows none of them.
package prefixes
