package modeltest

import (
	"math"
	"reflect"
	"strings"
	"time"

	"locktop/model"
)

// Kinds has one event of every kind.
var Kinds = []model.Event{
	model.Committed{}, model.LoadStarted{}, model.Listed{}, model.Loaded{}, model.Watching{}, model.Lost{}, model.Back{},
	model.LeaseRead{}, model.LeaseUnread{}, model.LeaseKeys{}, model.ClusterStatus{}, model.Tick{}, model.Slept{}, model.Starved{},
	model.Contender{}, model.Belief{}, model.Access{}, model.Wrote{}, model.Revoked{}, model.Watches{}, model.Asked{}, model.Refused{}, model.TurnedAway{}, model.Printed{}, model.Connected{},
	model.LeaseOwner{}, model.FaultOn{}, model.FaultOff{}, model.Acted{}, model.Requested{},
	model.DrillBegan{}, model.DrillStep{}, model.DrillJudged{}, model.DrillOver{},
}

// Pieces are what hostile text is made of: sequences that a terminal would obey,
// marks that turn text round, bytes that are no UTF-8, characters of every width.
var Pieces = []string{"\x1b[2J", "\x1b]0;x\x07", "\x1bP", "\x9b31m", "\u009b31m", "\u202e", "\u2066", "\u200b", "\u200d", "\n", "\r", "\t", "\x00",
	"\x7f", "\xff\xfe", "\xed\xa0\x80", "銀行", "ｱｲ", "한글", "\u1112\u1161\u11ab", "e\u0301", "\u0903", "👩‍👩‍👧", "🇩🇪", "👍🏽", "\ufe0f", "❤️",
	"\u3164", "\u0600", "\u2028", "\u00ad", "\U000e0041", "\ufeff", "\ufdfd", "/", "a", " ", "\\", "'", `"`, "{", "<", ",", "%s", "=", "|"}

// names are what makes events speak of the same things.
var names = []string{"/lock", "/m/n", "/s/one", "c1", "c2", "m1", "/", "", "KV/Txn", "requests", "replies"}

// HostileStart is when the first event happens.
var HostileStart = time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)

// Events reads events from data until there is no more of it, 300 at most.
func Events(data []byte) []model.Event {
	g := Reader{data: data, now: HostileStart}
	var out []model.Event
	for g.more() && len(out) < 300 {
		out = append(out, g.Event())
	}
	return out
}

// Reader reads things from bytes; at their end it reads zeros.
type Reader struct {
	data []byte
	now  time.Time
	rev  int64
}

func (r *Reader) more() bool { return len(r.data) > 0 }

// Byte reads one byte.
func (r *Reader) Byte() byte {
	if len(r.data) == 0 {
		return 0
	}
	b := r.data[0]
	r.data = r.data[1:]
	return b
}

// Event reads one event. Half of the revisions are such as an honest server
// sends, so that queues come to be at all.
func (r *Reader) Event() model.Event {
	r.now = r.now.Add(time.Duration(r.Byte()%64) * 500 * time.Millisecond)
	if kind := r.Byte(); kind < 128 {
		return r.honest()
	} else {
		v := reflect.New(reflect.TypeOf(Kinds[int(kind)%len(Kinds)])).Elem()
		r.fill(v)
		return v.Interface().(model.Event)
	}
}

// honest reads a claim that comes or goes, or a reading of its lease.
func (r *Reader) honest() model.Event {
	id := r.lease()
	kv := model.KV{Key: names[r.Byte()%3] + "/" + id.String(), Lease: id}
	op := r.Byte() % 8
	if op == 7 {
		return model.LeaseRead{At: r.now, ID: id, Granted: 10, Remaining: int64(r.Byte() % 11), Term: 2, Rev: r.rev}
	}
	r.rev++
	kv.ModRev = r.rev
	if op < 5 {
		kv.CreateRev, kv.Version, kv.Value = r.rev, 1, r.Text()
		if op == 4 {
			kv.Key = names[r.Byte()%3] + "/" + r.Text()
		}
	}
	return model.Committed{At: r.now, Rev: r.rev, Changes: []model.Change{{Deleted: op >= 5, KV: kv}}}
}

