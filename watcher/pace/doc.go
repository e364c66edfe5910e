// Package pace keeps requests within what was allowed: a [Bucket] says when the next one may
// go, a [Meter] how many went. [Clock] is the time of events,
// which nobody can set. It knows nothing of what is asked, or of whom.
package pace
