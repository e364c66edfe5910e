package gate

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"locktop/model"
)

// lineMost bounds a line of the audit log that is read: a revoke may list thousands of keys.
const lineMost = 16 << 20

// ReadAuditLog returns what an audit log says was done to a cluster, oldest first, and how many
// of its lines cannot be read. What was not done, or was only to be shown, is left out, and so is
// what was done to a lab. Lines of old that name no kind of action are among those that cannot be read.
func ReadAuditLog(from io.Reader) (done []model.Outcome, damaged int, err error) {
	in := bufio.NewScanner(from)
	in.Buffer(nil, lineMost)
	for in.Scan() {
		if len(strings.TrimSpace(in.Text())) == 0 {
			continue
		}
		var r record
		if json.Unmarshal(in.Bytes(), &r) != nil || r.Time.IsZero() || r.Step != stepIntent && r.Step != stepOutcome {
			damaged++
			continue
		}
		action, err := r.action()
		if err != nil {
			damaged++
			continue
		}
		if r.Step == stepOutcome && !r.DryRun && r.Result == model.ResultDone && action.Kind.WritesEtcd() {
			done = append(done, model.Outcome{At: r.Time, By: r.User, Done: true, Rev: r.Revision, Action: action})
		}
	}
	if errors.Is(in.Err(), bufio.ErrTooLong) {
		return done, damaged, fmt.Errorf("read the audit log: a line has more than %d MiB", lineMost>>20)
	} else if in.Err() != nil {
		return done, damaged, fmt.Errorf("read the audit log: %w", in.Err())
	}
	return done, damaged, nil
}

// action is what was to be done to etcd. Of an action on a lab it is the kind alone.
func (r record) action() (a model.Action, err error) {
	a = model.Action{Kind: r.Kind, Lock: r.Lock}
	if len(r.Keys) > 0 {
		a.Key, a.CreateRev = r.Keys[0].text(), r.Keys[0].CreateRev
	}
	switch {
	case !slices.Contains(model.ActionKinds, r.Kind):
		return a, fmt.Errorf("%q is no kind of action", r.Kind)
	case r.Kind == model.RevokeLease:
		a.Lease, err = model.ParseLeaseID(r.Lease)
	case r.Kind == model.DeleteClaim && a.Key == "":
		err = errors.New("a deletion names no key")
	}
	return a, err
}

// text is the key as it is in etcd.
func (k recordKey) text() string {
	if k.Base64 != nil {
		return string(k.Base64)
	}
	return k.Key
}
