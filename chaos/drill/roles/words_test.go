package roles

import (
	"slices"
	"strings"
	"testing"

	"locktop/chaos/drill"
	"locktop/model"
)

func TestRoles(t *testing.T) {
	for _, r := range []struct {
		text, role string
		want       []string
		fails      string
		reason     string
	}{
		{"./worker {lock}", "", []string{"./worker", "{lock}"}, "", "no role is all that are left"},
		{"a=./worker  x", "a", []string{"./worker", "x"}, "", "two blanks are one"},
		{`b=node -e "console.log('x y')" ''`, "b", []string{"node", "-e", "console.log('x y')", ""}, "", "quotes keep blanks, other quotes and nothing"},
		{`w --name=x\ y "a\"b\n" '\'`, "", []string{"w", "--name=x y", `a"b\n`, `\`}, "", "backslashes as a shell has them"},
		{"./a=b c", "", []string{"./a=b", "c"}, "", "a path is no role"},
		{"A=b c", "", nil, "set by env A=b COMMAND", "a variable is nothing that runs"},
		{"Ä=./w", "", nil, "neither a role", "nor is what was meant as a role"},
		{"sh -c 'echo $HOME | cat'", "", []string{"sh", "-c", "echo $HOME | cat"}, "", "a shell may be asked for"},
		{"w é\u2028ü", "", []string{"w", "é\u2028ü"}, "", "no other character is a blank"},
		{"a=", "", nil, "no command", "nothing to run"},
		{"", "", nil, "no command", "nothing at all"},
		{"w 'x", "", nil, "the quote ' does not end", "an open quote"},
		{`w x\`, "", nil, "backslash at the end", "an open backslash"},
		{"w | cat", "", nil, "'|' is for a shell", "a pipe wants a shell"},
		{"w $HOME", "", nil, "'$' is for a shell", "so does a variable"},
		{"w; rm x", "", nil, "';' is for a shell", "and a second command"},
	} {
		got, err := ParseRole(r.text)
		if r.fails != "" {
			if err == nil || !strings.Contains(err.Error(), r.fails) {
				t.Errorf("%s: %q: %v, want %q", r.reason, r.text, err, r.fails)
			}
			continue
		}
		if err != nil || got.Name != r.role || !slices.Equal(got.Command, r.want) {
			t.Errorf("%s: %q: %q %q, %v; want %q %q", r.reason, r.text, got.Name, got.Command, err, r.role, r.want)
		}
	}
}

// hears is what rules make of lines of standard output.
func hears(rules []drill.Rule, lines ...string) (states []model.BeliefState) {
	p := drill.Program{Rules: rules}
	for _, line := range lines {
		state, _ := p.Hear(drill.Stdout, []byte(line))
		states = append(states, state)
	}
	return states
}

func TestRules(t *testing.T) {
	r, err := ParseRules(`b=stdout:/got it, at last/=holding,/^(lost|released) \/app/=idle,/\d{2,}/=waiting`)
	if err != nil || r.Role != "b" {
		t.Fatalf("%+v, %v", r, err)
	}
	want := []model.BeliefState{"holding", "idle", "waiting", "", "holding"}
	if got := hears(r.Rules, "x got it, at last", "lost /app", "17", "1", "17 got it, at last"); !slices.Equal(got, want) {
		t.Errorf("%q, want %q: commas and slashes are of the expression, and the first that matches counts", got, want)
	}
	p := drill.Program{Rules: r.Rules}
	if state, ok := p.Hear(drill.Stderr, []byte("got it, at last")); ok {
		t.Errorf("standard error says %s, and nobody asked it", state)
	}
	all, err := ParseRulesFile([]byte("# what a worker says\n\nstdout:/path /a/=b, c/=holding\r\nb=stderr:/panic/=lost\n"))
	if err != nil || len(all) != 2 || all[1].Role != "b" || all[1].Rules[0].Stream != drill.Stderr {
		t.Fatalf("%+v, %v", all, err)
	}
	if got := hears(all[0].Rules, "path /a/=b, c", "path /a"); !slices.Equal(got, []model.BeliefState{"holding", ""}) {
		t.Errorf("%q: in a file nothing wants a backslash", got)
	}
	for _, bad := range []struct{ text, want, reason string }{
		{"", "want [ROLE=]stdout:", "nothing"},
		{"stdout:", "want [ROLE=]stdout:", "no rule"},
		{"stdin:/x/=holding", "want [ROLE=]stdout:", "no such stream"},
		{"stdout:/x/", "want /REGEX/=STATE", "no state"},
		{"stdout:/x/=happy", "want holding, waiting, idle, lost", "no such state"},
		{"stdout://=holding", "write /^/", "an expression that fits everything, as of a variable that is not set"},
		{"stdout:/(/=holding", "missing closing )", "no expression"},
		{"stdout:/x/=holding,", "nothing follows the last comma", "an open comma"},
		{"stdout:/x/=holding;/y/=idle", "want /REGEX/=STATE", "another separator"},
		{"stdout:/" + strings.Repeat("x", 5000) + "/=idle", "want 4096 at most", "an expression that nobody wrote"},
		{"stdout:/" + strings.Repeat(`\pL{900}`, 9) + "/=idle", "steps once its repetitions", "a short one that is long once it is written out"},
		{`stdout:/((a{100}){100}){100}/=idle`, "invalid repeat", "and one that is longer than memory"},
		{"stdout:" + strings.Repeat("/x/=idle,", 500) + "/y/=idle", "more than 500 rules", "too many"},
	} {
		if _, err := ParseRules(bad.text); err == nil || !strings.Contains(err.Error(), bad.want) {
			t.Errorf("%s: %v, want %q", bad.reason, err, bad.want)
		}
	}
	if all, err := ParseRulesFile([]byte(strings.Repeat("stdout:/a{1000}b/=idle\n", rulesMax))); err != nil || len(all) != rulesMax {
		t.Errorf("as many as there may be: %d, %v", len(all), err)
	}
	for _, bad := range []struct{ text, want string }{{strings.Repeat("stdout:/a{1000}/=idle\n", rulesMax+1), "line 501: more than 500 rules"}, {"", "no rule"}, {"# x\n", "no rule"}, {"stdout:/x/=holding\nx", "line 2: "}, {"stdout:/x/ = holding", "line 1: want"}} {
		if _, err := ParseRulesFile([]byte(bad.text)); err == nil || !strings.Contains(err.Error(), bad.want) {
			t.Errorf("%q: %v, want %q", bad.text, err, bad.want)
		}
	}
}

// TestProbes: a program may be asked at an address of this machine, and nowhere else.
func TestProbes(t *testing.T) {
	for _, r := range []struct{ text, role, want, reason string }{
		{"http://127.0.0.1:8080/lock", "", "", "an address"},
		{"b=http://[::1]:8080", "b", "", "of one role, without a path"},
		{"http://10.0.0.1:8080/", "", "only an address of loopback", "another machine"},
		{"http://localhost:8080/", "", "only an address of loopback", "a name may mean anything"},
		{"http://127.0.0.1/", "", "want http://127.0.0.1:PORT/PATH", "no port"},
		{"https://127.0.0.1:8080/", "", "want [ROLE=]stdout:", "no other scheme"},
		{"file:/run/a b,c=d.state", "", "", "a file of any name"},
		{"b=file:worker-{role}.state", "b", "", "of one role, with its name"},
		{"file:", "", "want file:PATH", "no name"},
		{"file:/run/", "", "want file:PATH", "a folder"},
		{"file:/run/\x00", "", "want file:PATH", "nothing that a file can be called"},
	} {
		got, err := ParseRules(r.text)
		if r.want != "" {
			if err == nil || !strings.Contains(err.Error(), r.want) {
				t.Errorf("%s: %v, want %q", r.reason, err, r.want)
			}
			continue
		}
		if err != nil || got.Role != r.role || !strings.HasSuffix(r.text, got.Probe) || got.Probe == "" {
			t.Errorf("%s: %+v, %v", r.reason, got, err)
		}
	}
	for _, r := range []struct {
		texts  []string
		want   string
		reason string
	}{
		{[]string{"http://127.0.0.1:1/", "answer:/leader/=holding"}, "", "a pattern on its answers"},
		{[]string{"a=http://127.0.0.1:1/", "b=http://127.0.0.1:2/", "answer:/leader/=holding"}, "", "one pattern for two addresses"},
		{[]string{"a=http://127.0.0.1:1/", "b=stdout:/leader/=holding"}, "", "each role in its own way"},
		{[]string{"file:/run/{role}", "answer:/leader/=holding"}, "", "a pattern on what files say"},
		{[]string{"a=file:/run/a", "b=http://127.0.0.1:2/", "answer:/leader/=holding"}, "", "one pattern for a file and an address"},
		{[]string{"file:/run/{role}", "stdout:/leader/=holding"}, "leave stdout and stderr out", "a file and the output"},
		{[]string{"answer:/leader/=holding"}, "none is named", "nothing is asked"},
		{[]string{"b=answer:/leader/=holding", "a=http://127.0.0.1:1/"}, "none is named", "another is asked"},
		{[]string{"http://127.0.0.1:1/", "stdout:/leader/=holding"}, "leave stdout and stderr out", "both"},
		{[]string{"http://127.0.0.1:1/", "a=stderr:/leader/=holding"}, "leave stdout and stderr out", "both, for one role"},
	} {
		var all []Rules
		for _, text := range r.texts {
			one, err := ParseRules(text)
			if err != nil {
				t.Fatal(err)
			}
			all = append(all, one)
		}
		if err := Agree(all); (err == nil) != (r.want == "") || err != nil && !strings.Contains(err.Error(), r.want) {
			t.Errorf("%s: %v, want %q", r.reason, err, r.want)
		}
	}
}
