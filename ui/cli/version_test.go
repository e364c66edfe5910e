package cli

import (
	"encoding/json"
	"os"
	"os/exec"
	"runtime"
	"runtime/debug"
	"strings"
	"testing"
)

func TestBuildInWords(t *testing.T) {
	here := runtime.Version() + ", " + runtime.GOOS + "/" + runtime.GOARCH
	for _, r := range []struct {
		info   *debug.BuildInfo
		want   string
		reason string
	}{
		{nil, "locktop (devel), commit not recorded, " + here + ", etcd client unknown", "nothing is known"},
		{&debug.BuildInfo{Main: debug.Module{Version: "v1.2.3"}, Deps: []*debug.Module{{Path: etcdClientModule, Version: "v3.7.3"}}},
			"locktop v1.2.3, commit not recorded, " + here + ", etcd client v3.7.3", "go install module@version records no commit"},
		{&debug.BuildInfo{Deps: []*debug.Module{{Path: etcdClientModule, Version: "v3.7.3", Replace: &debug.Module{Version: "v3.7.4"}}},
			Settings: []debug.BuildSetting{{Key: "vcs.revision", Value: "abc"}, {Key: "vcs.time", Value: "2026-03-01T10:00:00Z"}, {Key: "vcs.modified", Value: "true"}}},
			"locktop (devel), commit abc with changes of 2026-03-01T10:00:00Z, " + here + ", etcd client v3.7.4", "a checkout with changes"},
		{&debug.BuildInfo{Settings: []debug.BuildSetting{{Key: "vcs.revision", Value: "abc"}, {Key: "vcs.modified", Value: "false"}}},
			"locktop (devel), commit abc, " + here + ", etcd client unknown", "a clean checkout"},
	} {
		if got := buildOf(r.info).String(); got != r.want {
			t.Errorf("%s: %q, want %q", r.reason, got, r.want)
		}
	}
}

func TestVersionOfTheProgram(t *testing.T) {
	cmd := exec.Command(locktop(t), "version", "-o", "json")
	cmd.Env = append(os.Environ(), "ETCDCTL_DIAL_TIMEOUT=nonsense")
	out, err := cmd.Output()
	var b map[string]any
	if err := json.Unmarshal(out, &b); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	if err != nil || b["os"] != runtime.GOOS || !strings.HasPrefix(b["etcd_client"].(string), "v3.") || b["go"] != runtime.Version() {
		t.Errorf("%v: %s", err, out)
	}
	for _, name := range []string{"version", "commit", "time", "modified", "arch"} {
		if _, ok := b[name]; !ok {
			t.Errorf("%q is missing: %s", name, out)
		}
	}
}

func TestVersionRefusesOtherFormats(t *testing.T) {
	var out, errs strings.Builder
	if code := Main([]string{"version", "-o", "xml"}, strings.NewReader(""), &out, &errs); code != exitBad || !strings.Contains(errs.String(), `unknown format "xml" (table, json)`) {
		t.Errorf("exit %d: %s", code, errs.String())
	}
}

func TestVersionPrintsTheNotices(t *testing.T) {
	var out, errs strings.Builder
	if code := Main([]string{"version", "--notices"}, strings.NewReader(""), &out, &errs); code != exitOK {
		t.Fatalf("exit %d: %s", code, errs.String())
	}
	text := out.String()
	for _, want := range []string{"Apache License", "The locktop Authors", "  - go.etcd.io/etcd/client/v3 v3.", "  - Go, its runtime and standard library", "Copyright 2009 The Go Authors"} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is missing", want)
		}
	}
	if code := Main([]string{"version", "--notices", "-o", "json"}, strings.NewReader(""), &out, &errs); code != exitBad || !strings.Contains(errs.String(), "leave -o json out") {
		t.Errorf("as JSON: exit %d: %s", code, errs.String())
	}
}
