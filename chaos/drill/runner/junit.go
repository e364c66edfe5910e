package runner

import (
	"bytes"
	"encoding/xml"
	"fmt"
	"io"
	"maps"
	"math"
	"slices"
	"strings"
	"time"

	"locktop/chaos/drill"
	"locktop/model"
	"locktop/model/text"
)

// The shapes of JUnit's XML, as CI servers read it. A case has no time of its own but that of the
// run: all are judged at its end.
type (
	junitSuites struct {
		XMLName  xml.Name     `xml:"testsuites"`
		Tests    int          `xml:"tests,attr"`
		Failures int          `xml:"failures,attr"`
		Errors   int          `xml:"errors,attr"`
		Time     string       `xml:"time,attr"`
		Suites   []junitSuite `xml:"testsuite"`

		took time.Duration
	}
	junitSuite struct {
		Name       string          `xml:"name,attr"`
		Tests      int             `xml:"tests,attr"`
		Failures   int             `xml:"failures,attr"`
		Errors     int             `xml:"errors,attr"`
		Time       string          `xml:"time,attr,omitempty"`
		Timestamp  string          `xml:"timestamp,attr,omitempty"`
		Properties []junitProperty `xml:"properties>property"`
		Cases      []junitCase     `xml:"testcase"`
		Out        string          `xml:"system-out,omitempty"`

		took time.Duration
		// flaky: enough of the other runs held, so nothing that did not hold here is a failure.
		flaky bool
	}
	junitProperty struct {
		Name  string `xml:"name,attr"`
		Value string `xml:"value,attr"`
	}
	junitCase struct {
		Class   string     `xml:"classname,attr"`
		Name    string     `xml:"name,attr"`
		Time    string     `xml:"time,attr,omitempty"`
		Failure *junitText `xml:"failure"`
		Error   *junitText `xml:"error"`
		// FlakyFailure and FlakyError are those of a run that was let pass.
		FlakyFailure *junitText `xml:"flakyFailure"`
		FlakyError   *junitText `xml:"flakyError"`
	}
	junitText struct {
		Message string `xml:"message,attr"`
		Text    string `xml:",chardata"`
	}
)

// JUnit writes the report as JUnit's XML: a suite for each run, a case for each expectation and one
// for the run itself. Violated is a failure, unknown an error. The names of suites and cases are the
// same in each report of a drill; bounds and figures stand in the messages.
func (r Report) JUnit(w io.Writer) error {
	var all junitSuites
	all.add(r)
	return all.write(w)
}

// JUnit writes all drills as JUnit's XML. One that was not run is an error.
func (s Suite) JUnit(w io.Writer) error {
	var all junitSuites
	for _, r := range s.Reports {
		all.add(r)
	}
	for _, name := range s.NotRun {
		one := junitSuite{Name: "drill " + name}
		one.add(junitCase{Class: name, Name: "the run"}, drill.Unknown, &junitText{"it was not run", "it was not run"})
		all.put(one)
	}
	return all.write(w)
}

// add adds the runs of a drill.
func (js *junitSuites) add(r Report) {
	for i, round := range r.Rounds {
		js.put(r.junit(i, round))
	}
	if r.Repeats != nil {
		js.put(r.Repeats.junit("drill "+r.Drill.Name+", all runs", r.Drill.Name, r.flaky()))
	}
}

func (js *junitSuites) put(s junitSuite) {
	js.Tests, js.Failures, js.Errors = js.Tests+s.Tests, js.Failures+s.Failures, js.Errors+s.Errors
	js.took += s.took
	js.Suites = append(js.Suites, s)
}

func (js *junitSuites) write(w io.Writer) error {
	js.Time = junitTime(js.took)
	text, err := xml.MarshalIndent(js, "", "  ")
	if err == nil { // attributes have no line ends, and in a text they say the same and can be read
		_, err = fmt.Fprintf(w, "%s%s\n", xml.Header, bytes.ReplaceAll(text, []byte("&#xA;"), []byte("\n")))
	}
	if err != nil {
		return fmt.Errorf("writing the report: %w", err)
	}
	return nil
}

func junitTime(d time.Duration) string { return fmt.Sprintf("%.3f", d.Seconds()) }

