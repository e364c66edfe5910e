package failures

import (
	"errors"
	"strings"

	"go.etcd.io/etcd/api/v3/v3rpc/rpctypes"
	"google.golang.org/grpc/status"

	"locktop/model"
	"locktop/model/text"
)

// said is an error of our own, as a message.
type said struct {
	why  model.Message
	kind error // more general, nil for none
}

func (e *said) Error() string { return text.English(e.why) }
func (e *said) Unwrap() error { return e.kind }

// Because returns an error of a kind that says more than the kind itself.
func Because(kind error, why model.Message) error { return &said{why, kind} }

// Explain says to the person at the keyboard what failed, where and what to do next. Doing is what was
// tried with the keys under the prefix: "to-list".
func Explain(err error, doing model.Message, prefix string, endpoints []string) model.Message {
	where := strings.Join(endpoints, ", ")
	var at *endpointError
	if errors.As(err, &at) {
		where = at.addr
	}
	keys, cause := model.KeysOf(prefix), causeOf(err)
	cannot := func(why model.Message) model.Message { return model.Say("cannot", doing, keys, why) }
	class := Classify(err)
	switch class {
	case Unreachable:
		return model.TryingAgain(cannot(model.Say("no-connection-to", where, cause)))
	case Timeout:
		if IsEtcd(err, rpctypes.ErrTooManyRequests) || IsEtcd(err, rpctypes.ErrUnhealthy) {
			return model.TryingAgain(cannot(model.Say("answers-that-it-cannot", where, cause)))
		}
		return model.TryingAgain(cannot(model.Say("no-answer-in-time-from", where)))
	case NoLeader:
		return model.TryingAgain(cannot(model.Say("no-leader-as-seen-from", where)))
	case Compacted:
		return model.Say("were-compacted", where, keys)
	case Restored:
		return model.Say("was-restored", cause, where, keys)
	case Silent:
		return model.Say("may-be-cut-off", cause, where)
	case Denied:
		if prefix == "" {
			return cannot(model.Say("no-permission-at-all", where, prefix))
		}
		return cannot(model.Say("no-permission", where, prefix))
	case Malformed:
		return model.TryingAgain(cannot(model.Say("quote", cause)))
	case TooMuch:
		return model.Say("cannot-on", doing, keys, model.Say("too-much-on", where, cause))
	case Login:
		return cannot(model.Say("wants-a-login", where, cause))
	}
	return model.TryingAgain(model.Say("cannot-on", doing, keys, model.Say("failed-on", where, cause)))
}

// InShort says in a few words why a request had no answer.
func InShort(err error) model.Message {
	switch Classify(err) {
	case Timeout:
		return model.Say("no-answer-in-time")
	case NoLeader:
		return model.Say("no-leader-there")
	case Unreachable:
		return model.Say("no-connection", causeOf(err))
	case Denied:
		return model.Say("may-not")
	case Login:
		return model.Say("not-logged-in", causeOf(err))
	}
	return model.Say("quote", causeOf(err))
}

// causeOf is the innermost error as the argument of a message: a message where it is one of ours, and
// else the words of a server, see [Cause].
func causeOf(err error) any {
	var ours *said
	if errors.As(err, &ours) {
		return ours.why
	}
	return Cause(err)
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
