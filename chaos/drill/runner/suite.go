package runner

import (
	"bytes"
	"encoding/json"
	"encoding/xml"
	"fmt"
	"io"

	"locktop/chaos/drill"
)

// Suite is what came of several drills. NotRun are those of which nothing was run.
type Suite struct {
	Title   string
	Reports []Report
	NotRun  []string
}

// Verdict is the worst of the drills; unknown where one was not run.
func (s Suite) Verdict() drill.Verdict {
	v := drill.Held
	for _, r := range s.Reports {
		v = drill.Worse(v, r.Verdict())
	}
	if len(s.NotRun) > 0 || len(s.Reports) == 0 {
		v = drill.Worse(v, drill.Unknown)
	}
	return v
}

// JSON writes the suite as one object, schema 1: each drill as its own report has it.
func (s Suite) JSON(w io.Writer) error {
	out := struct {
		Schema  int           `json:"schema"`
		Suite   string        `json:"suite"`
		Verdict drill.Verdict `json:"verdict"`
		NotRun  []string      `json:"not_run"`
		Drills  []jsonReport  `json:"drills"`
	}{1, s.Title, s.Verdict(), append([]string{}, s.NotRun...), []jsonReport{}}
	for _, r := range s.Reports {
		out.Drills = append(out.Drills, r.object())
	}
	return writeJSON(w, out)
}

// JUnit writes all drills as JUnit's XML. One that was not run is an error.
func (s Suite) JUnit(w io.Writer) error {
	var all junitSuites
	for _, r := range s.Reports {
		all.add(r)
	}
	for _, name := range s.NotRun {
		one := junitSuite{Name: "drill " + name, Time: "0"}
		one.add(junitCase{Class: name, Name: "the run", Time: "0"}, drill.Unknown, &junitText{"it was not run", "it was not run"})
		all.put(one)
	}
	return all.write(w)
}

// add adds the runs of a drill.
func (all *junitSuites) add(r Report) {
	for i, round := range r.Rounds {
		all.put(round.junit(fmt.Sprintf("drill %s, run %d", r.Drill.Name, i+1), r.Drill.Name))
	}
	if r.Repeats != nil {
		all.put(r.Repeats.junit("drill "+r.Drill.Name+", all runs", r.Drill.Name))
	}
}

func (all *junitSuites) put(s junitSuite) {
	all.Tests, all.Failures, all.Errors = all.Tests+s.Tests, all.Failures+s.Failures, all.Errors+s.Errors
	all.Suites = append(all.Suites, s)
}

func (all *junitSuites) write(w io.Writer) error {
	text, err := xml.MarshalIndent(all, "", "  ")
	if err == nil { // attributes have no line ends, and in a text they say the same and can be read
		_, err = fmt.Fprintf(w, "%s%s\n", xml.Header, bytes.ReplaceAll(text, []byte("&#xA;"), []byte("\n")))
	}
	if err != nil {
		return fmt.Errorf("writing the report: %w", err)
	}
	return nil
}

func writeJSON(w io.Writer, v any) error {
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	if err := enc.Encode(v); err != nil {
		return fmt.Errorf("writing the report: %w", err)
	}
	return nil
}
