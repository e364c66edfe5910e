package proxy

import (
	"bytes"
	"fmt"
	"iter"
	"slices"
	"strings"
	"sync"
	"time"

	"google.golang.org/grpc/codes"
	"google.golang.org/protobuf/encoding/protowire"

	"locktop/model"
)

// writes are the keys that a call wants to put or delete, and how far it came. All
// methods that write are unary: one request, one answer.
type writes struct {
	mu        sync.Mutex
	at        time.Time // when the request came
	keys      []model.Wrote
	txn       []byte // a TxnRequest: which of its keys are written, the answer says
	sent      bool   // the request went to the member
	delivered bool   // the client was given the answer
	ended     bool
}

// noteRequest learns from a request, which came at a time, what it wants written.
func (w *writes) noteRequest(method string, text []byte, at time.Time) {
	read := requestWrites[method]
	if read == nil && method != methodTxn {
		return
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.at = at
	if read != nil {
		w.keys = []model.Wrote{read(text)}
		return
	}
	w.txn = bytes.Clone(text)
}

// sending marks the request as sent, unless the call is over.
func (w *writes) sending() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.sent = w.sent || !w.ended
	return !w.ended
}

// answered learns from the member's answer what was written, and when.
func (w *writes) answered(method string, text []byte) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.txn != nil && text != nil {
		w.keys, w.txn = txnWrites(nil, w.txn, text), nil
	}
	if len(w.keys) == 0 {
		return
	}
	rev, key := readAnswer(method, text)
	for i := range w.keys {
		w.keys[i].Rev = rev
		if method == methodDelete {
			w.keys[i] = counted(w.keys[i], text)
		}
		if key != "" {
			w.keys[i].Key = key
		}
	}
}

// noteAnswer says that the client was given the answer.
func (w *writes) noteAnswer() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.delivered = true
}

// end returns what is to be reported at the end of the call.
func (w *writes) end() []model.Wrote {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.ended = true
	if w.txn != nil {
		w.keys = txnWrites(nil, w.txn, nil)
	}
	w.keys = slices.DeleteFunc(w.keys, func(k model.Wrote) bool { return k.Key == "" })
	for i := range w.keys {
		w.keys[i].Told, w.keys[i].Unsent, w.keys[i].Asked = w.delivered, !w.sent, w.at
	}
	return w.keys
}

// requestWrites reads what a request writes, by method. A key that only the answer
// names is empty. Field 1 of those about an election is its leader, of which 2 is the key and 4 the lease.
var requestWrites = map[string]func([]byte) model.Wrote{
	"KV/Put":       putOf,
	methodDelete:   deleteOf,
	methodLock:     claimOf,
	"Lock/Unlock":  func(b []byte) model.Wrote { return model.Wrote{Key: string(field(b, 1)), Delete: true} },
	methodCampaign: claimOf,
	"Election/Proclaim": func(b []byte) model.Wrote {
		leader := field(b, 1)
		return model.Wrote{Key: string(field(leader, 2)), Lease: model.LeaseID(number(leader, 4))}
	},
	"Election/Resign": func(b []byte) model.Wrote { return model.Wrote{Key: string(field(field(b, 1), 2)), Delete: true} },
}

// claimOf reads the LockRequest or CampaignRequest by which the member's own lock service claims a name.
// Without a lease of the client's it makes one, and only its answer names the key.
func claimOf(b []byte) model.Wrote {
	lease := number(b, 2)
	if lease == 0 {
		return model.Wrote{}
	}
	return model.Wrote{Key: fmt.Sprintf("%s/%x", field(b, 1), lease), Lease: model.LeaseID(lease)}
}

// putOf reads a PutRequest.
func putOf(b []byte) model.Wrote {
	return model.Wrote{Key: string(field(b, 1)), Lease: model.LeaseID(number(b, 3))}
}

// deleteOf reads a DeleteRangeRequest.
func deleteOf(b []byte) model.Wrote {
	return model.Wrote{Key: string(field(b, 1)), End: string(field(b, 2)), Delete: true}
}

