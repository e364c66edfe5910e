package cli

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"locktop/model"
	"locktop/model/modeltest"
	"locktop/watcher/recording"
)

// yamlOf is text as YAML has it in double quotes.
func yamlOf(s string) string {
	var b strings.Builder
	for _, r := range s {
		fmt.Fprintf(&b, "\\U%08x", r)
	}
	return `"` + b.String() + `"`
}

// TestEveryDoorKnowsItsGuests: the same hostile text comes in at every door that a file or a
// server is, and what goes out is fit for a terminal, line by line.
func TestEveryDoorKnowsItsGuests(t *testing.T) {
	nasty := strings.Join(modeltest.Pieces, "")
	valid := strings.ReplaceAll(strings.ToValidUTF8(nasty, "?"), "\x00", "")
	dir := t.TempDir()
	write := func(name, text string) string {
		t.Helper()
		file := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return file
	}
	t.Setenv("XDG_CONFIG_HOME", dir)
	write("locktop/profiles.yaml", "p:\n  label: "+yamlOf(valid)+"\n  endpoints: ["+yamlOf(valid)+"]\n")
	drill := write("drill.yaml", "name: d\ntitle: "+yamlOf(valid)+"\nwhy: w\nlab: {members: 1, contenders: [{name: a, lock: "+yamlOf("l"+valid)+", recipe: mutex}]}\nexpect: [one-holder]\n")
	wrong := write("wrong.yaml", "name: d\ntitle: t\nwhy: w\n"+yamlOf(valid)+": 1\n")
	raw := write("raw.yaml", "# \x1b[2J\xff\u202e\u3164\nname: d\n")
	at := time.Unix(100, 0)
	var rec bytes.Buffer
	r := recording.NewRecorder(&rec, recording.Options{})
	lock := "/l" + nasty
	if err := r.Write(model.Batch{Events: []model.Event{
		model.Requested{At: at, Prefixes: []string{"/l"}}, model.LoadStarted{At: at, Prefix: "/l", Rev: 5}, model.Loaded{At: at, Prefix: "/l", Rev: 5},
		model.Committed{At: at, Rev: 6, Changes: []model.Change{{KV: model.KV{Key: lock + "/a1", Value: nasty, CreateRev: 6, ModRev: 6, Version: 1, Lease: 0xa1}}}},
		model.Committed{At: at, Rev: 7, Changes: []model.Change{{KV: model.KV{Key: lock + "/a2", Value: nasty, CreateRev: 7, ModRev: 7, Version: 1, Lease: 0xa2}}}},
		model.Committed{At: at, Rev: 8, Changes: []model.Change{{Deleted: true, KV: model.KV{Key: lock + "/a1", ModRev: 8}}}},
		model.ClusterStatus{At: at, ClusterID: 1, Members: []model.Member{{ID: 1, Name: nasty, Endpoint: nasty, Version: nasty}}, Alarms: []string{nasty}},
		model.Lost{At: at, Prefix: "/l", Reason: model.LostDisconnect, Detail: model.Say("quote", nasty)},
		model.LeaseUnread{At: at, ID: 0xa2, Reason: model.Say("quote", nasty)},
	}}); err != nil {
		t.Fatal(err)
	}
	file := write("rec", rec.String())
	damaged := write("damaged", `{"locktop":"recording","version":1}`+"\n"+`{"batch":1,"event":"comm\u001b[2Jed"}`+"\n")
	rubbish := write("rubbish", nasty+"\n"+nasty)
	for _, row := range []struct {
		door string
		args []string
		has  string // in what it prints
	}{
		{"a drill", []string{"drill", "show", drill}, "title:"},
		{"a drill", []string{"drill", "show", raw}, `\x1b[2J\xff\u202e\u3164`},
		{"a drill", []string{"drill", "run", drill, "--dry-run"}, "at the end"},
		{"a drill that is wrong", []string{"drill", "run", wrong}, "locktop: "},
		{"a drill that is wrong", []string{"drill", "check", wrong}, ".yaml:"},
		{"no drill", []string{"drill", "run", rubbish}, "locktop: "},
		{"no suite", []string{"drill", "suite", rubbish}, "locktop: "},
		{"results", []string{"drill", "table", rubbish}, "locktop: "},
		{"a recording", []string{"replay", file, "-o", "table"}, "/l"},
		{"a recording", []string{"replay", file, "-o", "wide"}, "/l"},
		{"a recording", []string{"replay", file, "-o", "jsonl"}, "/l"},
		{"a recording", []string{"ls", "--recording", file}, "/l"},
		{"a recording", []string{"ls", "--recording", file, "-o", "wide"}, "/l"},
		{"a recording", []string{"doctor", "--recording", file}, "/l"},
		{"a recording", []string{"report", "--recording", file, "-o", "md"}, "/l"},
		{"a recording", []string{"report", "--recording", file, "-o", "html"}, "/l"},
		{"a recording", []string{"report", "--recording", file, "-o", "json"}, "/l"},
		{"a damaged recording", []string{"replay", damaged, "-o", "table"}, "damaged"},
		{"no recording", []string{"replay", rubbish, "-o", "table"}, "not a recording"},
		{"a profile", []string{"config", "--profile", "p"}, "endpoints"},
		{"a profile", []string{"ls", "--profile", "p"}, "locktop: "},
		{"a profile that is not there", []string{"ls", "--profile", valid}, "locktop: "},
		{"an argument", []string{"describe", valid, "--endpoints", "127.0.0.1:1"}, "locktop: "},
		{"a flag", []string{"ls", "--" + valid}, "locktop: "},
		{"a command", []string{valid}, "locktop: "},
		{"a name of a file", []string{"replay", valid}, "locktop: "},
		{"a name to complete", []string{"__complete", "describe", "--endpoints", "127.0.0.1:1", valid}, ""},
		{"a profile to complete", []string{"__complete", "ls", "--profile", ""}, "p"},
	} {
		out, errs := ran(t, dir, "", row.args...)
		what := row.door + " to " + row.args[0]
		fit(t, what+" stdout", out)
		if row.args[0] != "__complete" || errs != "" {
			fit(t, what+" stderr", errs)
		}
		if !strings.Contains(out+errs, row.has) {
			t.Errorf("%s: no %q in\n%.500s%.500s", what, row.has, out, errs)
		}
	}
}
