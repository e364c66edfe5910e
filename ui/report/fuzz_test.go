package report

import (
	"bytes"
	"encoding/base64"
	"encoding/csv"
	"encoding/json"
	"strconv"
	"strings"
	"testing"
	"time"

	"locktop/model"
	"locktop/model/modeltest"
	"locktop/model/recipe"
	"locktop/model/store"
)

// FuzzReports writes whatever can be in a state. Text is fit for a terminal and
// has a line per row; JSON is UTF-8, parses, and has the bytes of every key.
func FuzzReports(f *testing.F) {
	for _, s := range modeltest.Seeds() {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		s := store.New(model.Pin{Prefix: "/s/", Recipe: recipe.Named("single")})
		s.Apply(model.Batch{Events: modeltest.Events(data)})
		now := s.Now().Add(time.Second)
		var b strings.Builder
		must(t, Table(&b, s.View, s.Locks(), now))
		if rows := strings.Count(b.String(), "\n"); rows != len(s.Locks())+1 {
			t.Errorf("%d lines for %d locks:\n%q", rows, len(s.Locks()), &b)
		}
		for _, l := range s.Locks() {
			describe(&b, s.View, l, now, false)
		}
		must(t, Findings(&b, s.Findings(), "  "))
		must(t, Findings(&b, s.ClusterFindings(), "  "))
		for _, fact := range s.Journal() {
			var line bytes.Buffer
			must(t, EventText(&line, s.View, fact))
			if strings.Count(line.String(), "\n") != 1 {
				t.Errorf("an event of several lines: %q", &line)
			}
			b.Write(line.Bytes())
		}
		modeltest.Fit(t, b.String())
		checkFormats(t, s, now)
		checkJSON(t, s, now)
		checkEvents(t, s)
	})
}

// checkFormats wants of every format text that is fit for a terminal, objects on
// lines, and records of which no cell is a formula.
func checkFormats(t *testing.T, s *store.Store, now time.Time) {
	t.Helper()
	o := Observation{At: now}
	for _, format := range []string{"wide", "jsonl", "csv"} {
		var parts []string
		add := func(write func(b *bytes.Buffer) error) {
			var b bytes.Buffer
			must(t, write(&b))
			parts = append(parts, b.String())
		}
		add(func(b *bytes.Buffer) error { return Locks(b, s.View, s.Locks(), o, format) })
		add(func(b *bytes.Buffer) error { return Diagnoses(b, s.Findings(), format) })
		for _, l := range s.Locks() {
			add(func(b *bytes.Buffer) error { return OneLock(b, s.View, l, o, format) })
		}
		add(func(b *bytes.Buffer) error {
			e := NewEvents(b, s.View, format)
			for _, f := range s.Journal() {
				must(t, e.Write(f))
			}
			return e.Close()
		})
		for _, part := range parts {
			modeltest.Fit(t, part)
			switch format {
			case "jsonl":
				for line := range strings.Lines(part) {
					modeltest.FitJSON(t, []byte(line))
				}
			case "csv":
				noFormula(t, part)
			}
		}
	}
}

func noFormula(t *testing.T, records string) {
	t.Helper()
	rows, err := csv.NewReader(strings.NewReader(records)).ReadAll()
	must(t, err)
	for _, row := range rows {
		for _, cell := range row {
			if _, err := strconv.ParseFloat(cell, 64); err != nil && strings.ContainsAny(cell[:min(1, len(cell))], "=+-@") {
				t.Errorf("a spreadsheet runs %q", cell)
			}
		}
	}
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func checkJSON(t *testing.T, s *store.Store, now time.Time) {
	t.Helper()
	var b bytes.Buffer
	must(t, JSON(&b, s.View, s.Locks(), Observation{At: now, For: time.Second, Prefixes: []string{"\x1b\xff"}, Denied: []string{"\u202e"}}))
	modeltest.FitJSON(t, b.Bytes())
	var doc struct {
		Locks []struct {
			Name       string
			NameBase64 string `json:"name_base64"`
		}
	}
	must(t, json.Unmarshal(b.Bytes(), &doc))
	if len(doc.Locks) != len(s.Locks()) {
		t.Fatalf("%d locks in JSON, want %d", len(doc.Locks), len(s.Locks()))
	}
	for i, l := range s.Locks() {
		name := doc.Locks[i].Name
		if raw := doc.Locks[i].NameBase64; raw != "" {
			b, err := base64.StdEncoding.DecodeString(raw)
			must(t, err)
			name = string(b)
		}
		if name != l.Name {
			t.Errorf("the lock %q became %q", l.Name, name)
		}
	}
}

func checkEvents(t *testing.T, s *store.Store) {
	t.Helper()
	for _, fact := range s.Journal() {
		var b bytes.Buffer
		must(t, EventLine(&b, s.View, fact))
		modeltest.FitJSON(t, b.Bytes())
		if bytes.Count(b.Bytes(), []byte("\n")) != 1 {
			t.Errorf("not one line: %q", &b)
		}
	}
}
