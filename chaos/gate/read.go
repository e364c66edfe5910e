package gate

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	"locktop/model"
)

// lineMost bounds a line of the audit log that is read: a revoke may list thousands of keys.
const lineMost = 16 << 20

// ReadAuditLog returns what a audit log says was done to a cluster, oldest first, and how many
// of its lines cannot be read. What was not done, or was only to be shown, is left out.
func ReadAuditLog(from io.Reader) (done []model.Outcome, damaged int, err error) {
	in := bufio.NewScanner(from)
	in.Buffer(nil, lineMost)
	for in.Scan() {
		var r record
		if len(strings.TrimSpace(in.Text())) == 0 {
			continue
		}
		if json.Unmarshal(in.Bytes(), &r) != nil || r.Time.IsZero() || r.Step != stepIntent && r.Step != stepOutcome {
			damaged++
			continue
		}
		if r.Step != stepOutcome || r.DryRun || r.Result != model.ResultDone {
			continue
		}
		if o, ok := r.outcome(); ok {
			done = append(done, o)
		}
	}
	if errors.Is(in.Err(), bufio.ErrTooLong) {
		return done, damaged, fmt.Errorf("read the audit log: a line has more than %d MiB", lineMost>>20)
	} else if in.Err() != nil {
		return done, damaged, fmt.Errorf("read the audit log: %w", in.Err())
	}
	return done, damaged, nil
}

// outcome is what was written, as far as it is about keys: what was done to a lab is no line for
// others.
func (r record) outcome() (o model.Outcome, ok bool) {
	o = model.Outcome{At: r.Time, By: r.User, Done: true, Rev: r.Revision, Action: model.Action{Lock: r.Lock}}
	if len(r.Keys) > 0 {
		o.Action.Key, o.Action.CreateRev = r.Keys[0].text(), r.Keys[0].CreateRev
	}
	if id, is := strings.CutPrefix(r.Etcdctl, "etcdctl lease revoke "); is {
		var err error
		o.Action.Kind = model.RevokeLease
		o.Action.Lease, err = model.ParseLeaseID(id)
		return o, err == nil
	}
	o.Action.Kind = model.DeleteClaim
	return o, o.Action.Key != "" && r.Etcdctl != ""
}

// text is the key as it is in etcd.
func (k recordKey) text() string {
	if k.Base64 != nil {
		return string(k.Base64)
	}
	return k.Key
}
