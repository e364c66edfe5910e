// Package pace keeps requests within what was allowed: a [Bucket] says when the next one may
// go, a [Meter] how many went. It knows nothing of what is asked, or of whom.
package pace
