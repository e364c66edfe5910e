// Package pace keeps requests within what was allowed: a [Bucket] says when the next one may
// go, a [Meter] how many went. [Unhurried] wakes a program less often, and [Steady] is a
// clock that nobody can set. It knows nothing of what is asked, or of whom.
package pace
