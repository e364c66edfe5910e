package findings

import (
	"locktop/model"
	"locktop/model/locks"
	"locktop/model/status"
)

// This file has the only lines that write to etcd. None is printed before what goes with it
// was looked at, and none for a hint.

// namedKeys bounds how many keys a line of advice names.
const namedKeys = 4

// ToBreak says how the claim is taken away and what goes with it: by a revoke of its lease
// where nothing else hangs on that, else by a delete of the claim alone. Before it is known
// what hangs on the lease it says how to see that, and of what is only a hint no more.
func (cx *Context) ToBreak(c *locks.Claim, sure model.Confidence) []model.Message {
	l := c.LeaseInfo()
	if l == nil {
		return []model.Message{deletes(c)}
	}
	look := model.Say("see-what-else-hangs-on-lease", model.Verbatim(l.ID.Etcdctl()))
	others, n, known := l.Others(c.Key)
	switch {
	case sure == model.Hint:
		return []model.Message{model.Say("make-sure-as-it-is-a-hint"), look}
	case l.Attached() == nil:
		cx.K.Leases.NeedKeys(l)
		return []model.Message{look}
	case !known:
		return []model.Message{model.Say("what-else-hangs-on-lease", l.ID, l.Attached().Reason), deletes(c)}
	}
	cx.K.Leases.NeedKeys(l) // it is looked at again when it is old
	if n == 0 {
		return []model.Message{model.Say("revoke-its-lease", c.Key, model.Verbatim(model.Action{Kind: model.RevokeLease, Lease: l.ID}.Etcdctl()))}
	}
	return []model.Message{model.Say("do-not-revoke-its-lease", cx.named(others, n)), deletes(c)}
}

// deletes says how one key is deleted, and nothing else.
func deletes(c *locks.Claim) model.Message {
	return model.Say("delete-only-guarded", c.Key, model.Verbatim(model.Action{Kind: model.DeleteClaim, Key: c.Key, CreateRev: c.CreateRev, ModRev: c.ModRev}.Etcdctl()))
}

// named names the first keys, and what is known of each.
func (cx *Context) named(keys []string, n int) []model.Message {
	var words []model.Message
	for _, key := range keys[:min(len(keys), namedKeys)] {
		words = append(words, cx.keyWords(key))
	}
	if rest := n - len(words); rest > 0 {
		words = append(words, model.Say("more", rest))
	}
	return words
}

// keyWords name a key, and say what goes with it as far as it is watched.
func (cx *Context) keyWords(key string) model.Message {
	c := cx.K.Keys.Claim(key)
	if c == nil || c.Lock() == nil {
		return model.Say("key", key)
	}
	switch l := c.Lock(); status.Role(l, c) {
	case model.RoleHolds:
		return model.Say("key-that-holds", key, l.Name)
	case model.RoleWaits:
		return model.Say("key-that-waits", key, l.Name)
	default:
		return model.Say("key", key)
	}
}
