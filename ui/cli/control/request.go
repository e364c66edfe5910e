package control

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"time"

	"locktop/chaos/drill"
	"locktop/model"
	"locktop/model/locks"
	"locktop/model/text"
)

// request is a line of a script.
type request struct {
	Do string `json:"do"`
	// Of a fault.
	Fault     model.FaultKind `json:"fault"`
	Target    string          `json:"target"`
	For       duration        `json:"for"`
	Method    string          `json:"method"`
	Direction model.Direction `json:"direction"`
	Member    string          `json:"member"`
	Delay     duration        `json:"delay"`
	Rate      int             `json:"rate"`
	Count     int             `json:"count"`
	// Of a wait. Queue is a number of keys.
	Lock      string     `json:"lock"`
	Holder    string     `json:"holder"`
	Waiters   []string   `json:"waiters"`
	Nobody    bool       `json:"nobody"`
	Queue     *int       `json:"queue"`
	Ended     string     `json:"ended"`
	Finding   model.Code `json:"finding"`
	NoFinding model.Code `json:"no_finding"`
	Within    duration   `json:"within"`
}

// duration is written as Go writes it: "6s".
type duration time.Duration

// UnmarshalText implements encoding.TextUnmarshaler.
func (d *duration) UnmarshalText(text []byte) error {
	v, err := time.ParseDuration(string(text))
	if err == nil && v < 0 {
		err = fmt.Errorf("%q: a time does not run backwards", text)
	}
	*d = duration(v)
	return err
}

// answer is a line to a script.
type answer struct {
	OK    bool   `json:"ok"`
	Error string `json:"error,omitempty"`
	// Done says what was done, or met, in words.
	Done string `json:"done,omitempty"`
	// Endpoints are the listeners of a client.
	Endpoints []string   `json:"endpoints,omitempty"`
	Programs  []program  `json:"programs,omitempty"`
	Faults    []inForce  `json:"faults,omitempty"`
	Live      *bool      `json:"live,omitempty"`
	Verdict   string     `json:"verdict,omitempty"`
	Findings  *[]finding `json:"findings,omitempty"`
}

type program struct {
	Name  string `json:"name"`
	PID   int    `json:"pid"`
	State string `json:"state"`
	Ended string `json:"ended,omitempty"`
}

type inForce struct {
	Fault  model.FaultKind `json:"fault"`
	Target string          `json:"target"`
	Text   string          `json:"text"`
	Since  time.Time       `json:"since"`
}

type finding struct {
	Code       model.Code       `json:"code"`
	Severity   string           `json:"severity"`
	Confidence model.Confidence `json:"confidence"`
	Lock       string           `json:"lock,omitempty"`
	Summary    string           `json:"summary"`
}

// withinDefault is how long a wait waits that does not say, withinMost how long one may.
const (
	withinDefault = 10 * time.Second
	withinMost    = 10 * time.Minute
)

// answer does what a line asks for.
func (d *door) answer(ctx context.Context, line []byte) answer {
	var r request
	dec := json.NewDecoder(bytes.NewReader(line))
	dec.DisallowUnknownFields()
	if err := dec.Decode(&r); err != nil {
		return answer{Error: "no request: " + err.Error()}
	}
	if _, err := dec.Token(); err != io.EOF {
		return answer{Error: "a line has one request"}
	}
	switch r.Do {
	case "inject":
		return d.act(ctx, model.Action{Kind: model.InjectFault, Fault: r.asFault()})
	case "heal":
		if r.Fault == "" {
			return d.act(ctx, model.Action{Kind: model.HealAll})
		}
		return d.act(ctx, model.Action{Kind: model.HealFault, Fault: r.asFault()})
	case "wait":
		return d.await(ctx, r)
	case "listen":
		return d.listen(r)
	}
	var a answer
	look := map[string]func() answer{"list": d.list, "judge": d.verdict}[r.Do]
	switch {
	case look == nil:
		return answer{Error: fmt.Sprintf("%q is nothing to do: want list, listen, inject, heal, wait or judge", r.Do)}
	case !d.inside(ctx, func() { a = look() }):
		return answer{Error: "locktop ends"}
	}
	return a
}

func (r request) asFault() model.Fault {
	return model.Fault{Kind: r.Fault, Target: r.Target, For: time.Duration(r.For), Method: r.Method, Direction: r.Direction,
		Member: r.Member, Delay: time.Duration(r.Delay), Rate: r.Rate, Count: r.Count}
}

