package cli

import (
	"strings"
	"testing"

	"github.com/spf13/pflag"
)

func TestTheManualHasEveryCommandAndFlag(t *testing.T) {
	e := &env{}
	root := e.rootCmd()
	page := strings.ReplaceAll(manPage(root, e.shared, build{Version: "v1"}), `\-`, "-")
	for _, c := range commandTree(root) {
		path := strings.TrimPrefix(strings.TrimPrefix(c.CommandPath(), "locktop"), " ")
		if !c.IsAvailableCommand() || path == "" {
			continue
		}
		if c.Name() == "help" {
			continue
		}
		_, section, ok := strings.Cut(page, ".SS \""+path)
		if !ok {
			t.Errorf("%q has no section", path)
			continue
		}
		section, _, _ = strings.Cut(section, "\n.S")
		c.LocalNonPersistentFlags().VisitAll(func(f *pflag.Flag) {
			text, want := section, "--"+f.Name+`\fR`
			if isShared(f) {
				_, text, _ = strings.Cut(section, "Shared flags: ")
				text, want = strings.NewReplacer(",", "\n", ".", "\n").Replace(text), "--"+f.Name+"\n"
			}
			if !f.Hidden && f.Name != "help" && !strings.Contains(text, want) {
				t.Errorf("%q says nothing of --%s", path, f.Name)
			}
		})
	}
	e.shared.VisitAll(func(f *pflag.Flag) {
		if !strings.Contains(page, "--"+f.Name+`\fR`) {
			t.Errorf("nothing of --%s", f.Name)
		}
	})
	if strings.Contains(page, memberCommand) {
		t.Error("a hidden command is shown")
	}
}

func TestTheManualIsTheSameEveryTime(t *testing.T) {
	when := "2026-03-01T10:00:00Z"
	page := func() string {
		e := &env{}
		return manPage(e.rootCmd(), e.shared, build{Version: "v1", Time: &when})
	}
	first := page()
	if second := page(); first != second {
		t.Error("two pages differ")
	}
	if want := `.TH "LOCKTOP" "1" "2026\-03\-01" "locktop v1" "User Commands"`; !strings.HasPrefix(first, want) {
		t.Errorf("it begins with %.80q, want %q", first, want)
	}
	if strings.Contains(first, "pid-") {
		t.Error("the default of --name depends on the process")
	}
}

func TestRoffIsEscaped(t *testing.T) {
	for _, r := range []struct{ text, want, reason string }{
		{".SH evil", `\&.SH evil` + "\n", "a dot begins a request"},
		{"'quoted'", `\&'quoted'` + "\n", "so does a quote"},
		{`a\fBb`, `a\efBb` + "\n", "a backslash begins an escape"},
		{"--flag", `\-\-flag` + "\n", "a hyphen would be typeset as another character"},
	} {
		var p page
		if p.line(r.text); p.String() != r.want {
			t.Errorf("%s: %q, want %q", r.reason, p.String(), r.want)
		}
	}
	var p page
	if p.macro("SH", `say "hi"`); p.String() != `.SH "say \(dqhi\(dq"`+"\n" {
		t.Errorf("%q: want the quotes of an argument escaped", p.String())
	}
}
