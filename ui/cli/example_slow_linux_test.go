//go:build slow

package cli

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"
)

// TestExampleInstalls: the step of the example workflow that installs locktop does so from a checkout and
// from the archive of a release, and says what to do where neither is named.
func TestExampleInstalls(t *testing.T) {
	t.Parallel()
	data, err := os.ReadFile("../../.ci/examples/rehearse.yaml")
	if err != nil {
		t.Fatal(err)
	}
	var workflow struct {
		Jobs map[string]struct {
			Steps []struct{ Name, Run string }
		}
	}
	if err := yaml.Unmarshal(data, &workflow); err != nil {
		t.Fatal(err)
	}
	step := ""
	for _, s := range workflow.Jobs["locks"].Steps {
		if s.Name == "install locktop" {
			step = s.Run
		}
	}
	if step == "" {
		t.Fatal("there is no such step")
	}
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range []struct {
		from   string
		ok     bool
		want   string
		reason string
	}{
		{root, true, "locktop ", "a checkout"},
		{"file://" + archiveOf(t, locktop(t)), true, "locktop ", "the archive of a release"},
		{"", false, "set the variable LOCKTOP", "nothing"},
	} {
		home := t.TempDir()
		cmd := exec.Command("sh", "-e", "-c", step)
		cmd.Env = append(os.Environ(), "HOME="+home, "GITHUB_PATH="+home+"/path", "LOCKTOP="+r.from, "GOFLAGS=-buildvcs=false")
		for _, name := range []string{"GOCACHE", "GOMODCACHE"} {
			value, err := goTool("env", name).Output()
			if err != nil {
				t.Fatal(err)
			}
			cmd.Env = append(cmd.Env, name+"="+strings.TrimSpace(string(value)))
		}
		out, err := cmd.CombinedOutput()
		if (err == nil) != r.ok || !strings.Contains(string(out), r.want) {
			t.Errorf("%s: %v\n%s", r.reason, err, out)
			continue
		}
		if path, err := os.ReadFile(home + "/path"); r.ok && (err != nil || strings.TrimSpace(string(path)) != home+"/.local/bin") {
			t.Errorf("%s: %v: the path got %q", r.reason, err, path)
		}
	}
}

// archiveOf is an archive with the program in it, as a release has it.
func archiveOf(t *testing.T, program string) string {
	t.Helper()
	data, err := os.ReadFile(program)
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	w := tar.NewWriter(z)
	if err := w.WriteHeader(&tar.Header{Name: "locktop", Mode: 0o755, Size: int64(len(data))}); err != nil {
		t.Fatal(err)
	}
	if _, err := w.Write(data); err != nil {
		t.Fatal(err)
	}
	for _, err := range []error{w.Close(), z.Close()} {
		if err != nil {
			t.Fatal(err)
		}
	}
	name := filepath.Join(t.TempDir(), "locktop_1.2.3_linux_amd64.tar.gz")
	if err := os.WriteFile(name, b.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	return name
}