// counted adds to a delete what a DeleteRangeResponse says of it; nil is none.
func counted(w model.Wrote, answer []byte) model.Wrote {
	w.Took = number(answer, 2) > 0
	w.Missed = answer != nil && !w.Took
	return w
}

// txnWrites adds the keys that a TxnRequest writes: those of the branch that
// was executed, or of both where there is no TxnResponse.
func txnWrites(to []model.Wrote, txn, answer []byte) []model.Wrote {
	const success, failure = 2, 3
	executed := protowire.Number(success)
	if answer != nil && number(answer, 2) == 0 {
		executed = failure
	}
	i := 0 // of the operations that were executed
	for op := range fields(txn) {
		if op.number != success && op.number != failure || answer != nil && op.number != executed {
			continue
		}
		for kind := range fields(op.bytes) {
			switch kind.number {
			case 2:
				to = addOnce(to, putOf(kind.bytes))
			case 3:
				to = addOnce(to, counted(deleteOf(kind.bytes), field(nth(answer, 3, i), 3)))
			case 4:
				to = txnWrites(to, kind.bytes, field(nth(answer, 3, i), 4))
			}
		}
		i++
	}
	return to
}

// readsOlder says whether a TxnResponse has a key that is older than what the transaction made.
func readsOlder(answer []byte) bool {
	rev, _ := readAnswer(methodTxn, answer)
	for op := range fields(answer) {
		if op.number != 3 {
			continue
		}
		if kv := field(field(op.bytes, 1), 2); kv != nil && number(kv, 2) < rev {
			return true
		}
	}
	return false
}

func addOnce(to []model.Wrote, w model.Wrote) []model.Wrote {
	if slices.Contains(to, w) {
		return to
	}
	return append(to, w)
}

// readAnswer returns the revision of an answer's header, which is the first field
// of every answer of etcd, and the key that it names if it is one that does.
func readAnswer(method string, b []byte) (rev int64, key string) {
	switch method {
	case methodLock:
		key = string(field(b, 2))
	case methodCampaign:
		key = string(field(field(b, 2), 2))
	}
	return number(field(b, 1), 3), key
}

// wireField is a field of an encoded message.
type wireField struct {
	number protowire.Number
	bytes  []byte // not nil, if it is of that type
	value  uint64 // if it is a number
}

// fields are those of an encoded message, up to where it cannot be read: what the
// member cannot read it refuses. A few are all that is wanted of each message.
func fields(b []byte) iter.Seq[wireField] {
	return func(yield func(wireField) bool) {
		for len(b) > 0 {
			n, kind, size := protowire.ConsumeTag(b)
			if size < 0 {
				return
			}
			b = b[size:]
			f := wireField{number: n}
			switch kind {
			case protowire.VarintType:
				f.value, size = protowire.ConsumeVarint(b)
			case protowire.BytesType:
				f.bytes, size = protowire.ConsumeBytes(b)
			default:
				size = protowire.ConsumeFieldValue(n, kind, b)
			}
			if size < 0 || !yield(f) {
				return
			}
			b = b[size:]
		}
	}
}

// nth returns the bytes of a field that is repeated, nil if there are not as many.
func nth(b []byte, number protowire.Number, i int) []byte {
	for f := range fields(b) {
		if f.number != number || f.bytes == nil {
			continue
		}
		if i == 0 {
			return f.bytes
		}
		i--
	}
	return nil
}

// field returns the bytes of a field, nil if there is none.
func field(b []byte, number protowire.Number) []byte { return nth(b, number, 0) }

// number returns a field that is a number, 0 if there is none.
func number(b []byte, number protowire.Number) int64 {
	for f := range fields(b) {
		if f.number == number {
			return int64(f.value)
		}
	}
	return 0
}

// deniedEvery is how often a client's refused renewals are reported at most: it
// tries again twice a second.
const deniedEvery = time.Second

