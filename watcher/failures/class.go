package failures

import (
	"context"
	"errors"
	"strings"

	"go.etcd.io/etcd/api/v3/v3rpc/rpctypes"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"locktop/model"
	"locktop/watcher/validate"
)

// What a watch itself fails with.
var (
	ErrStalled  = Because(nil, model.Say("list-stalled"))
	ErrSilent   = Because(nil, model.Say("watch-does-not-follow"))
	ErrRestored = Because(nil, model.Say("revision-went-back"))
	ErrEnded    = Because(nil, model.Say("watch-ended"))
	ErrTooMuch  = Because(nil, model.Say("too-many-keys"))
)

// Class is a class of errors that call for the same answer.
type Class int

// Classes of errors.
const (
	Other       Class = iota
	Unreachable       // no connection
	Timeout           // no answer in time
	NoLeader          // the member that answers knows no leader
	Compacted         // the revision to continue from is gone
	Restored          // the revision of the cluster went back
	Silent            // the watch does not follow the cluster
	Denied            // the user may not read it
	Login             // no user, or not the right password
	Malformed         // an answer that no etcd gives
	TooMuch           // a list beyond all bounds
)

// Reason is what the model is told.
func (f Class) Reason() model.LostReason {
	switch f {
	case Compacted:
		return model.LostCompacted
	case Restored:
		return model.LostRestored
	case Silent:
		return model.LostSilent
	case Denied, Login:
		return model.LostDenied
	}
	return model.LostDisconnect
}

// Classify finds the class of an error.
func Classify(err error) Class {
	switch {
	case CodeOf(err) == validate.Code:
		return Malformed
	case errors.Is(err, ErrTooMuch):
		return TooMuch
	case errors.Is(err, ErrSilent):
		return Silent
	case errors.Is(err, ErrRestored):
		return Restored
	case IsEtcd(err, rpctypes.ErrCompacted):
		return Compacted
	case IsEtcd(err, rpctypes.ErrNoLeader), IsEtcd(err, rpctypes.ErrLeaderChanged), IsEtcd(err, rpctypes.ErrNotLeader), IsEtcd(err, rpctypes.ErrTimeoutDueToLeaderFail):
		return NoLeader
	case IsEtcd(err, rpctypes.ErrUserEmpty), IsEtcd(err, rpctypes.ErrAuthFailed), IsEtcd(err, rpctypes.ErrInvalidAuthToken):
		return Login
	case IsEtcd(err, rpctypes.ErrPermissionDenied), CodeOf(err) == codes.PermissionDenied:
		return Denied
	case errors.Is(err, ErrStalled), errors.Is(err, context.DeadlineExceeded),
		CodeOf(err) == codes.DeadlineExceeded,
		IsEtcd(err, rpctypes.ErrTimeout), IsEtcd(err, rpctypes.ErrTimeoutDueToConnectionLost), IsEtcd(err, rpctypes.ErrTooManyRequests),
		IsEtcd(err, rpctypes.ErrUnhealthy):
		return Timeout // it answers, and says that it cannot now: it is there
	case CodeOf(err) == codes.Unavailable:
		return Unreachable
	}
	return Other
}

// TokenRefused says that a login may help: the server no longer knows the token, it is
// older than the last change of auth, or it was asked for while auth was off.
func TokenRefused(err error) bool {
	return IsEtcd(err, rpctypes.ErrInvalidAuthToken) || IsEtcd(err, rpctypes.ErrAuthOldRevision) || IsEtcd(err, rpctypes.ErrUserEmpty)
}

// IsEtcd recognises an error of etcd's in each of its dresses. The words are the
// last resort: a refused watch comes as plain text, because the client cannot
// parse the cancel reason that the server sends.
func IsEtcd(err, target error) bool {
	if err == nil {
		return false
	}
	return errors.Is(err, target) || errors.Is(rpctypes.Error(err), target) ||
		strings.Contains(err.Error(), target.Error())
}

// CodeOf returns the status code of an error in any of its dresses.
func CodeOf(err error) codes.Code {
	var e rpctypes.EtcdError
	if errors.As(err, &e) {
		return e.Code()
	}
	return status.Code(err)
}

// endpointError adds where a request failed.
type endpointError struct {
	addr string
	err  error
}

func (e *endpointError) Error() string { return e.addr + ": " + e.err.Error() }
func (e *endpointError) Unwrap() error { return e.err }

// At returns an error with the address where the request failed.
func At(addr string, err error) error { return &endpointError{addr, err} }
