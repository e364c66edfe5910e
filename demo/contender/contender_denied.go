package contender

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"go.etcd.io/etcd/api/v3/v3rpc/rpctypes"
	clientv3 "go.etcd.io/etcd/client/v3"

	"locktop/model"
	"locktop/model/recipe"
)

// ErrDenied is what a contender ends with that may not do what its locks need.
var ErrDenied = errors.New("no permission")

// denied says what a contender may not do, after it failed with err; nil if that was
// not for want of a right. The server says neither which right nor on which key, and
// may even mean a login that is over: so each right is asked for, without a write.
func (c *contender) denied(ctx context.Context, err error) error {
	if saysAny(err, rpctypes.ErrUserEmpty) {
		return fmt.Errorf("%w: %s wants a user", ErrDenied, strings.Join(c.o.Endpoints, ", "))
	}
	if !saysAny(err, rpctypes.ErrPermissionDenied) {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, askWithin)
	defer cancel()
	for _, lock := range c.o.Locks {
		key, options := c.o.needs(lock)
		_, reading := c.client.Get(ctx, key, append(options, clientv3.WithCountOnly())...)
		_, writing := c.client.Txn(ctx).Else(clientv3.OpPut(key, "")).Commit() // nothing to compare: never the else
		read, write := !saysAny(reading, rpctypes.ErrPermissionDenied), !saysAny(writing, rpctypes.ErrPermissionDenied)
		switch {
		case !read && !write:
			return c.lacking(key, len(options) > 0, "neither read nor write")
		case !read:
			return c.lacking(key, len(options) > 0, "not read")
		case !write:
			return c.lacking(key, len(options) > 0, "not write")
		}
	}
	return nil
}

// lacking is the sentence for a right that is missing.
func (c *contender) lacking(key string, prefix bool, what string) error {
	who, where, flag := "whoever shows this certificate", "", ""
	if c.client.Username != "" {
		who = fmt.Sprintf("user %q", c.client.Username)
	}
	if prefix {
		where, flag = "below ", "--prefix=true "
	}
	return fmt.Errorf("%w: %s may %s %s%q at %s; a role that may: etcdctl role grant-permission ROLE %sreadwrite %s", ErrDenied,
		who, what, where, key, strings.Join(c.o.Endpoints, ", "), flag, model.ShellQuote(key))
}

// needs are the keys that a recipe reads and writes for a lock.
func (o Options) needs(lock string) (key string, options []clientv3.OpOption) {
	if recipe.Played(o.Recipe).Shape == recipe.Single {
		return lock, nil
	}
	return lock + "/", []clientv3.OpOption{clientv3.WithPrefix()}
}

// saysAny recognises an error of etcd's also where only its words are left, as in the
// reason for which a watch was cancelled, and in what servers answer for their clients.
func saysAny(err, target error) bool {
	return err != nil && (errors.Is(rpctypes.Error(err), target) || strings.Contains(err.Error(), rpctypes.ErrorDesc(target)))
}

// clearer is err, or what is denied behind it.
func (c *contender) clearer(ctx context.Context, err error) error {
	if denied := c.denied(ctx, err); denied != nil {
		return denied
	}
	return err
}
