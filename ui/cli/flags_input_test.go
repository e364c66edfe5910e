package cli

import (
	"bytes"
	"strings"
	"testing"

	"locktop/demo/etcdtest"
)

func TestBadInputGetsOneLineAndExitCode2(t *testing.T) {
	dead := etcdtest.Nobody(t)
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
		{[]string{"describe", "-x/lock"}, "unknown shorthand flag: 'x' in -x/lock (see: locktop describe --help; a name that begins with a dash comes after --)", "a name that begins with a dash"},
		{[]string{"ls", "-o", "xml"}, `unknown format "xml" (table, wide, json, jsonl, csv)`, "unknown format"},
		{[]string{"ls", "--leases", "some"}, `unknown --leases "some" (heads, all, none)`, "unknown choice"},
		{[]string{"version", "extra"}, `version takes no argument, got "extra"`, "an argument too many"},
		{[]string{"frobnicate"}, `unknown command "frobnicate" (there are: `, "unknown command"},
		{[]string{"help", "frobnicate"}, `unknown command "frobnicate" (there are: `, "help for an unknown command"},
		{[]string{"help", "drill", "frobnicate"}, `unknown command "frobnicate" (there are: check, `, "help for an unknown command of a command"},
		{[]string{"help", "ls", "extra"}, `help takes the name of a command, got "extra" behind that of ls`, "help for a command and more"},
		{[]string{"completion", "tcsh"}, `unknown command "tcsh" (there are: bash, fish, powershell, zsh)`, "a shell that is not known"},
		{[]string{"completion", "bash", "extra"}, `completion bash takes no argument, got "extra"`, "an argument too many"},
		{[]string{"learn", "code"}, "learn code needs a language: go, js, py (see: locktop learn code --help)", "an argument too few"},
		{[]string{"learn", "code", "go", "py"}, "learn code takes one argument, got 2", "an argument too many"},
		{[]string{"learn", "report"}, "learn report needs the folder of a class", "an argument too few"},
		{[]string{"learn", "report", "/nonexistent"}, "reading the class", "a folder that is not there"},
		{[]string{"learn", "1", "2"}, "learn takes", "one lesson at a time"},
		{[]string{"drill", "run", "/dev/null"}, "locktop: /dev/null:1: the file is empty", "a file is called as it was named"},
		{[]string{"describe"}, "locktop: describe needs a lock name (see: locktop describe --help)", "an argument too few"},
		{[]string{"describe", "/a", "/b"}, "describe takes one argument, got 2", "an argument too many"},
		{[]string{"break", ""}, "break needs a lock name", "a name of nothing"},
		{[]string{"doctor", "--fail-on", "never"}, `unknown severity "never" (error, warning, info)`, "unknown choice"},
		{[]string{"--theme", "pink"}, `unknown theme "pink" (auto, dark, light, mono)`, "unknown choice"},
		{[]string{"config", "-o", "csv"}, `unknown format "csv" (table, json)`, "a format of others"},
		{[]string{"events", "--for", "-1s"}, "--for -1s: want 0 to 24h", "time does not go back"},
		{[]string{"break", "/a"}, "break writes to 127.0.0.1:2379: add --armed to confirm, or --dry-run to see what it would do", "break writes"},
		{[]string{"demo", "--members", "2"}, "want 1, 3 or 5", "a cluster that cannot vote"},
		{[]string{"demo", "--port", "65535"}, "want 1 to 65533", "three ports do not fit"},
		{[]string{"demo", "--contenders", "1000"}, "want 0 to 64", "bounded load"},
		{[]string{"--lease-budget", "0", "ls"}, "want 1 to 10000", "no budget, no readings"},
		{[]string{"--color", "green", "demo"}, `unknown --color "green" (auto, always, never)`, "unknown choice"},
		{[]string{"contend", "/l"}, "contend writes to 127.0.0.1:2379: add --armed to confirm", "contend writes"},
		{[]string{"contend", "--armed", "/l", "--recipe", "magic"}, "mutex or election", "unknown recipe"},
		{[]string{"contend", "--armed"}, "contend needs a lock name", "an argument too few"},
		{[]string{"contend", "--armed", "/l", "/l"}, "the lock /l is named twice", "it would wait for itself"},
		{[]string{"contend", "--armed", "/l", "--ttl", "0"}, "TTL", "no lease of no time"},
		{[]string{"contend", "--armed", "/l", "--jitter", "much"}, `unknown --jitter "much" (some, full)`, "unknown choice"},
		{[]string{"contend", "--armed", "/l", "--workers", "3", "--recipe", "election"}, "workers", "they share a session's mutex"},
		{[]string{"contend", "--armed", "/l", "--no-lease"}, "lease", "only the server's recipes can do without"},
		{[]string{"contend", "--armed", "/l", "--hold", "-3s"}, "contend for /l: hold -3s: want 0 or more", "no time below nothing"},
		{[]string{"contend", "--armed", "/l", "--hold", "long"}, `--hold "long": want a duration, like 30s or 5m`, "no duration"},
		{[]string{"contend", "--armed", "/l", "--endpoints", dead}, "no endpoint answers (" + dead, "a contender too says what is wrong, before it tries for ever"},
		{[]string{"--endpoints", dead, "proxy"}, "no endpoint answers (" + dead, "nothing to be a proxy for"},
		{[]string{"proxy", "./worker"}, "a command of your own goes behind --", "a command without --"},
		{[]string{"proxy", "--port", "70000"}, "want 1 to 65535", "no such port"},
		{[]string{"ls", "--cert", "/none"}, "TLS to 127.0.0.1:2379: ", "half a pair"},
		{[]string{"ls", "--cacert", "/none"}, "(see --cacert, --cert and --key)", "no such file"},
		{[]string{"demo", "--drill", "no-such"}, "neither a built-in drill", "no such drill"},
		{[]string{"demo", "--drill", "testdata/turns.yaml"}, `"locktop drill run testdata/turns.yaml" runs it without`, "nobody to tell it to"},
		{[]string{"explain", "a", "b"}, "takes one argument at most", "an argument too many"},
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
