package report

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"errors"
	"flag"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"locktop/model"
	"locktop/model/journal"
	"locktop/model/modeltest"
	"locktop/model/store"
)

var update = flag.Bool("update", false, "write the golden files")

var noon = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

// scene is a state with a healthy lock whose waiter has a name that a spreadsheet
// would run, and one that a foreign key blocks.
func scene() *store.Store {
	s := store.New()
	kv := func(key, value string, rev int64, lease model.LeaseID) model.KV {
		return model.KV{Key: key, Value: value, CreateRev: rev, ModRev: rev, Version: 1, Lease: lease}
	}
	at := func(sec int) time.Time { return noon.Add(time.Duration(sec) * time.Second) }
	put := func(sec int, kv model.KV) model.Event {
		return model.Committed{At: at(sec), Rev: kv.ModRev, Changes: []model.Change{{KV: kv}}}
	}
	s.Apply(model.Batch{Events: []model.Event{
		model.LoadStarted{At: at(0), Rev: 10},
		model.Listed{At: at(0), Rev: 10, KVs: []model.KV{kv("/cfg-lock/setting", "=1+1", 3, 0), kv("/cfg-lock/1b", "", 4, 0x1b), kv("/leader/a/1f", "", 7, 0x1f)}, Done: 3, Total: 3},
		model.Loaded{At: at(0), Rev: 10},
		model.Watching{At: at(0), Rev: 10},
		model.ClusterStatus{At: at(0), ClusterID: 0xc1},
		model.LeaseRead{At: at(1), ID: 0x1f, Granted: 60, Remaining: 55},
		put(2, kv("/leader/a/2f", "=cmd()", 11, 0x2f)),
		put(3, kv("=evil/x,\"y\"\x1b\u009b[2J/3f", "", 12, 0x3f)),
		model.Committed{At: at(4), Rev: 13, Changes: []model.Change{{Deleted: true, KV: model.KV{Key: "/leader/a/1f", ModRev: 13}}}},
		model.LeaseRead{At: at(5), ID: 0x1f, Granted: 60, Remaining: 51},
		model.LeaseRead{At: at(6), ID: 0x2f, Granted: 60, Remaining: 55},
		model.Tick{At: at(12)},
	}})
	return s
}

// written is what each thing looks like in a format.
func written(t *testing.T, s *store.Store, format string) string {
	t.Helper()
	var b strings.Builder
	o := Observation{At: s.Now(), Prefixes: []string{""}}
	part := func(name string, f func() error) {
		b.WriteString("== " + name + "\n")
		must(t, f())
	}
	part("locks", func() error { return Locks(&b, s.View, s.Locks(), o, format) })
	part("one lock", func() error { return OneLock(&b, s.View, s.Lock("/leader/a"), o, format) })
	if format != "table" && format != "json" { // these are Findings and JSON
		part("findings", func() error { return Diagnoses(&b, s.Findings(), format) })
	}
	part("events", func() error {
		e := NewEvents(&b, s.View, format)
		for _, f := range s.Journal() {
			must(t, e.Write(f))
		}
		return e.Close()
	})
	return b.String()
}

// What is written in each format is a contract: a name that is there stays.
func TestFormats(t *testing.T) {
	for _, format := range Formats {
		t.Run(format, func(t *testing.T) {
			got := written(t, scene(), format)
			modeltest.Fit(t, got)
			file := "testdata/formats-" + format + ".txt"
			if *update {
				must(t, os.WriteFile(file, []byte(got), 0o644))
			}
			want, err := os.ReadFile(file)
			must(t, err)
			if d := cmp.Diff(string(want), got); d != "" {
				t.Errorf("run go test ./ui/report -run TestFormats -update if that is meant (-file +now)\n%s", d)
			}
		})
	}
}

func TestLinesAreObjectsAndRecordsHaveAHead(t *testing.T) {
	s := scene()
	o := Observation{At: s.Now()}
	for _, r := range []struct {
		what  string
		n     int
		write func(b *bytes.Buffer, format string) error
	}{
		{"locks", len(s.Locks()), func(b *bytes.Buffer, f string) error { return Locks(b, s.View, s.Locks(), o, f) }},
		{"claims", 1, func(b *bytes.Buffer, f string) error { return OneLock(b, s.View, s.Lock("/leader/a"), o, f) }},
		{"findings", len(s.Findings()), func(b *bytes.Buffer, f string) error { return Diagnoses(b, s.Findings(), f) }},
		{"no locks", 0, func(b *bytes.Buffer, f string) error { return Locks(b, s.View, nil, o, f) }},
	} {
		var lines, records bytes.Buffer
		must(t, r.write(&lines, "jsonl"))
		must(t, r.write(&records, "csv"))
		if n := strings.Count(lines.String(), "\n"); n != r.n {
			t.Errorf("%s: %d lines, want %d", r.what, n, r.n)
		}
		for dec := json.NewDecoder(&lines); dec.More(); {
			var object map[string]any
			must(t, dec.Decode(&object))
		}
		rows, err := csv.NewReader(&records).ReadAll() // it wants as many cells in every record
		if err != nil || len(rows) != r.n+1 {
			t.Errorf("%s: %d records, %v; want a head and %d", r.what, len(rows), err, r.n)
		}
	}
}

func TestEventsAsOneList(t *testing.T) {
	s := scene()
	for _, facts := range [][]*journal.Entry{nil, s.Journal()[:1], s.Journal()} {
		var b bytes.Buffer
		e := NewEvents(&b, s.View, "json")
		for _, f := range facts {
			must(t, e.Write(f))
		}
		must(t, e.Close())
		var list []map[string]any
		if err := json.Unmarshal(b.Bytes(), &list); err != nil || len(list) != len(facts) {
			t.Errorf("%v: %d in %q, want %d", err, len(list), &b, len(facts))
		}
	}
}

func TestFormatsFail(t *testing.T) {
	s := scene()
	o := Observation{At: s.Now()}
	for _, format := range Formats {
		e := NewEvents(brokenWriter{}, s.View, format)
		errs := map[string]error{"locks": Locks(brokenWriter{}, s.View, s.Locks(), o, format),
			"one lock": OneLock(brokenWriter{}, s.View, s.Locks()[0], o, format), "event": e.Write(s.Journal()[0])}
		for what, err := range errs {
			if !errors.Is(err, errBroken) {
				t.Errorf("%s as %s: %v", what, format, err)
			}
		}
	}
	for what, err := range map[string]error{"locks": Locks(brokenWriter{}, s.View, nil, o, "xml"), "lock": OneLock(brokenWriter{}, s.View, s.Locks()[0], o, "xml"),
		"findings": Diagnoses(brokenWriter{}, nil, "xml"), "event": NewEvents(brokenWriter{}, s.View, "xml").Write(s.Journal()[0])} {
		if err == nil || !strings.Contains(err.Error(), "jsonl") {
			t.Errorf("%s: %v: want the formats that there are", what, err)
		}
	}
}
