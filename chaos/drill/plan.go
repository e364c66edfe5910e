package drill

import (
	"fmt"
	"slices"
	"strings"

	"locktop/model"
	"locktop/model/text"
)

// Plan says what a run would do, a line each: the lab, the steps, and what is
// expected. Nothing is asked of anybody.
func Plan(d *Drill) []string {
	lines := []string{d.Name + ": " + d.Title.In("en")}
	if d.Defect != "" {
		lines = append(lines, "shows a known defect: "+d.Defect)
	}
	lines = append(lines, fmt.Sprintf("lab: %d members, fence: %s, seed %d", d.Lab.Members, d.Lab.Fence, d.Seed))
	for _, c := range d.Lab.Contenders {
		lines = append(lines, "lab: "+c.describe())
	}
	for i, s := range d.Steps {
		lines = append(lines, fmt.Sprintf("step %d (line %d): %s", i+1, s.Line, s.Describe()))
	}
	lines = append(lines, "at the end: heal every fault")
	for _, e := range d.Expect {
		lines = append(lines, "expect: "+e.Describe())
	}
	if d.Least > 0 {
		lines = append(lines, fmt.Sprintf("a run with fewer than %d acquisitions is not meaningful", d.Least))
	}
	return lines
}

func (c Contender) describe() string {
	words := []string{strings.Join(c.Names(), ", ") + " on " + strings.Join(c.Locks, ", ") + " by " + c.Recipe}
	add := func(is bool, format string, args ...any) {
		if is {
			words = append(words, fmt.Sprintf(format, args...))
		}
	}
	add(c.NoLease, "without a lease")
	add(c.TTL > 0, "ttl %s", c.TTL)
	add(c.Hold > 0, "holds %s", c.Hold)
	add(c.Think > 0, "thinks %s", c.Think)
	add(c.Full, "or anything up to twice that")
	add(c.Rounds > 0, "%d rounds", c.Rounds)
	add(c.Workers > 1, "%d workers with one session", c.Workers)
	add(c.Member != "", "by member %s alone", c.Member)
	add(c.Manual, "does what it is told")
	add(c.Later, "started by a step")
	add(c.IgnoreDone, "ignores that its session ended")
	add(c.Owner != "", "writes %s as the owner", c.Owner)
	if c.Program != nil {
		add(true, "played by %s", strings.Join(c.Program.Command, " "))
	}
	add(c.Guarded, "updates the guarded resource")
	return strings.Join(words, ", ")
}

// Describe says in words what a step does.
func (s Step) Describe() string {
	if s.Try {
		s.Try = false
		return s.Describe() + ", if that can be done"
	}
	switch {
	case s.Wait != nil:
		return fmt.Sprintf("wait for %s, at most %s", s.Wait.Describe(), s.Wait.Within)
	case s.Fault != nil:
		return text.English(s.Fault.Message())
	case s.Heal != nil && s.Heal.Kind == "":
		return "heal every fault"
	case s.Heal != nil:
		return "heal: " + text.English(s.Heal.Message())
	case s.Start != "":
		return "start " + s.Start
	case s.Tell != nil:
		return "tell " + s.Tell.Contender + " to " + s.Tell.Word
	case s.Stores != "":
		return "in the model: " + s.Stores
	case s.Say != nil:
		return "say: " + s.Say.In("en")
	case s.Ask != nil:
		return "ask: " + s.Ask.Text.In("en")
	case s.Show != nil:
		return strings.TrimSpace("show the " + string(s.Show.What) + " " + s.Show.Lock)
	case s.See:
		return "see what came of the question"
	}
	return "let it run for " + s.Pause.String()
}

// Describe says in words what a wait waits for. The empty view meets nothing, so every
// condition shows what it wants.
func (w *Wait) Describe() string {
	var want []string
	for _, c := range w.conditions(nothing{}) {
		want = append(want, c.want)
	}
	return strings.Join(want, " and ")
}

// Met says that what a wait waited for is so: "b says waiting; 1 key on /leader".
func (w *Wait) Met() string {
	var met []string
	for _, c := range w.conditions(nothing{}) {
		met = append(met, c.met)
	}
	return strings.Join(met, "; ")
}

// nothing is the view of what there is before anything happened.
type nothing struct{}

func (nothing) Queue(string) Queue                  { return Queue{} }
func (nothing) LastWord(_, _ string) model.Belief   { return model.Belief{} }
func (nothing) LastNote(string) string              { return "" }
func (nothing) Process(string) model.Contender      { return model.Contender{} }
func (nothing) Acquisitions(string) int             { return 0 }
func (nothing) Findings() []model.Finding           { return nil }
func (nothing) Cluster() (none model.ClusterStatus) { return none }

// Describe says an expectation as a file would: "handover: lock /orders, within 5s".
func (e Expectation) Describe() string { return e.words(true) }

// Called names an expectation without its bounds, which --ttl and others move: "handover: lock
// /orders". Two of a drill may be called the same.
func (e Expectation) Called() string { return e.words(false) }

func (e Expectation) words(bounds bool) string {
	var words []string
	add := func(name, value string, zero bool) {
		if !zero {
			words = append(words, name+" "+value)
		}
	}
	if e.Name == Steady { // asked by a flag: its text is all that it has
		return e.Name + ": " + e.Text
	}
	add("code", string(e.Code), e.Code == "")
	add("contender", e.Contender, e.Contender == "")
	add("state", string(e.State), e.State == "")
	add("text", e.Text, e.Text == "")
	add("prefix", e.Prefix, e.Prefix == "")
	add("lock", e.Lock, e.Lock == "")
	add("from", e.From, e.From == "")
	add("to", e.To, e.To == "")
	add("cause", string(e.Cause), e.Cause == "")
	add("confidence", string(e.Confidence), e.Confidence == "")
	if bounds {
		add("within", e.Within.String(), e.Within == 0)
		add("below", e.Below.String(), e.Below == 0)
		add("at-least", e.AtLeast.String(), e.AtLeast == 0)
		add("at-least", fmt.Sprint(e.Count), e.Count == 0)
		add("for", e.For.String(), e.For == 0)
		add("after", fmt.Sprintf("step %d", e.After), e.After == 0)
	}
	add("except", strings.Join(slices.Clone(e.Except), ", "), len(e.Except) == 0)
	if len(words) == 0 {
		return e.Name
	}
	return e.Name + ": " + strings.Join(words, ", ")
}
