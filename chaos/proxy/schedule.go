package proxy

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"locktop/model"
	"locktop/model/text"
)

// TimedFault is a fault and when it is done, from the start on.
type TimedFault struct {
	At time.Duration
	model.Fault
}

// Schedule is what is done to one program at its times, with nobody at the keys:
//
//	hold-keepalives@5s+8s   pause@20s+6s   hold,method=KV/Txn,direction=replies@5s+3s
type Schedule []TimedFault

// faultFields are those of a fault, by the names that [model.FaultInfo] has for them. A drill writes the delay of
// delay as "by".
var faultFields = map[string]func(f *model.Fault, value string) error{
	"method":    func(f *model.Fault, v string) error { f.Method = v; return nil },
	"direction": func(f *model.Fault, v string) error { f.Direction = model.Direction(v); return nil },
	"member":    func(f *model.Fault, v string) error { f.Member = v; return nil },
	"delay":     func(f *model.Fault, v string) (err error) { f.Delay, err = time.ParseDuration(v); return err },
	"rate":      func(f *model.Fault, v string) (err error) { f.Rate, err = strconv.Atoi(v); return err },
	"count":     func(f *model.Fault, v string) (err error) { f.Count, err = strconv.Atoi(v); return err },
}

// ParseTimedFault reads KIND[,FIELD=VALUE...]@START[+LENGTH]. Only faults of a program and of its
// connections can be on a schedule.
func ParseTimedFault(s string) (TimedFault, error) {
	var timed TimedFault
	what, when, ok := model.CutLast(s, "@")
	if !ok {
		return timed, errors.New("want KIND@START or KIND@START+LENGTH, like pause@20s+6s")
	}
	start, length, lasts := strings.Cut(when, "+")
	var err error
	if timed.At, err = time.ParseDuration(start); err != nil || timed.At < 0 {
		return timed, fmt.Errorf("start %q: want a duration like 5s", start)
	}
	if lasts {
		if timed.For, err = time.ParseDuration(length); err != nil || timed.For <= 0 {
			return timed, fmt.Errorf("length %q: want a duration like 8s", length)
		}
	}
	words := strings.Split(what, ",")
	timed.Kind = model.FaultKind(words[0])
	info, ok := timed.Kind.Info()
	if !ok || !canBeTimed(info) {
		return timed, fmt.Errorf("%q: want one of %s", words[0], strings.Join(timedKinds(), ", "))
	}
	for _, word := range words[1:] {
		name, value, _ := strings.Cut(word, "=")
		set := faultFields[name]
		if set == nil {
			return timed, fmt.Errorf("%s takes no %q", timed.Kind, name)
		}
		if err := set(&timed.Fault, value); err != nil {
			return timed, fmt.Errorf("%s: %w", name, err)
		}
	}
	checked := timed.Fault
	checked.Target = "it" // which program is known once it runs
	return timed, checked.Check()
}

// canBeTimed says whether a kind of fault is done to a program or to its connections.
func canBeTimed(info model.FaultInfo) bool {
	return info.Target == model.TargetProcess || info.Target == model.TargetClient
}

func timedKinds() (all []string) {
	for _, info := range model.FaultKinds() {
		if canBeTimed(info) {
			all = append(all, string(info.Kind))
		}
	}
	return all
}

// Run does the faults to a target until all are done or ctx ends, and returns what was not
// done, each with the reason. The entries may stand in any order.
func (s Schedule) Run(ctx context.Context, target string, do func(context.Context, model.Action) model.Outcome) (undone []string) {
	s = slices.Clone(s)
	slices.SortStableFunc(s, func(a, b TimedFault) int { return cmp.Compare(a.At, b.At) })
	begun := time.Now()
	for _, e := range s {
		e.Target = target
		t := time.NewTimer(time.Until(begun.Add(e.At)))
		select {
		case <-t.C:
		case <-ctx.Done():
			t.Stop()
			undone = append(undone, fmt.Sprintf("%s at %s: it ended before", text.English(e.Message()), e.At))
			continue
		}
		if o := do(ctx, model.Action{Kind: model.InjectFault, Fault: e.Fault}); !o.Done {
			undone = append(undone, fmt.Sprintf("%s at %s: %s", text.English(e.Message()), e.At, text.English(o.Message())))
		}
	}
	return undone
}
