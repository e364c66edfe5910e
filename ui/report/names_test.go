package report

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"locktop/model"
	"locktop/model/text"
	"locktop/ui/fields"
)

// The names of JSON, and their order, are those of the table of fields.
func TestJSONHasTheNamesOfTheFields(t *testing.T) {
	s := kinds()
	o := Observation{At: s.Now()}
	lines := func(write func(b *bytes.Buffer) error) string {
		var b bytes.Buffer
		must(t, write(&b))
		return b.String()
	}
	events := func(b *bytes.Buffer) error {
		e := NewEvents(b, s.View, "jsonl")
		for _, f := range s.Journal() {
			must(t, e.Write(f))
		}
		return e.Close()
	}
	for _, r := range []struct {
		of    string
		names []string
		text  string
	}{
		{"lock", inJSON(fields.Locks), lines(func(b *bytes.Buffer) error { return Locks(b, s.View, s.Locks(), o, "jsonl") })},
		{"claim", append([]string{"lock"}, inJSON(fields.Claims)...), lines(func(b *bytes.Buffer) error {
			for _, l := range s.Locks() {
				must(t, OneLock(b, s.View, l, o, "jsonl"))
			}
			return nil
		})},
		{"finding", inJSON(fields.Findings), lines(func(b *bytes.Buffer) error { return Diagnoses(b, s.Findings(), "jsonl") })},
		{"cost", inJSON(fields.CostFields), lines(func(b *bytes.Buffer) error {
			return Top(b, s.View, Observation{At: s.Now(), For: time.Minute}, "jsonl")
		})},
		{"event", inJSON(fields.Events), lines(events)},
		{"prefix", inJSON(fields.Guesses), lines(func(b *bytes.Buffer) error { return Guesses(b, someGuesses[:1], "jsonl") })},
	} {
		for line := range strings.Lines(r.text) {
			if d := cmp.Diff(r.names, namesOf(t, line)); d != "" {
				t.Fatalf("a %s (-fields +JSON; a new field of a lock, a claim or a cost has the last place in JSON and says by JSON: how it is written, a new one of another kind stands in its struct)\n%s\n%s", r.of, d, line)
			}
		}
		if r.text == "" {
			t.Errorf("no %s", r.of)
		}
	}
}

// inJSON are the names of the fields in JSON, in order.
func inJSON[R any](all []fields.Field[R]) []string {
	var names []string
	for _, f := range fields.Object(all) {
		names = append(names, f.Name)
	}
	return names
}

// namesOf are the names of an object in their order.
func namesOf(t *testing.T, object string) []string {
	t.Helper()
	dec := json.NewDecoder(strings.NewReader(object))
	_, err := dec.Token()
	must(t, err)
	var names []string
	for dec.More() {
		name, err := dec.Token()
		must(t, err)
		names = append(names, name.(string))
		var value json.RawMessage
		must(t, dec.Decode(&value))
	}
	return names
}

// Every output has the fields that have a place in it, titled as they are.
func TestOutputsAreViewsOfTheFields(t *testing.T) {
	s := kinds()
	rows := lockRows(s.View, s.Locks(), s.Now())
	for _, f := range fields.Locks {
		for output, there := range map[string]bool{"table": f.In.Table > 0, "wide": f.In.Table+f.In.Wide > 0, "csv": f.In.CSV > 0} {
			var b bytes.Buffer
			must(t, Locks(&b, s.View, s.Locks(), Observation{At: s.Now()}, output))
			head, _, _ := strings.Cut(b.String(), "\n")
			name := map[bool]string{true: f.Name, false: text.English(model.Message{ID: f.Title})}[output == "csv"]
			sep := map[bool]string{true: ",", false: "  "}[output == "csv"]
			found := false
			for _, part := range strings.Split(head, sep) {
				found = found || strings.TrimSpace(part) == name && name != ""
			}
			if there && !found {
				t.Errorf("%s has no %q: %s", output, name, head)
			}
		}
		for _, x := range rows {
			if f.In.Table+f.In.Wide > 0 && f.Text(x) == "" {
				t.Errorf("%s of %s is empty: a column of a table says a dash", f.Title, x.L.Name)
			}
		}
	}
	var none []model.Finding
	if head := fields.Records(fields.Findings, none); len(head) != 1 {
		t.Errorf("%q: a head also of nothing", head)
	}
}