func (r Report) junit(i int, round Run) junitSuite {
	s := junitSuite{Name: fmt.Sprintf("drill %s, run %d", r.Drill.Name, i+1), Time: junitTime(round.Took), took: round.Took,
		Timestamp: round.Started.UTC().Format("2006-01-02T15:04:05"), Properties: r.properties(round),
		flaky: r.Repeats != nil && r.Repeats.runs() == drill.Held}
	names := map[string]int{}
	for _, e := range round.Results {
		name := e.Called()
		if names[name]++; names[name] > 1 {
			name += fmt.Sprintf(" (%d)", names[name])
		}
		text := &junitText{"expected " + e.Describe() + "; seen: " + observedWords(e), strings.Join(e.Evidence, "\n")}
		s.add(junitCase{Class: r.Drill.Name, Name: name}, e.Verdict, text)
	}
	v := drill.Held // what the expectations say is said
	if round.Reason != "" {
		v = drill.Unknown
	}
	s.add(junitCase{Class: r.Drill.Name, Name: "the run", Time: s.Time}, v, &junitText{round.Reason, round.Reason})
	var out strings.Builder
	if mend := r.mend(); round.Verdict != drill.Held && mend != "" {
		fmt.Fprintf(&out, "  %s\n", mend)
	}
	round.late(&out)
	round.timeline(&out)
	round.printed(&out, math.MaxInt)
	s.Out = out.String()
	return s
}

// properties are what somebody needs who wants the same run again.
func (r Report) properties(round Run) (all []junitProperty) {
	add := func(name, value string) {
		if value != "" {
			all = append(all, junitProperty{name, value})
		}
	}
	add("drill", r.Drill.Name)
	add("file", r.File)
	add("locktop", r.Locktop)
	add("etcd", round.Etcd)
	add("seed", fmt.Sprint(round.Seed))
	programs := r.programs()
	for _, role := range slices.Sorted(maps.Keys(programs)) {
		add("program "+role, model.Printable(strings.Join(programs[role], " ")))
	}
	for _, c := range r.Drill.Lab.Contenders {
		if c.Program != nil {
			add("ttl", c.TTL.String())
			add("lock", c.Locks[0])
			break
		}
	}
	add("schedule", strings.Join(round.schedule(), "; "))
	return all
}

// schedule says which faults were done when, counted from the beginning of the run.
func (r Run) schedule() (all []string) {
	at := func(t time.Time) string { return fmt.Sprintf("%.1f s", t.Sub(r.Started).Seconds()) }
	for _, t := range r.Targets {
		line := at(t.At) + ": " + text.English(t.Fault.Message())
		switch {
		case !t.Done:
			line += " (not done)"
		case !t.Healed.IsZero():
			line += ", until " + at(t.Healed)
		}
		all = append(all, line)
	}
	return all
}

// mend says what the drill is about, and so what to mend.
func (r Report) mend() string {
	return "about this drill: " + strings.Join(strings.Fields(r.Drill.Why.In("en")), " ")
}

// junit is a suite with a case for how many runs held, and one for each threshold.
func (r Repeats) junit(name, class, flaky string) junitSuite {
	out := junitSuite{Name: name, Out: flaky}
	say := fmt.Sprintf("expected held in %d of %d runs; seen: %s", r.needs(), r.Asked, r.sentence())
	out.add(junitCase{Class: class, Name: "all runs"}, r.runs(), &junitText{say, say + "\n" + flaky})
	for _, c := range r.Checks {
		out.add(junitCase{Class: class, Name: c.measure()}, c.Verdict(), &junitText{c.Text(), c.Text()})
	}
	return out
}

func (s *junitSuite) add(c junitCase, v drill.Verdict, text *junitText) {
	switch {
	case v == drill.Violated && s.flaky:
		c.FlakyFailure = text
	case v == drill.Violated:
		c.Failure = text
		s.Failures++
	case v == drill.Unknown && s.flaky:
		c.FlakyError = text
	case v == drill.Unknown:
		c.Error = text
		s.Errors++
	}
	s.Tests++
	s.Cases = append(s.Cases, c)
}
