package runner

import (
	"fmt"
	"io"
	"maps"
	"regexp"
	"slices"
	"strings"
	"time"

	"locktop/chaos/drill"
	"locktop/model"
	"locktop/model/text"
)

// Report is what came of all runs of a drill.
type Report struct {
	Drill  *drill.Drill
	Rounds []Run
	// NotAsked is what the drill expects of contenders of the lab, and not of the programs
	// that play their roles.
	NotAsked []string
	// File is where the drill is, "" for one that is built in. Locktop is the version of the program
	// that ran it.
	File, Locktop string
	// Repeats is what came of all runs together, those of an earlier call too. nil: each run
	// speaks for itself.
	Repeats *Repeats
}

// Verdict is the worst of the runs, unless its repeats ask for less or more; unknown if there were none.
func (r Report) Verdict() drill.Verdict {
	if r.Repeats != nil {
		return r.Repeats.Verdict()
	}
	if len(r.Rounds) == 0 {
		return drill.Unknown
	}
	v := drill.Held
	for _, round := range r.Rounds {
		v = drill.Worse(v, round.Verdict)
	}
	return v
}

// ExitCode is that of the verdict, or [drill.ExitCouldNotRun] if a run was cut off by an
// error of its own and none was violated.
func (r Report) ExitCode() int {
	v := r.Verdict()
	if v != drill.Violated && slices.ContainsFunc(r.Rounds, func(round Run) bool { return round.Err != nil }) {
		return drill.ExitCouldNotRun
	}
	return v.ExitCode()
}

// Pictures are the histories that were searched, as HTML by the name of a file to be
// put beside the report: "DRILL-run1-LOCK.html". The JSON report names them.
func (r Report) Pictures() map[string][]byte {
	all := map[string][]byte{}
	for i, round := range r.Rounds {
		maps.Copy(all, round.pictures(r.Drill.Name, i))
	}
	return all
}

func (r Run) pictures(drill string, i int) map[string][]byte {
	all := map[string][]byte{}
	for lock, html := range r.Histories {
		name := fmt.Sprintf("%s-run%d%s", drill, i+1, lock)
		all[plainFile.ReplaceAllString(name, "-")+".html"] = html
	}
	return all
}

// plainFile is what is not fit for the name of a file everywhere.
var plainFile = regexp.MustCompile(`[^A-Za-z0-9_.-]+`)

// The shapes of the JSON report, schema 1.
type (
	jsonReport struct {
		Schema  int           `json:"schema"`
		Drill   string        `json:"drill"`
		Title   string        `json:"title"`
		Defect  *string       `json:"defect"`
		Verdict drill.Verdict `json:"verdict"`
		// Programs are the commands in the roles, by role.
		Programs map[string][]string `json:"programs,omitempty"`
		// BeliefBy says what tells what each of them believes, by role.
		BeliefBy map[string]string `json:"belief_by,omitempty"`
		NotAsked []string          `json:"not_asked,omitempty"`
		Series   *jsonSeries       `json:"series,omitempty"`
		// Flaky says which runs came to another verdict, Locktop is the version that ran them.
		Flaky   *string     `json:"flaky,omitempty"`
		Locktop *string     `json:"locktop,omitempty"`
		Runs    []jsonRound `json:"runs"`
	}
	jsonRound struct {
		Seed         uint64        `json:"seed"`
		Verdict      drill.Verdict `json:"verdict"`
		Reason       *string       `json:"reason"`
		Started      string        `json:"started"`
		Took         float64       `json:"took"`
		Etcd         *string       `json:"etcd,omitempty"` // the version of the members
		Targets      []jsonTarget  `json:"targets"`
		Expectations []jsonResult  `json:"expectations"`
		Timeline     []jsonLine    `json:"timeline"`
		Events       []any         `json:"events"`
		LateWrites   []jsonLate    `json:"late_writes"`
		Pictures     []string      `json:"pictures"`
		// Output are the last lines of each program, by role.
		Output map[string][]string `json:"output,omitempty"`
	}
	jsonLate struct {
		Contender string   `json:"contender"`
		Said      *string  `json:"said"` // null where it had ended, or never spoke
		Writes    int      `json:"writes"`
		OnWay     int      `json:"on_way"`
		AtLeast   bool     `json:"at_least"`
		Keys      []string `json:"keys"`
		MoreKeys  int      `json:"more_keys"`
		Last      string   `json:"last"`
		Text      string   `json:"text"`
	}
	jsonTarget struct {
		Step     int     `json:"step"`
		Fault    string  `json:"fault"`
		Target   string  `json:"target"`
		Resolved string  `json:"resolved"`
		Text     string  `json:"text"`
		PID      *int    `json:"pid"`
		At       string  `json:"at"`
		Done     bool    `json:"done"`
		Healed   *string `json:"healed"`
	}
	jsonResult struct {
		Name     string        `json:"name"`
		Text     string        `json:"text"`
		Line     int           `json:"line"`
		Verdict  drill.Verdict `json:"verdict"`
		Bound    *float64      `json:"bound"`
		AtLeast  bool          `json:"at_least"`
		Measured *float64      `json:"measured"`
		Unit     *drill.Unit   `json:"unit"`
		Samples  int           `json:"samples"`
		Evidence []string      `json:"evidence"`
	}
	jsonLine struct {
		At   string `json:"at"`
		Step *int   `json:"step"`
		Text string `json:"text"`
	}
)