func (d *door) act(ctx context.Context, a model.Action) answer {
	o := d.Do(ctx, a)
	if o.Unknown {
		return answer{Error: text.English(o.Message())}
	}
	if !o.Done {
		return answer{Error: cmp.Or(o.Err, text.English(o.Message()))}
	}
	return answer{OK: true, Done: text.English(o.Message())}
}

// listen opens listeners for a client of its own.
func (d *door) listen(r request) answer {
	if d.Listen == nil || r.Target == "" {
		return answer{Error: "listen needs a target, the name of the client"}
	}
	endpoints, err := d.Listen(r.Target)
	if err != nil {
		return answer{Error: err.Error()}
	}
	return answer{OK: true, Done: "listening for " + model.Printable(r.Target), Endpoints: endpoints}
}

// await waits until the state is as asked for.
func (d *door) await(ctx context.Context, r request) answer {
	w := &drill.Wait{Within: cmp.Or(time.Duration(r.Within), withinDefault), Lock: r.Lock, Waiters: r.Waiters, Nobody: r.Nobody, Queue: -1}
	if r.Holder != "" {
		w.Holders = []string{r.Holder}
	}
	if r.Queue != nil {
		w.Queue = *r.Queue
	}
	if r.Ended != "" {
		w.Ended = []string{r.Ended}
	}
	if r.Finding != "" {
		w.Findings = []model.Code{r.Finding}
	}
	if r.NoFinding != "" {
		w.Absent = []model.Code{r.NoFinding}
	}
	switch {
	case w.Describe() == "":
		return answer{Error: "nothing to wait for: want holder, waiters, nobody or queue of a lock, ended, finding or no_finding"}
	case w.Lock == "" && (r.Holder != "" || len(r.Waiters) > 0 || r.Nobody || r.Queue != nil):
		return answer{Error: "which lock? add \"lock\""}
	case w.Within > withinMost:
		return answer{Error: fmt.Sprintf("within is at most %s", withinMost)}
	}
	c := &pendingWait{w, make(chan struct{})}
	begun := time.Now()
	if !d.inside(ctx, func() { d.checks[c] = struct{}{}; d.look(c) }) {
		return answer{Error: "locktop ends"}
	}
	late := time.NewTimer(w.Within)
	defer late.Stop()
	select {
	case <-c.met:
		return answer{OK: true, Done: fmt.Sprintf("after %.1f s: %s", time.Since(begun).Seconds(), w.Met())}
	case <-ctx.Done():
		return answer{Error: "locktop ends"}
	case <-late.C:
	}
	unmet := ""
	d.inside(ctx, func() { delete(d.checks, c); unmet = w.Unmet(d.view) })
	if unmet == "" { // just now
		return answer{OK: true, Done: fmt.Sprintf("after %.1f s: %s", time.Since(begun).Seconds(), w.Met())}
	}
	return answer{Error: fmt.Sprintf("waited %s for %s", w.Within, unmet)}
}

// list names what can be hit, and what is.
func (d *door) list() answer {
	a := answer{OK: true}
	for _, c := range d.s.State.Reports().Contenders() {
		a.Programs = append(a.Programs, program{c.Name, c.PID, string(c.Proc), c.Ended})
	}
	for _, f := range d.s.State.Reports().Faults() {
		a.Faults = append(a.Faults, inForce{f.Fault.Kind, f.Fault.Target, text.English(f.Fault.Message()), f.At})
	}
	return a
}

// verdict is what doctor would say now: violated where an error is found, unknown where not
// everything is watched, else held.
func (d *door) verdict() answer {
	live, found, verdict := true, []finding{}, drill.Held
	for _, w := range d.s.State.Coverage().Watches() {
		live = live && w.State == locks.Live
	}
	live = live && len(d.s.State.Coverage().Watches()) > 0
	if !live {
		verdict = drill.Unknown
	}
	for _, f := range d.s.State.Findings() {
		found = append(found, finding{f.Code, string(f.Severity), f.Confidence, f.Lock, text.English(f.Summary)})
		if f.Severity.AtLeast(model.SevError) {
			verdict = drill.Violated
		}
	}
	return answer{OK: true, Live: &live, Verdict: string(verdict), Findings: &found}
}
