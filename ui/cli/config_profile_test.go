package cli

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestProfilesThatAreWrongAreNamedByLine(t *testing.T) {
	const secret = "hunter2sEcReT"
	rows := []struct {
		text, want, reason string
	}{
		{"p:\n  endpoint: [a:1]\n", ":2: a profile has no \"endpoint\" (it may have: armed, cacert, ", "a word that is not there"},
		{"p:\n  endpoints: []\n", ":2: endpoints: want one at least", "nothing to connect to"},
		{"p:\n  endpoints: [nonsense]\n", ":2: endpoints \"nonsense\": want host:port", "checked like a flag"},
		{"p:\n  dial-timeout: soon\n", ":2: dial-timeout \"soon\": ", "no duration"},
		{"p:\n  read-only: perhaps\n", ":2: read-only: want true or false", "no yes or no"},
		{"p:\n  armed: true\n", ":2: profile \"p\" is armed and names no endpoints", "it would arm whatever comes"},
		{"p:\n  armed: true\n  read-only: true\n  endpoints: a:1\n", ":2: profile \"p\" is read-only and armed", "it cannot be both"},
		{"p:\n  label: a\n  label: b\n", ":3: want a name that does not stand there already", "twice"},
		{"p:\n  color: pink\n", ":2: color \"pink\": want one of red, yellow, green, cyan", "no such colour"},
		{"p:\n  label: a\n---\nq:\n  read-only: true\n", ":4: a second document begins here, and would be skipped", "what it says would not hold"},
		{"p: [a, b]\n", ":1: want names with a colon", "no mapping"},
		{"p:\n  recipes: {/a/: magic}\n", ":2: recipes \"/a/=magic\": want PREFIX=NAME", "no such recipe"},
		{"p:\n  recipes: {/a/: semaphore}\n", ":2: recipes \"/a/=semaphore\": how many may hold at a time?", "a semaphore has permits"},
		{"p:\n  recipes: {/a/: \"semaphore:0\"}\n", ":2: recipes \"/a/=semaphore:0\": want PREFIX=NAME", "at least one"},
		{"p:\n  user: u\n  password:\n    " + secret + ": x\n", ":3: password: want a text", "a secret is not shown"},
		{"p:\n  user: u\n  password: *" + secret + "\n", "goes in quotes", "not even one that looks like an alias"},
		{"p:\n  user: u\n  password: !" + secret + "\n", ":3: password: want a text", "or like a tag"},
		{"p:\n  user: u\n  password: \"" + secret + "\n", "profiles.yaml", "nor by YAML itself"},
		{"p:\n  user: u\n  password: a\n  password-file: b\n", ":2: profile \"p\" has a password and a password-file", "which?"},
		{"q:\n  label: a\nr: {}\n", "has no such profile (there are: q, r)", "another name"},
		{"# none yet\n", "has no such profile (there are: none)", "no profile at all"},
		{"", "there is no file of profiles", "no file"},
	}
	for _, r := range rows {
		t.Run(r.reason, func(t *testing.T) {
			home(t, r.text)
			code, out, errs := run(t, "ls", "--profile", "p")
			if code != exitBad || !strings.Contains(errs, r.want) || out != "" || strings.Count(errs, "\n") != 1 {
				t.Errorf("exit %d: %s, want %q", code, errs, r.want)
			}
			if !strings.Contains(errs, "profiles.yaml") || strings.Contains(errs, secret) {
				t.Errorf("want the file, and no secret: %s", errs)
			}
		})
	}
}

func TestProfileArmsItsOwnClusterAlone(t *testing.T) {
	const profiles = "safe: {endpoints: '127.0.0.1:1', read-only: true}\nopen: {endpoints: '127.0.0.1:1', armed: true}\nplain: {endpoints: '127.0.0.1:1'}\n"
	const refused, allowed = "add --armed to confirm", "no endpoint answers"
	rows := []struct {
		args   []string
		env    string
		want   string
		reason string
	}{
		{[]string{"break", "/l", "--profile", "plain"}, "", refused, "a profile alone does not arm"},
		{[]string{"break", "/l", "--profile", "open"}, "", allowed, "one that arms does"},
		{[]string{"break", "/l", "--profile", "open", "--armed=false"}, "", refused, "unless a flag says no"},
		{[]string{"break", "/l", "--profile", "open", "--endpoints", "127.0.0.1:2"}, "", refused, "not another cluster of the flags"},
		{[]string{"break", "/l", "--profile", "open"}, "127.0.0.1:2", refused, "nor of the environment"},
		{[]string{"break", "/l", "--profile", "safe", "--armed"}, "", `--armed is refused: profile "safe" is read-only`, "read-only is for ever"},
		{[]string{"break", "/l", "--profile", "safe", "--armed"}, "127.0.0.1:2", "--armed is refused", "for every cluster"},
		{[]string{"--profile", "safe", "--armed"}, "", "--armed is refused", "in the console, too"},
		{[]string{"contend", "/l", "--profile", "safe", "--armed"}, "", "--armed is refused", "and for who writes most"},
		{[]string{"proxy", "--profile", "safe"}, "", `proxy is refused: profile "safe" is read-only`, "the programs behind a proxy write"},
		{[]string{"proxy", "--profile", "safe", "--armed", "--", "true"}, "127.0.0.1:2", `proxy is refused: profile "safe" is read-only`, "wherever they would"},
		{[]string{"proxy", "--profile", "plain"}, "", allowed, "a profile that does not say so does not rule it out"},
		{[]string{"break", "/l", "--profile", "safe", "--dry-run"}, "", allowed, "what does not write is not refused"},
	}
	for _, r := range rows {
		t.Run(r.reason, func(t *testing.T) {
			home(t, profiles)
			t.Setenv("ETCDCTL_ENDPOINTS", r.env)
			code, _, errs := run(t, append(r.args, "--dial-timeout", "10s")...)
			if code != exitBad || !strings.Contains(errs, r.want) || strings.Count(errs, "\n") != 1 {
				t.Errorf("exit %d: %s", code, errs)
			}
		})
	}
}

func TestALabelIsForItsOwnCluster(t *testing.T) {
	home(t, "")
	e := &config{flags: connFlags{endpoints: []string{"a:1"}}, profile: &profile{label: "PRODUCTION"},
		origins: map[string]origin{"endpoints": {fromProfile, ""}}}
	if e.label() != "PRODUCTION" {
		t.Errorf("got %q", e.label())
	}
	e.origins["endpoints"] = origin{fromVariable, "ETCDCTL_ENDPOINTS"}
	if e.label() != "a:1" {
		t.Errorf("got %q for another cluster", e.label())
	}
}

func TestAProfileWithAPasswordThatAllCanRead(t *testing.T) {
	dir := home(t, "p: {user: u, password: x, endpoints: '127.0.0.1:1'}\n")
	if err := os.Chmod(filepath.Join(dir, "config/locktop/profiles.yaml"), 0o644); err != nil {
		t.Fatal(err)
	}
	if _, _, errs := run(t, "config", "--profile", "p"); !strings.Contains(errs, "warning: everybody on this machine can read the password in") {
		t.Errorf("said %q", errs)
	}
}
