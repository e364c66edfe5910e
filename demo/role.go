package demo

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"io"
	"maps"
	"regexp"
	"slices"
	"strings"
	"sync"

	clientv3 "go.etcd.io/etcd/client/v3"

	"locktop/chaos/drill"
	"locktop/demo/contender"
	"locktop/demo/process"
	"locktop/model"
)

// spoken is what a contender last said of its claim on one lock.
type spoken struct {
	lock, key string
	lease     model.LeaseID
}

// believed are a contender's claims after it said b, the latest last. One that let go
// has none; one that lost it may still have the key.
func believed(claims []spoken, b model.Belief) []spoken {
	claims = slices.DeleteFunc(claims, func(c spoken) bool {
		return c.lock == b.Lock && (b.State != model.BeliefLost || b.Key != "")
	})
	if b.Key != "" {
		claims = append(claims, spoken{b.Lock, b.Key, b.Lease})
	}
	return claims
}

// claimOf is the claim that a contender spoke of last.
func (sv *supervisor) claimOf(name string) (spoken, error) {
	sv.mu.Lock()
	defer sv.mu.Unlock()
	if claims := sv.claims[name]; len(claims) > 0 {
		return claims[len(claims)-1], nil
	}
	if pr := sv.programs[name]; pr != nil {
		if w := pr.workers(); len(w) > 0 {
			return spoken{}, fmt.Errorf("%s has several claims: say one of its workers, %s to %s", name, w[0], w[len(w)-1])
		}
		return spoken{}, fmt.Errorf("%s has said of no claim", name)
	}
	return spoken{}, fmt.Errorf("%s is not a contender of the lab", model.Printable(name))
}

// grants are the leases that programs were granted, by name, as the proxy saw it.
type grants struct {
	mu  sync.Mutex
	ids map[string][]model.LeaseID // the last few of each
}

// grantsMax bounds what is remembered of one program.
const grantsMax = 64

func (g *grants) add(name string, id model.LeaseID) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.ids == nil {
		g.ids = map[string][]model.LeaseID{}
	}
	all := append(g.ids[name], id)
	g.ids[name] = all[max(0, len(all)-grantsMax):]
}

func (g *grants) byLease(name string) []model.LeaseID {
	g.mu.Lock()
	defer g.mu.Unlock()
	return slices.Clone(g.ids[name])
}

// listenTo reads what a program of the user's own prints: its last lines are kept and reported,
// and what they say of its belief if it plays a role. Without rules of its own a line may be
// JSON, as contenders print it.
func (sv *supervisor) listenTo(p *proc, from drill.Stream) io.Writer {
	tail := sv.tailOf(p)
	return &process.Lines{Each: func(line []byte) {
		tail.Add(string(from), string(line))
		if b, ok := p.means(from, line); ok {
			sv.reportBelief(b)
		}
	}}
}

// tailOf keeps the last lines of a program. The caller has the mutex.
func (sv *supervisor) tailOf(p *proc) *tail {
	tail := sv.printed[p.name()]
	if tail == nil {
		tail = newTail(p.name(), sv.reports.Add, sv.o.Now)
		sv.printed[p.name()] = tail
	}
	return tail
}

// bareWord is an answer that may be a state by itself.
var bareWord = regexp.MustCompile(`^[a-z]+$`)

// means is what a line says of what a program believes that plays a role, false for nothing.
func (p *proc) means(from drill.Stream, line []byte) (b model.Belief, ok bool) {
	if p.role == nil || !p.role.Tells(from) {
		return b, false
	}
	if len(p.role.Rules) > 0 {
		if b.State, ok = p.role.Hear(from, line); !ok {
			return b, false
		}
	} else {
		if word := bytes.TrimSpace(line); from == drill.Answer && bareWord.Match(word) {
			line = fmt.Appendf(nil, `{"state":%q}`, word)
		}
		said, err := contender.DecodeWord(line)
		if err != nil {
			return b, false // it is no word about a belief
		}
		b = said
	}
	b.Contender, b.Lock = p.name(), cmp.Or(b.Lock, p.lock())
	return b, true
}

// asks makes ready to ask a program that says by HTTP or in a file what it believes; begin
// does it, once the program runs, and returns what ends that. The caller has the mutex.
func (sv *supervisor) asks(p *proc) (begin func() (stop func())) {
	if p.role == nil || p.role.Probe == "" {
		return func() func() { return func() {} }
	}
	at, file := p.role.ProbeOf(p.name())
	what, ask := "answer", process.AskHTTP(at)
	if file {
		what, ask = "file", process.AskFile(at)
	}
	tail := sv.tailOf(p)
	heard := func(answer []byte) { sv.answered(p, tail, what, answer) }
	failed := func(err error) {
		tail.Add("no "+what, err.Error())
	}
	return func() func() {
		ctx, cancel := context.WithCancel(context.Background())
		var asking sync.WaitGroup
		asking.Go(func() { ask.Run(ctx, heard, failed) })
		return func() { cancel(); asking.Wait() }
	}
}

// answered keeps what a program answered, and reports what the last line says that says
// something: those before it may be old, as in a file that is added to.
func (sv *supervisor) answered(p *proc, tail *tail, what string, answer []byte) {
	var last model.Belief
	said := false
	for line := range bytes.Lines(answer) {
		line = bytes.TrimSuffix(line, []byte("\n"))
		tail.Add(what, string(line))
		if b, ok := p.means(drill.Answer, line); ok {
			last, said = b, true
		}
	}
	if said {
		sv.reportBelief(last)
	}
}

// Printed is what programs of the user's own printed last, by name.
func (l *Lab) Printed() map[string][]string {
	l.mu.Lock()
	printed := maps.Clone(l.supervisor.printed)
	l.mu.Unlock()
	all := map[string][]string{}
	for name, tail := range printed {
		lines, left := tail.Lines()
		all[name] = []string{} // in JSON none is [], and not null
		if left > 0 {
			all[name] = append(all[name], fmt.Sprintf("(%d lines before are not kept)", left))
		}
		for _, l := range lines {
			all[name] = append(all[name], model.Clock(l.At)+" "+l.From+": "+l.Text)
		}
	}
	return all
}

// claimSeen is the claim of a program that names no key: one on its lock that hangs on a
// lease which it was granted through its own listener. why is the error otherwise.
func (sv *supervisor) claimSeen(ctx context.Context, cli *clientv3.Client, name string, why error) (spoken, error) {
	sv.mu.Lock()
	pr := sv.programs[name]
	sv.mu.Unlock()
	if pr == nil || pr.role == nil {
		return spoken{}, why
	}
	leases := sv.leases.byLease(name)
	r, err := cli.Get(ctx, pr.lock(), clientv3.WithPrefix(), clientv3.WithSort(clientv3.SortByCreateRevision, clientv3.SortAscend))
	if err != nil {
		return spoken{}, err
	}
	for _, kv := range r.Kvs {
		key, lease := string(kv.Key), model.LeaseID(kv.Lease)
		if (key == pr.lock() || strings.HasPrefix(key, pr.lock()+"/")) && lease != 0 && slices.Contains(leases, lease) {
			return spoken{pr.lock(), key, lease}, nil
		}
	}
	return spoken{}, why
}

// labMark is a variable in the environment of each program of the user's own, and of what
// such a one starts: the directory of its lab.
const labMark = "LOCKTOP_LAB"
