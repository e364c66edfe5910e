package rule

import (
	"fmt"
	"strings"

	"locktop/model"
	"locktop/model/keyspace"
	"locktop/model/outlook"
)

// This file has the only lines that write to etcd. None is printed before what goes with it
// was looked at, and none for a hint.

// namedKeys bounds how many keys a line of advice names.
const namedKeys = 4

// ToBreak says how the claim is taken away and what goes with it: by a revoke of its lease
// where nothing else hangs on that, else by a delete of the claim alone. Before it is known
// what hangs on the lease it says how to see that, and of what is only a hint no more.
func (x *Context) ToBreak(c *keyspace.Claim, sure model.Confidence) []string {
	l := c.LeaseInfo()
	if l == nil {
		return []string{Deletes(c)}
	}
	look := "see first what else hangs on its lease: " + l.ID.Etcdctl()
	others, n, known := l.Others(c.Key)
	switch {
	case sure == model.Hint:
		return []string{"make sure first that it is so, as it is only a hint", look}
	case l.Attached() == nil:
		x.K.NeedKeys(l)
		return []string{look}
	case !known:
		return []string{"what else hangs on lease " + l.ID.String() + " may not be read (" + model.Printable(l.Attached().Reason) + "), and a revoke would end all of it", Deletes(c)}
	}
	x.K.NeedKeys(l) // it is looked at again when it is old
	if n == 0 {
		return []string{"revoke its lease, on which hangs " + model.Printable(c.Key) + " alone: " + model.Action{Kind: model.RevokeLease, Lease: l.ID}.Etcdctl()}
	}
	return []string{"do not revoke its lease without a thought: it takes along " + x.named(others, n), Deletes(c)}
}

// Deletes says how one key is deleted, and nothing else.
func Deletes(c *keyspace.Claim) string {
	return "delete only " + model.Printable(c.Key) + ", guarded by its revisions (its owner is not told): " +
		model.Action{Kind: model.DeleteClaim, Key: c.Key, CreateRev: c.CreateRev, ModRev: c.ModRev}.Etcdctl()
}

// named names the first keys, and what is known of each.
func (x *Context) named(keys []string, n int) string {
	var words []string
	for _, key := range keys[:min(len(keys), namedKeys)] {
		words = append(words, x.keyWords(key))
	}
	if rest := n - len(words); rest > 0 {
		words = append(words, fmt.Sprintf("%d more", rest))
	}
	return strings.Join(words, ", ")
}

// keyWords name a key, and say what goes with it as far as it is watched.
func (x *Context) keyWords(key string) string {
	c := x.K.Claim(key)
	if c == nil || c.Lock() == nil {
		return model.Printable(key)
	}
	switch l := c.Lock(); outlook.Role(l, c) {
	case model.RoleHolds:
		return model.Printable(key) + " (holds " + model.Printable(l.Name) + ")"
	case model.RoleWaits:
		return model.Printable(key) + " (waits in " + model.Printable(l.Name) + ")"
	default:
		return model.Printable(key)
	}
}