// stamp writes a time as the contract wants it.
func stamp(t time.Time) string { return t.Format(time.RFC3339Nano) }

// orNull is nil for a zero value: unknown is null, never "" or 0.
func orNull[T comparable](v T) *T {
	var zero T
	if v == zero {
		return nil
	}
	return &v
}

// JSON writes the report as one object, schema 1.
func (r Report) JSON(w io.Writer) error { return writeJSON(w, r.object()) }

func (r Report) object() jsonReport {
	out := jsonReport{Schema: 1, Drill: r.Drill.Name, Title: r.Drill.Title.In("en"), Defect: orNull(r.Drill.Defect), Verdict: r.Verdict(), Programs: r.programs(), BeliefBy: r.sources(), NotAsked: r.NotAsked, Series: r.Repeats.json(), Flaky: orNull(r.flaky()), Locktop: orNull(r.Locktop), Runs: []jsonRound{}}
	for i, round := range r.Rounds {
		run := round.json()
		run.Pictures = append([]string{}, slices.Sorted(maps.Keys(round.pictures(r.Drill.Name, i)))...)
		out.Runs = append(out.Runs, run)
	}
	return out
}

// programs are the commands in the roles, by role.
func (r Report) programs() map[string][]string {
	all := map[string][]string{}
	for _, c := range r.Drill.Lab.Contenders {
		if c.Program != nil {
			all[c.Name] = c.Program.Command
		}
	}
	return all
}

// guarded says of what besides programs are judged, too.
func (r Report) guarded() string {
	var all []string
	for _, e := range r.Drill.Expect {
		if e.Name == "no-late-write" && !slices.Contains(all, model.Printable(e.Prefix)) {
			all = append(all, model.Printable(e.Prefix))
		}
	}
	if len(all) == 0 {
		return ""
	}
	return ", but for writes to etcd below " + strings.Join(all, " and ")
}

// sources say what tells what the programs in the roles believe, by role.
func (r Report) sources() map[string]string {
	all := map[string]string{}
	for _, c := range r.Drill.Lab.Contenders {
		if c.Program != nil {
			all[c.Name] = c.Program.Source(c.Name)
		}
	}
	return all
}

func (r Run) json() jsonRound {
	out := jsonRound{Seed: r.Seed, Verdict: r.Verdict, Reason: orNull(r.Reason), Started: stamp(r.Started), Took: r.Took.Seconds(), Etcd: orNull(r.Etcd),
		LateWrites: []jsonLate{}, Targets: []jsonTarget{}, Expectations: []jsonResult{}, Timeline: []jsonLine{}, Events: r.Events, Output: r.Printed}
	if out.Events == nil {
		out.Events = []any{}
	}
	for _, t := range r.Targets {
		j := jsonTarget{Step: t.Step, Fault: string(t.Fault.Kind), Target: t.Said, Resolved: t.Resolved(), Text: text.English(t.Fault.Message()),
			PID: orNull(t.PID), At: stamp(t.At), Done: t.Done}
		if !t.Healed.IsZero() {
			j.Healed = orNull(stamp(t.Healed))
		}
		out.Targets = append(out.Targets, j)
	}
	for _, e := range r.Results {
		out.Expectations = append(out.Expectations, jsonResult{Name: e.Name, Text: e.Describe(), Line: e.Line, Verdict: e.Verdict,
			Bound: e.Bound, AtLeast: e.Least, Measured: e.Measured, Unit: orNull(e.Unit), Samples: e.Samples, Evidence: append([]string{}, e.Evidence...)})
	}
	for _, l := range r.Late {
		out.LateWrites = append(out.LateWrites, jsonLate{l.Contender, orNull(string(l.Said)), l.Writes, l.OnWay, l.AtLeast, l.Keys, l.More, stamp(l.Last), l.Text()})
	}
	for _, l := range r.Lines {
		out.Timeline = append(out.Timeline, jsonLine{stamp(l.At), orNull(l.Step), l.Text})
	}
	return out
}

