package cli

import (
	"bytes"
	"fmt"
	"strings"
	"testing"
)

func TestBadInputGetsOneLineAndExitCode2(t *testing.T) {
	dead := fmt.Sprintf("127.0.0.1:%d", freePort(t))
	rows := []struct {
		args   []string
		want   string
		reason string
	}{
		{[]string{"--endpoints", dead, "ls"}, dead + ": connect: connection refused", "says what was tried and what failed"},
		{[]string{"--endpoints", dead, "ls"}, `"locktop demo", which needs none`, "and what needs no cluster"},
		{[]string{"--endpoints", dead, "describe", "/a"}, "no endpoint answers", "the same for every command"},
		{[]string{"--endpoints", "nonsense", "ls"}, `--endpoints "nonsense": want host:port`, "checked before anything is dialled"},
		{[]string{"--endpoints", "ftp://a:1", "ls"}, "want host:port, http://", "an address of another kind"},
		{[]string{"ls", "--nope"}, "unknown flag: --nope (see: locktop ls --help)", "unknown flag"},
		{[]string{"ls", "-o", "xml"}, `-o "xml": want table or json`, "unknown format"},
		{[]string{"ls", "--leases", "some"}, "want heads, all or none", "unknown choice"},
		{[]string{"ls", "extra"}, `locktop ls takes no argument, got "extra"`, "an argument too many"},
		{[]string{"frobnicate"}, `unknown command "frobnicate" (there are: `, "unknown command"},
		{[]string{"describe"}, "wants one lock's name", "an argument too few"},
		{[]string{"demo", "--members", "2"}, "want 1, 3 or 5", "a cluster that cannot vote"},
		{[]string{"demo", "--port", "65535"}, "want 1 to 65533", "three ports do not fit"},
		{[]string{"demo", "--contenders", "1000"}, "want 0 to 64", "bounded load"},
		{[]string{"--lease-budget", "0", "ls"}, "want 1 to 10000", "no budget, no readings"},
		{[]string{"--color", "green", "ls"}, "want auto, always or never", "unknown choice"},
		{[]string{"contend", "/l"}, "--armed", "contend writes"},
		{[]string{"contend", "--armed", "/l", "--recipe", "magic"}, "mutex or election", "unknown recipe"},
		{[]string{"contend", "--armed", "/l/"}, "does not end with /", "a name that would be another lock's"},
	}
	for _, r := range rows {
		t.Run(strings.Join(r.args, " "), func(t *testing.T) {
			var out, errs bytes.Buffer
			code := Main(r.args, strings.NewReader(""), &out, &errs)
			if code != exitBad || !strings.Contains(errs.String(), r.want) {
				t.Errorf("%s: exit %d, said %q; want 2 and %q", r.reason, code, errs.String(), r.want)
			}
			if n := strings.Count(errs.String(), "\n"); n != 1 || out.Len() > 0 {
				t.Errorf("%s: %d lines of error and %q on standard output; want one line alone", r.reason, n, out.String())
			}
		})
	}
}

func TestBadEnvironmentIsNamed(t *testing.T) {
	t.Setenv("ETCDCTL_DIAL_TIMEOUT", "soon")
	var errs bytes.Buffer
	if code := Main([]string{"ls"}, strings.NewReader(""), &bytes.Buffer{}, &errs); code != exitBad || !strings.Contains(errs.String(), "ETCDCTL_DIAL_TIMEOUT") {
		t.Errorf("exit %d: %s", code, errs.String())
	}
}
