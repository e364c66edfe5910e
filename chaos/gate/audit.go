package gate

import (
	"encoding/json"
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"
	"unicode/utf16"
	"unicode/utf8"

	"locktop/model"
	"locktop/model/text"
)

// Steps of an action in the audit log.
const (
	stepIntent  = "intent"
	stepOutcome = "outcome"
)

// auditLog writes what is about to be done and what came of it, a line of JSON
// each. Values of keys are never in it: they may be secrets.
type auditLog struct {
	to             io.Writer
	user, endpoint string
	now            func() time.Time
}

// record is one line of the audit log.
type record struct {
	Time     time.Time `json:"time"`
	Step     string    `json:"step"`
	User     string    `json:"user"`
	Endpoint string    `json:"endpoint"`
	// Kind is what is done, Action the same as a sentence. Lease is what a revoke ends, in hex.
	Kind    model.ActionKind `json:"kind"`
	Action  string           `json:"action"`
	Lock    string           `json:"lock,omitempty"`
	Lease   string           `json:"lease,omitempty"`
	Hits    string           `json:"hits,omitempty"`
	Keys    []recordKey      `json:"keys"`
	Unknown string           `json:"keys_unknown,omitempty"`
	DryRun  bool             `json:"dry_run"`
	Etcdctl string           `json:"etcdctl,omitempty"`
	Outcome string           `json:"outcome,omitempty"`
	// Result is "done", "not-done" or "unknown", and Done is null for the last.
	Result   model.Result    `json:"result,omitempty"`
	Done     json.RawMessage `json:"done,omitempty"`
	Revision int64           `json:"revision,omitempty"`
	// Went are the keys that a revoke took, null where that could not be read.
	Went json.RawMessage `json:"went,omitempty"`
}

// recordKey is a key that was planned to go, or that went. Base64 is set where the bytes are not
// UTF-8 and Key is only for reading.
type recordKey struct {
	Key       string `json:"key"`
	Base64    []byte `json:"key_base64,omitempty"`
	CreateRev int64  `json:"create_revision"`
}

func (l auditLog) writeIntent(p model.Plan) error { return l.write(l.record(p, stepIntent)) }

func (l auditLog) writeOutcome(p model.Plan, o model.Outcome) error {
	r := l.record(p, stepOutcome)
	r.Outcome, r.Result, r.Revision = text.English(o.Message()), o.Result(), o.Rev
	switch r.Result {
	case model.ResultUnknown:
		r.Done = json.RawMessage("null")
	default:
		r.Done = strconv.AppendBool(nil, o.Done)
	}
	if o.Done && p.Action.Kind == model.RevokeLease {
		var err error
		if r.Went, err = json.Marshal(recordKeys(o.Went)); err != nil {
			return fmt.Errorf("write the audit log: %w", err)
		}
	}
	return l.write(r)
}

func (l auditLog) record(p model.Plan, step string) record {
	r := record{Time: l.now(), Step: step, User: l.user, Endpoint: l.endpoint, Kind: p.Action.Kind, Action: text.English(p.Action.Message()),
		Lock: p.Action.Lock, Hits: text.English(p.Hits), Keys: recordKeys(p.Goes), Unknown: text.English(p.Unknown), DryRun: p.DryRun, Etcdctl: p.Action.Etcdctl()}
	if r.Keys == nil {
		r.Keys = []recordKey{}
	}
	if r.Kind == model.RevokeLease {
		r.Lease = p.Action.Lease.String()
	}
	return r
}

// recordKeys are keys as they stand in the audit log, nil for nil.
func recordKeys(kvs []model.KV) (all []recordKey) {
	if kvs != nil {
		all = []recordKey{}
	}
	for _, kv := range kvs {
		k := recordKey{Key: kv.Key, CreateRev: kv.CreateRev}
		if !utf8.ValidString(kv.Key) {
			k.Base64 = []byte(kv.Key)
		}
		all = append(all, k)
	}
	return all
}

// write writes a line in one call, so that lines of two consoles do not mix in a
// file that is appended to.
func (l auditLog) write(r record) error {
	b, err := json.Marshal(r)
	if err != nil {
		return fmt.Errorf("write the audit log: %w", err)
	}
	_, err = io.WriteString(l.to, printable(b)+"\n")
	return err
}

// printable escapes what JSON may leave as it is and a terminal would obey or
// reorder: DEL and everything beyond ASCII.
func printable(js []byte) string {
	var b strings.Builder
	for _, c := range string(js) {
		switch {
		case c < 0x7f:
			b.WriteRune(c)
		case c > 0xffff:
			hi, lo := utf16.EncodeRune(c)
			fmt.Fprintf(&b, `\u%04x\u%04x`, hi, lo)
		default:
			fmt.Fprintf(&b, `\u%04x`, c)
		}
	}
	return b.String()
}
