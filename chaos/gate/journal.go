package gate

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"time"
	"unicode/utf16"
	"unicode/utf8"

	"locktop/model"
)

// Steps of an action in the journal.
const (
	stepIntent  = "intent"
	stepOutcome = "outcome"
)

// journal writes what is about to be done and what came of it, a line of JSON
// each. Values of keys are never in it: they may be secrets.
type journal struct {
	to             io.Writer
	user, endpoint string
	now            func() time.Time
}

// record is one line of the journal.
type record struct {
	Time     time.Time   `json:"time"`
	Step     string      `json:"step"`
	User     string      `json:"user"`
	Endpoint string      `json:"endpoint"`
	Action   string      `json:"action"`
	Lock     string      `json:"lock,omitempty"`
	Hits     string      `json:"hits,omitempty"`
	Keys     []recordKey `json:"keys"`
	Unknown  string      `json:"keys_unknown,omitempty"`
	DryRun   bool        `json:"dry_run"`
	Etcdctl  string      `json:"etcdctl,omitempty"`
	Outcome  string      `json:"outcome,omitempty"`
	Done     *bool       `json:"done,omitempty"`
	Revision int64       `json:"revision,omitempty"`
}

// recordKey is a key that was planned to go. Base64 is set where the bytes are not
// UTF-8 and Key is only for reading.
type recordKey struct {
	Key       string `json:"key"`
	Base64    []byte `json:"key_base64,omitempty"`
	CreateRev int64  `json:"create_revision"`
}

// before writes the intent.
func (j journal) before(p model.Plan) error { return j.write(j.record(p, stepIntent)) }

// after writes the outcome.
func (j journal) after(p model.Plan, o model.Outcome) error {
	r := j.record(p, stepOutcome)
	r.Outcome, r.Done, r.Revision = o.Describe(), &o.Done, o.Rev
	return j.write(r)
}

func (j journal) record(p model.Plan, step string) record {
	r := record{Time: j.now(), Step: step, User: j.user, Endpoint: j.endpoint, Action: p.Action.Describe(),
		Lock: p.Action.Lock, Hits: p.Hits, Keys: []recordKey{}, Unknown: p.Unknown, DryRun: p.DryRun, Etcdctl: p.Action.Etcdctl()}
	for _, kv := range p.Goes {
		k := recordKey{Key: kv.Key, CreateRev: kv.CreateRev}
		if !utf8.ValidString(kv.Key) {
			k.Base64 = []byte(kv.Key)
		}
		r.Keys = append(r.Keys, k)
	}
	return r
}

// write writes a line in one call, so that lines of two consoles do not mix in a
// file that is appended to.
func (j journal) write(r record) error {
	b, err := json.Marshal(r)
	if err != nil {
		return fmt.Errorf("write the journal: %w", err)
	}
	_, err = io.WriteString(j.to, printable(b)+"\n")
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
