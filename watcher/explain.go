package watcher

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"go.etcd.io/etcd/api/v3/v3rpc/rpctypes"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"locktop/model"
	"locktop/watcher/answers"
)

var (
	errStalled  = errors.New("no part of the list arrived in time")
	errSilent   = errors.New("the watch does not follow the cluster")
	errRestored = errors.New("the revision of the cluster went back")
	errEnded    = errors.New("the watch ended without a reason")
)

// failure is a class of errors that call for the same answer.
type failure int

const (
	failOther failure = iota
	failUnreachable
	failTimeout
	failNoLeader
	failCompacted
	failRestored
	failSilent
	failDenied
	failLogin
	failMalformed
)

// reason is what the model is told.
func (f failure) reason() model.LostReason {
	switch f {
	case failCompacted, failRestored:
		return model.LostCompacted
	case failSilent:
		return model.LostSilent
	case failDenied, failLogin:
		return model.LostDenied
	}
	return model.LostDisconnect
}

// classify finds the class of an error.
func classify(err error) failure {
	switch {
	case codeOf(err) == answers.Code:
		return failMalformed
	case errors.Is(err, errSilent):
		return failSilent
	case errors.Is(err, errRestored):
		return failRestored
	case isEtcd(err, rpctypes.ErrCompacted):
		return failCompacted
	case isEtcd(err, rpctypes.ErrNoLeader):
		return failNoLeader
	case isEtcd(err, rpctypes.ErrUserEmpty), isEtcd(err, rpctypes.ErrAuthFailed), isEtcd(err, rpctypes.ErrInvalidAuthToken):
		return failLogin
	case isEtcd(err, rpctypes.ErrPermissionDenied), codeOf(err) == codes.PermissionDenied:
		return failDenied
	case errors.Is(err, errStalled), errors.Is(err, context.DeadlineExceeded),
		codeOf(err) == codes.DeadlineExceeded,
		isEtcd(err, rpctypes.ErrTimeout):
		return failTimeout
	case codeOf(err) == codes.Unavailable:
		return failUnreachable
	}
	return failOther
}

// tokenRefused says that a login may help: the server no longer knows the token, it is
// older than the last change of auth, or it was asked for while auth was off.
func tokenRefused(err error) bool {
	return isEtcd(err, rpctypes.ErrInvalidAuthToken) || isEtcd(err, rpctypes.ErrAuthOldRevision) || isEtcd(err, rpctypes.ErrUserEmpty)
}

// isEtcd recognises an error of etcd's in each of its dresses. The words are the
// last resort: a refused watch comes as plain text, because the client cannot
// parse the cancel reason that the server sends.
func isEtcd(err, target error) bool {
	if err == nil {
		return false
	}
	return errors.Is(err, target) || errors.Is(rpctypes.Error(err), target) ||
		strings.Contains(err.Error(), target.Error())
}

// codeOf returns the status code of an error in any of its dresses.
func codeOf(err error) codes.Code {
	var e rpctypes.EtcdError
	if errors.As(err, &e) {
		return e.Code()
	}
	return status.Code(err)
}

// explain writes the sentence for the person at the keyboard: what failed, where
// and what to do next.
func explain(err error, doing, prefix string, endpoints []string) string {
	where := strings.Join(endpoints, ", ")
	var at *endpointError
	if errors.As(err, &at) {
		where = at.addr
	}
	what := fmt.Sprintf("cannot %s %s", doing, name(prefix))
	switch classify(err) {
	case failUnreachable:
		return fmt.Sprintf("%s: no connection to %s (%s); check that etcd runs there and that endpoint, TLS and firewall are right; trying again", what, where, cause(err))
	case failTimeout:
		return fmt.Sprintf("%s: no answer in time from %s; the cluster may have lost its quorum or be overloaded, or that member lags: etcdctl endpoint status --cluster; trying again", what, where)
	case failNoLeader:
		return fmt.Sprintf("%s: no leader as seen from %s; that member is cut off or the cluster lost its quorum: etcdctl endpoint status --cluster; trying again", what, where)
	case failCompacted:
		return fmt.Sprintf("the revisions to continue from were compacted on %s; listing %s anew, what happened in between is not known", where, name(prefix))
	case failRestored:
		return fmt.Sprintf("%s on %s: it was restored from a backup or replaced; listing %s anew", cause(err), where, name(prefix))
	case failSilent:
		return fmt.Sprintf("%s on %s: its member may be cut off; opening the watch again, on another endpoint if there is one", cause(err), where)
	case failDenied:
		if prefix == "" {
			return fmt.Sprintf("%s: no permission on %s. Try --prefix with one you may read, or a role that grants all keys: etcdctl role grant-permission ROLE --prefix=true read ''", what, where)
		}
		return fmt.Sprintf("%s: no permission on %s; a role that grants it: etcdctl role grant-permission ROLE --prefix=true read %s", what, where, shellQuote(prefix))
	case failMalformed:
		return fmt.Sprintf("%s: %s; trying again", what, cause(err))
	case failLogin:
		return fmt.Sprintf("%s: %s wants a valid user name and password: %s", what, where, cause(err))
	}
	return fmt.Sprintf("%s on %s: %s; trying again", what, where, cause(err))
}

// cause returns the words of the innermost error, without grpc's wrappings.
func cause(err error) string {
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

func name(prefix string) string {
	if prefix == "" {
		return "all keys"
	}
	return fmt.Sprintf("%q", prefix)
}

// shellQuote quotes s for a POSIX shell.
func shellQuote(s string) string {
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}

// endpointError adds where a request failed.
type endpointError struct {
	addr string
	err  error
}

func (e *endpointError) Error() string { return e.addr + ": " + e.err.Error() }
func (e *endpointError) Unwrap() error { return e.err }
