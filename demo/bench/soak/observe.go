package soak

import (
	"context"
	"fmt"
	"log"
	"strings"
	"time"

	clientv3 "go.etcd.io/etcd/client/v3"

	"locktop/demo/bench/load"
	"locktop/model"
	"locktop/model/fold"
	"locktop/watcher"
)

// summary is the last line.
type summary struct {
	Complete   bool    `json:"complete"` // it took its time and had its leader changes
	Contenders int     `json:"contenders"`
	Seconds    float64 `json:"seconds"`
	Acquired   int     `json:"acquired"`
	Handovers  int     `json:"handovers"`
	Sessions   int     `json:"sessions_lost"`
	Moves      int     `json:"leader_changes"`
	// Causes counts what the model inferred, Verdicts what became of that by how
	// the claim was really given up.
	Causes   map[model.Cause]int        `json:"causes"`
	Verdicts map[ending]map[verdict]int `json:"verdicts"`
	Findings map[string]map[string]int  `json:"findings"` // by severity and code
	False    []string                   `json:"false"`
	RSSStart int                        `json:"rss_start_mib"`
	RSSEnd   int                        `json:"rss_end_mib"`
	RPS      float64                    `json:"requests_per_second"`
	RPSMax   float64                    `json:"requests_per_second_max"`
	Gaps     int                        `json:"watch_lost"`
	Wrong    []string                   `json:"wrong_causes"` // the first ones
	Failures []string                   `json:"failures"`     // of the contenders' requests
}

// kept bounds the lists of the summary that can grow.
const kept = 20

// observer watches the cluster as the screen would, and judges what it sees.
type observer struct {
	client  *clientv3.Client
	watcher *watcher.Watcher
	state   *fold.State
	ledger  *ledger

	seq     uint64 // of the last fact that was looked at
	pending []*model.JournalEntry
	done    map[claimID]struct{} // whose cause was judged
	active  map[string]struct{}  // findings that stand
	out     summary
	batches int
	rps     float64
	say     *log.Logger
}

func newObserver(ctx context.Context, endpoints []string, lg *ledger, say *log.Logger) (*observer, error) {
	c, err := load.Dial(ctx, endpoints...)
	if err != nil {
		return nil, fmt.Errorf("dial: %w", err)
	}
	return &observer{client: c, watcher: watcher.New(c, watcher.Options{}), state: fold.NewState(), ledger: lg,
		done: map[claimID]struct{}{}, active: map[string]struct{}{},
		say: say, out: summary{Causes: map[model.Cause]int{}, Verdicts: map[ending]map[verdict]int{},
			Findings: map[string]map[string]int{}}}, nil
}

// run follows until ctx ends.
func (o *observer) run(ctx context.Context) {
	for {
		b, err := o.watcher.Next(ctx, o.state.Want())
		if err != nil {
			return
		}
		o.state.Apply(b)
		o.batches++
		o.rps += b.Cost.RPS
		o.out.RPSMax = max(o.out.RPSMax, b.Cost.RPS)
		for _, e := range b.Events {
			if l, ok := e.(model.Lost); ok {
				o.out.Gaps++
				o.say.Print("the watch was lost: ", l.Detail)
			}
		}
		o.facts()
		o.findings()
	}
}

func (o *observer) close() {
	_ = o.watcher.Close()
	_ = o.client.Close()
}

// facts judges the causes that have become known.
func (o *observer) facts() {
	all := o.state.Journal()
	i := len(all)
	for i > 0 && all[i-1].Seq > o.seq {
		i--
	}
	if len(all) > 0 {
		o.seq = all[len(all)-1].Seq
	}
	o.pending = append(o.pending, all[i:]...)
	kept := o.pending[:0]
	for _, f := range o.pending {
		if f.Pending {
			kept = append(kept, f)
			continue
		}
		o.fact(f)
	}
	clear(o.pending[len(kept):])
	o.pending = kept
}

func (o *observer) fact(f *model.JournalEntry) {
	gone := f.Claim
	switch {
	case f.Kind == model.EntryHandover:
		o.out.Handovers++
		gone = f.From
	case f.Kind != model.EntryLeft:
		return
	}
	id := claimID{gone.Key, gone.CreateRev}
	if _, again := o.done[id]; again || f.Unseen {
		return
	}
	o.done[id] = struct{}{}
	o.out.Causes[f.Cause]++
	v, how := o.ledger.judge(f, gone)
	if v == noTruth {
		how = "withdrawn" // a TryLock that lost deletes its key
		v = map[model.Cause]verdict{model.CauseReleased: right, model.CauseUnknown: unsaid}[f.Cause]
		if v == "" {
			v = wrong
		}
	}
	if o.out.Verdicts[how] == nil {
		o.out.Verdicts[how] = map[verdict]int{}
	}
	o.out.Verdicts[how][v]++
	if v == wrong && len(o.out.Wrong) < kept {
		o.out.Wrong = append(o.out.Wrong, fmt.Sprintf("%s: %s, said %s (%s): %s", gone.Key, how, f.Cause, f.Confidence, f.Evidence))
	}
}

// findings prints those that are new, and judges them.
func (o *observer) findings() {
	now := map[string]struct{}{}
	for _, f := range o.state.Findings() {
		id := strings.Join([]string{string(f.Severity), string(f.Code), f.Lock, f.Lease.String()}, " ")
		now[id] = struct{}{}
		if _, known := o.active[id]; !known {
			o.finding(f)
		}
	}
	o.active = now
}

func (o *observer) finding(f model.Finding) {
	severity := string(f.Severity)
	if o.out.Findings[severity] == nil {
		o.out.Findings[severity] = map[string]int{}
	}
	o.out.Findings[severity][string(f.Code)]++
	word := ""
	if f.Severity != model.SevInfo {
		ok, why := o.ledger.confirms(f)
		if f.Severity == model.SevError {
			ok = false
		}
		word = fmt.Sprintf(" [true: %v, %s]", ok, why)
		if !ok {
			o.out.False = append(o.out.False, fmt.Sprintf("%s %s %s: %s%s", f.Severity, f.Code, f.Lock, f.Summary, word))
		}
	}
	o.say.Printf("%s %s %s (%s) %s: %s; %s%s", time.Now().Format("15:04:05.000"), f.Severity, f.Code, f.Confidence,
		model.Printable(f.Lock), f.Summary, strings.Join(f.Evidence, "; "), word)
}

// sum completes the summary.
func (o *observer) sum() *summary {
	s := o.out
	if o.batches > 0 {
		s.RPS = o.rps / float64(o.batches)
	}
	o.ledger.mu.Lock()
	defer o.ledger.mu.Unlock()
	s.Acquired, s.Sessions, s.Failures = o.ledger.acquired, o.ledger.lost, o.ledger.failures
	return &s
}
