// Package start asks a person what to watch, where a cluster has so many keys that the console
// should not watch them all unasked. It shows how far the search through the keys has come, then
// the prefixes that look like locks.
package start