func (r *Reader) lease() model.LeaseID { return model.LeaseID(1 + r.Byte()%12) }

// Text reads a name, pieces of hostile text, or raw bytes.
func (r *Reader) Text() string {
	switch b := r.Byte(); {
	case b < 90:
		return names[int(b)%len(names)]
	case b < 110:
		return "/lock/" + r.lease().String()
	case b < 125:
		n := min(int(r.Byte()%32), len(r.data))
		raw := string(r.data[:n])
		r.data = r.data[n:]
		return raw
	case b < 128:
		return strings.Repeat(r.piece(), 700)
	default:
		var s strings.Builder
		for range b % 6 {
			s.WriteString(r.piece())
		}
		return s.String()
	}
}

func (r *Reader) piece() string { return Pieces[int(r.Byte())%len(Pieces)] }

// number reads a number that is likely to be met again, or an extreme one.
func (r *Reader) number() int64 {
	switch b := r.Byte(); {
	case b < 200:
		return int64(b % 24)
	case b < 220:
		return r.rev + int64(b) - 210
	case b < 230:
		return -int64(r.Byte())
	case b < 235:
		return math.MaxInt64
	case b < 240:
		return math.MinInt64
	default:
		return int64(b) << (r.Byte() % 56)
	}
}

// fill reads every field of v.
func (r *Reader) fill(v reflect.Value) {
	switch {
	case v.Type() == reflect.TypeFor[time.Time]():
		v.Set(reflect.ValueOf(r.now))
		return
	case v.Type() == reflect.TypeFor[model.Message]():
		v.Set(reflect.ValueOf(model.Say("quote", r.Text())))
		return
	case v.Type() == reflect.TypeFor[model.FaultKind]() && r.Byte() < 200:
		kinds := model.FaultKinds()
		v.SetString(string(kinds[int(r.Byte())%len(kinds)].Kind))
		return
	case v.Type() == reflect.TypeFor[model.ActionKind]() && r.Byte() < 200:
		v.SetString(string(model.ActionKinds[int(r.Byte())%len(model.ActionKinds)]))
		return
	case v.Type() == reflect.TypeFor[model.BeliefState]() && r.Byte() < 200:
		states := []model.BeliefState{model.BeliefIdle, model.BeliefWaiting, model.BeliefHolding, model.BeliefLeaving, model.BeliefLost}
		v.SetString(string(states[int(r.Byte())%len(states)]))
		return
	}
	switch v.Kind() {
	case reflect.String:
		v.SetString(r.Text())
	case reflect.Bool:
		v.SetBool(r.Byte()%2 == 1)
	case reflect.Int, reflect.Int64:
		v.SetInt(r.number())
	case reflect.Uint64:
		v.SetUint(uint64(r.number()))
	case reflect.Slice:
		n := int(r.Byte() % 4)
		v.Set(reflect.MakeSlice(v.Type(), n, n))
		for i := range n {
			r.fill(v.Index(i))
		}
	case reflect.Struct:
		for i := range v.NumField() {
			r.fill(v.Field(i))
		}
	default:
		panic("no bytes for a " + v.Type().String())
	}
}

// Seeds are data from which something comes of every kind.
func Seeds() [][]byte {
	seeds := [][]byte{nil, []byte("queue"), []byte(strings.Repeat("\x01\x02\x03\x80\x00", 80))}
	for i := range Kinds {
		var b []byte
		for j := range 4 {
			b = append(b, 4, 1, byte(j), 0, 1, 200, byte(i)) // a claim
		}
		kind := 128 + (i-128%len(Kinds)+len(Kinds))%len(Kinds)
		for j := range 60 {
			b = append(b, 2, byte(kind), byte(j*37), byte(j*11), byte(200+j), byte(j))
		}
		seeds = append(seeds, b)
	}
	return seeds
}
