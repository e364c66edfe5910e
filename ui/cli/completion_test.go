package cli

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"locktop/demo/drills"

	clientv3 "go.etcd.io/etcd/client/v3"
)

// completions are what the shell is offered, without the directive.
func completions(t *testing.T, args ...string) []string {
	t.Helper()
	var out, errs strings.Builder
	if code := Main(append([]string{"__complete"}, args...), strings.NewReader(""), &out, &errs); code != exitOK {
		t.Errorf("%v: exit %d, %s", args, code, errs.String())
	}
	return offered(out.String())
}

// offered are the words in an answer to the shell.
func offered(out string) []string {
	var list []string
	for line := range strings.Lines(out) {
		if word, _, _ := strings.Cut(strings.TrimSpace(line), "\t"); word != "" && !strings.HasPrefix(word, ":") {
			list = append(list, word)
		}
	}
	return list
}

func TestCompletionOfWords(t *testing.T) {
	t.Setenv("ETCDCTL_DIAL_TIMEOUT", "nonsense") // no reason to leave somebody without
	for _, r := range []struct {
		args   []string
		want   string
		reason string
	}{
		{[]string{"drill", "run", ""}, drills.Names()[0], "drills that are built in"},
		{[]string{"drill", "run", ""}, everyDrill, "all of them"},
		{[]string{"drill", "show", ""}, drills.Names()[0], "drills that are built in"},
		{[]string{"demo", "--drill", ""}, drills.Names()[0], "the flag takes one"},
		{[]string{"explain", "lock-c"}, "lock-cycle", "codes"},
		{[]string{"explain", "vit"}, "vitess-lock", "recipes"},
		{[]string{"ls", "-o", ""}, "csv", "formats"},
		{[]string{"doctor", "--fail-on", ""}, "warning", "severities"},
		{[]string{"replay", "--color", ""}, "never", "a flag of several commands"},
		{[]string{"comp"}, "completion", "commands"},
	} {
		if got := completions(t, r.args...); !slices.Contains(got, r.want) {
			t.Errorf("%v: %q is not in %v: %s", r.args, r.want, got, r.reason)
		}
	}
	for _, args := range [][]string{{"version", "-o", ""}, {"drill", "list", "-o", ""}} {
		if got := completions(t, args...); slices.Contains(got, "csv") {
			t.Errorf("%v: %v, which it cannot write", args, got)
		}
	}
}

func TestScriptsForTheShells(t *testing.T) {
	t.Setenv("ETCDCTL_DIAL_TIMEOUT", "nonsense")
	for _, shell := range []string{"bash", "zsh", "fish", "powershell"} {
		var out, errs strings.Builder
		if code := Main([]string{"completion", shell}, strings.NewReader(""), &out, &errs); code != exitOK || !strings.Contains(out.String(), "__complete") {
			t.Errorf("%s: exit %d, %s", shell, code, errs.String())
		}
	}
}

func TestCompletionOfLocks(t *testing.T) {
	endpoint := member(t)
	c := unbound(t, endpoint)
	for _, lock := range []string{"/jobs/a", "/jobs/b", "/other", "/jobs/\x1b[2J"} {
		l, err := c.Grant(within(t), 600)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := c.Put(within(t), lock+"/"+fmt.Sprintf("%x", l.ID), "", clientv3.WithLease(l.ID)); err != nil {
			t.Fatal(err)
		}
	}
	for _, r := range []struct {
		args   []string
		want   []string
		reason string
	}{
		{[]string{"describe", ""}, []string{"/jobs/a", "/jobs/b", "/other"}, "all that a shell would pass on"},
		{[]string{"break", "/jobs/"}, []string{"/jobs/a", "/jobs/b"}, "what begins so"},
		{[]string{"describe", "/jobs/a"}, []string{"/jobs/a"}, "the whole name"},
		{[]string{"describe", "--prefix", "/other", ""}, []string{"/other"}, "what the flags name"},
		{[]string{"describe", "--prefix", "/other", "/jobs"}, nil, "nothing is watched there"},
		{[]string{"describe", "/jobs/a", ""}, nil, "it takes one"},
	} {
		out, errs := ran(t, t.TempDir(), "", append([]string{"__complete", r.args[0], "--endpoints", endpoint}, r.args[1:]...)...)
		if got := offered(out); !slices.Equal(got, r.want) {
			t.Errorf("%v: %v, want %v: %s\n%s", r.args, got, r.want, r.reason, errs)
		}
	}
}

func TestCompletionOfLocksIsBoundedAndSilent(t *testing.T) {
	t.Parallel()
	for _, args := range [][]string{{"--endpoints", "127.0.0.1:1"}, {"--endpoints", "nonsense"}, {"--cacert", "/none"}} {
		begun := time.Now()
		if got := completions(t, append(append([]string{"describe"}, args...), "")...); len(got) > 0 {
			t.Errorf("%v: %v", args, got)
		}
		if took := time.Since(begun); took > 20*time.Second {
			t.Errorf("%v: it took %s", args, took)
		}
	}
}
