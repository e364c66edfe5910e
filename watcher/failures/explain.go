package failures

import (
	"errors"
	"fmt"
	"strings"

	"go.etcd.io/etcd/api/v3/v3rpc/rpctypes"
	"google.golang.org/grpc/status"

	"locktop/model"
)

// Explain writes the sentence for the person at the keyboard: what failed, where
// and what to do next.
func Explain(err error, doing, prefix string, endpoints []string) string {
	where := strings.Join(endpoints, ", ")
	var at *endpointError
	if errors.As(err, &at) {
		where = at.addr
	}
	what := fmt.Sprintf("cannot %s %s", doing, model.KeysUnder(prefix))
	switch Classify(err) {
	case Unreachable:
		return fmt.Sprintf("%s: no connection to %s (%s); check that etcd runs there and that endpoint, TLS and firewall are right; trying again", what, where, Cause(err))
	case Timeout:
		if IsEtcd(err, rpctypes.ErrTooManyRequests) || IsEtcd(err, rpctypes.ErrUnhealthy) {
			return fmt.Sprintf("%s: %s answers that it cannot now (%s); that member may be overloaded: etcdctl endpoint status --cluster; trying again", what, where, Cause(err))
		}
		return fmt.Sprintf("%s: no answer in time from %s; the cluster may have lost its quorum or be overloaded, or that member lags: etcdctl endpoint status --cluster; trying again", what, where)
	case NoLeader:
		return fmt.Sprintf("%s: no leader as seen from %s; the leader changes, that member is cut off, or the cluster lost its quorum: etcdctl endpoint status --cluster; trying again", what, where)
	case Compacted:
		return fmt.Sprintf("the revisions to continue from were compacted on %s; listing %s anew, what happened in between is not known", where, model.KeysUnder(prefix))
	case Restored:
		return fmt.Sprintf("%s on %s: it was restored from a backup or replaced; listing %s anew", Cause(err), where, model.KeysUnder(prefix))
	case Silent:
		return fmt.Sprintf("%s on %s: its member may be cut off; opening the watch again, on another endpoint if there is one", Cause(err), where)
	case Denied:
		if prefix == "" {
			return fmt.Sprintf("%s: no permission on %s. Try --prefix with one you may read, or a role that grants all keys: %s", what, where, model.GrantRead(""))
		}
		return fmt.Sprintf("%s: no permission on %s; a role that grants it: %s", what, where, model.GrantRead(prefix))
	case Malformed:
		return fmt.Sprintf("%s: %s; trying again", what, Cause(err))
	case TooMuch:
		return fmt.Sprintf("%s on %s: %s; name narrower prefixes with --prefix (\"locktop discover\" finds them)", what, where, Cause(err))
	case Login:
		return fmt.Sprintf("%s: %s wants a valid user name and password: %s; name the user with --user, and set ETCDCTL_PASSWORD or name --password-file", what, where, Cause(err))
	}
	return fmt.Sprintf("%s on %s: %s; trying again", what, where, Cause(err))
}

// Cause returns the words of the innermost error, without grpc's wrappings.
func Cause(err error) string {
	var at *endpointError
	if errors.As(err, &at) {
		err = at.err
	}
	text := err.Error()
	if s, ok := status.FromError(err); ok {
		text = s.Message()
	}
	if i := strings.LastIndex(text, `desc = `); i >= 0 {
		text = strings.Trim(text[i+len(`desc = `):], `"`)
	}
	text = strings.TrimPrefix(text, "transport: ")
	text = strings.TrimPrefix(text, "Error while dialing: ")
	return strings.TrimPrefix(text, "etcdserver: ")
}
