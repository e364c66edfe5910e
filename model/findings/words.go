package findings

import (
	"slices"
	"time"

	"locktop/model"
	"locktop/model/locks"
)

// readingWords say what the last reading of a lease told.
func readingWords(l *locks.Lease) model.Message {
	return model.Say("last-reading", l.ID, l.Read.Remaining, l.Read.Granted)
}

// proxyConfidence says how sure a word of the proxy about clients is: of one that shares its
// listener only the connection is known.
func proxyConfidence(clients ...model.Client) model.Confidence {
	if slices.ContainsFunc(clients, func(c model.Client) bool { return !c.Certain }) {
		return model.Strong
	}
	return model.Certain
}

// expiryLag is how long after its end a lease is removed: the server looks every
// 500 ms.
const expiryLag = 500 * time.Millisecond

// longHolds is how many holds of a lock have to be known, to say what is long there.
const longHolds = 10
