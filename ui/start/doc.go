// Package start asks what to watch where a cluster has more keys than should be watched
// unasked: it shows how far the look at the keys has come, then the prefixes that look
// like locks.
package start