// denials remembers when a client's refused renewals were last reported.
type denials struct {
	mu   sync.Mutex
	last map[string]time.Time
}

// due says whether one more is to be reported.
func (d *denials) due(client string) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	if time.Since(d.last[client]) < deniedEvery {
		return false
	}
	if d.last == nil {
		d.last = map[string]time.Time{}
	}
	d.last[client] = time.Now()
	return true
}

func (d *denials) forget(client string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	delete(d.last, client)
}

// refused reports a status of the member if it is for lack of rights.
func (c *call) refused(code codes.Code, text string) {
	if code != codes.PermissionDenied && code != codes.Unauthenticated {
		return
	}
	if c.method == methodKeepAlive && !c.proxy.denials.due(c.conn.client) {
		return
	}
	c.proxy.report(model.Refused{At: c.proxy.now(), Client: c.conn.identity(), Method: c.method,
		Lease: model.LeaseID(c.lease.Load()), Text: text})
}

// watches are the single keys that one call watches. clientv3 sends the watches of
// a client through one call, and the member answers their creation in order.
type watches struct {
	mu       sync.Mutex
	pending  []string         // asked for, "" for a range
	keysByID map[int64]string // by watch id, without ranges
}

// requested learns from a request before it goes to the member.
func (w *watches) requested(c *call, text []byte) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if create := field(text, 1); create != nil {
		key := string(field(create, 1))
		if len(field(create, 2)) > 0 {
			key = ""
		}
		w.pending = append(w.pending, key)
		c.proxy.asked.watches(c)
	}
	if cancel := field(text, 2); cancel != nil {
		w.reportEnd(c, number(cancel, 1))
	}
}

// answered learns from an answer before the client has it.
func (w *watches) answered(c *call, text []byte) {
	a := readWatchAnswer(text)
	if a.events {
		c.proxy.asked.wakes(c)
	}
	if !a.created && !a.canceled {
		return
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if !a.created {
		w.reportEnd(c, a.id)
		return
	}
	if len(w.pending) == 0 {
		return
	}
	key := w.pending[0]
	w.pending = w.pending[1:]
	switch {
	case a.canceled:
		c.watchRefused(a.reason)
	case key != "":
		if w.keysByID == nil {
			w.keysByID = map[int64]string{}
		}
		w.keysByID[a.id] = key
		c.watching(key, true)
	}
}

// reportEnd reports the end of a watch. w.mu is held.
func (w *watches) reportEnd(c *call, id int64) {
	if key, ok := w.keysByID[id]; ok {
		delete(w.keysByID, id)
		c.watching(key, false)
	}
}

// end reports the end of all of them.
func (w *watches) end(c *call) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for id := range w.keysByID {
		w.reportEnd(c, id)
	}
}

func (c *call) watching(key string, on bool) {
	c.proxy.report(model.Watches{At: c.proxy.now(), Client: c.conn.identity(), Key: key, On: on})
}

// watchRefused reports a watch that was refused for lack of rights: the member says
// so in an answer, in words, and goes on with the call.
func (c *call) watchRefused(reason string) {
	if strings.Contains(reason, codes.PermissionDenied.String()) || strings.Contains(reason, codes.Unauthenticated.String()) {
		c.proxy.report(model.Refused{At: c.proxy.now(), Client: c.conn.identity(), Method: c.method, Text: reason})
	}
}

// watchAnswer is what a watch answer says besides its events.
type watchAnswer struct {
	id                int64
	created, canceled bool
	events            bool // it has some
	reason            string
}

// readWatchAnswer reads an answer but not its events, which may be many.
func readWatchAnswer(b []byte) watchAnswer {
	var a watchAnswer
	for f := range fields(b) {
		switch f.number {
		case 2:
			a.id = int64(f.value)
		case 3:
			a.created = f.value != 0
		case 4:
			a.canceled = f.value != 0
		case 6:
			a.reason = string(f.bytes)
		case 11:
			a.events = true
		}
	}
	return a
}