// observedWords is what was seen of an expectation, with the first of its evidence; of one that is not
// known, with what would make it known.
func observedWords(e drill.Result) string {
	words := []string{}
	if n := e.Numbers(); n != "" {
		words = append(words, n)
	}
	known := slices.IndexFunc(e.Evidence, func(s string) bool { return e.Verdict == drill.Unknown && strings.Contains(s, drill.ToKnow) })
	if len(e.Evidence) > 0 {
		words = append(words, e.Evidence[max(0, known)])
	}
	return strings.Join(append(words, string(e.Verdict)), "; ")
}

// Text writes the report for a terminal: the verdict, a line for each expectation
// with its numbers, and the evidence where it did not hold. timeline adds what
// happened when.
func (r Report) Text(w io.Writer, timeline bool) error {
	var b strings.Builder
	fmt.Fprintf(&b, "%s: %s\n", r.Drill.Name, r.Verdict())
	programs, sources := r.programs(), r.sources()
	for _, role := range slices.Sorted(maps.Keys(programs)) {
		fmt.Fprintf(&b, "%s is played by %s; what it believes is told by its %s\n", role, model.Printable(strings.Join(programs[role], " ")), sources[role])
	}
	if len(programs) > 0 {
		fmt.Fprintf(&b, "judged is what they say, and what etcd has of their claims; what they do besides is not%s\n", r.guarded())
	}
	for _, e := range r.NotAsked {
		fmt.Fprintf(&b, "not asked of a program: %s\n", e)
	}
	if r.Drill.Defect != "" {
		fmt.Fprintf(&b, "a known defect, expected to show: %s\n", model.Printable(r.Drill.Defect))
	}
	for i, round := range r.Rounds {
		fmt.Fprintf(&b, "\nrun %d, seed %d: %s after %.1f s\n", i+1, round.Seed, round.Verdict, round.Took.Seconds())
		if round.Reason != "" {
			fmt.Fprintf(&b, "  %s\n", round.Reason)
		}
		for _, e := range round.Results {
			writeResult(&b, e)
		}
		round.late(&b)
		if timeline {
			b.WriteString("  timeline:\n")
			round.timeline(&b)
		}
		if round.Verdict != drill.Held {
			round.printed(&b, shortOutput)
		}
	}
	if mend := r.mend(); mend != "" && len(programs) > 0 && r.Verdict() != drill.Held {
		fmt.Fprintf(&b, "\n%s\n", model.Printable(mend))
	}
	if flaky := r.flaky(); flaky != "" {
		fmt.Fprintf(&b, "\n%s: %s\n", r.Drill.Name, flaky)
	}
	if _, err := io.WriteString(w, b.String()); err != nil {
		return fmt.Errorf("writing the report: %w", err)
	}
	return nil
}

func writeResult(b *strings.Builder, e drill.Result) {
	fmt.Fprintf(b, "  %-8s  %s", e.Verdict, e.Name)
	if n := e.Numbers(); n != "" {
		b.WriteString(": " + n)
	}
	if args := strings.TrimPrefix(e.Describe(), e.Name); args != "" {
		b.WriteString("  (" + strings.TrimPrefix(args, ": ") + ")")
	}
	b.WriteByte('\n')
	if e.Verdict == drill.Held {
		return
	}
	for _, line := range e.Evidence {
		fmt.Fprintf(b, "            %s\n", line)
	}
}

// late says what programs wrote after their word, a line each.
func (r Run) late(b *strings.Builder) {
	for _, l := range r.Late {
		fmt.Fprintf(b, "  %s\n", l.Text())
	}
}

// shortOutput is how many lines of each program a terminal gets.
const shortOutput = 10

// printed writes the last lines of each program.
func (r Run) printed(b *strings.Builder, most int) {
	for _, role := range slices.Sorted(maps.Keys(r.Printed)) {
		lines := r.Printed[role]
		if len(lines) == 0 {
			fmt.Fprintf(b, "  %s printed nothing\n", role)
			continue
		}
		fmt.Fprintf(b, "  %s printed last:\n", role)
		for _, line := range lines[max(0, len(lines)-most):] {
			fmt.Fprintf(b, "    %s\n", line)
		}
	}
}

func (r Run) timeline(b *strings.Builder) {
	for _, l := range r.Lines {
		step := ""
		if l.Step > 0 {
			step = fmt.Sprintf("step %d: ", l.Step)
		}
		fmt.Fprintf(b, "    %s  %s%s\n", model.Clock(l.At), step, l.Text)
	}
}
