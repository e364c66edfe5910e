package cli

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"locktop/model"
)

// The manual page is written from the tree of commands, all of them on one page:
// cobra's generator makes a page of each command, and needs a Markdown converter.

func manCmd(e *env) *cobra.Command {
	return &cobra.Command{
		Use:     "man",
		Short:   "print the manual page, in roff",
		Example: "  locktop man | man -l -\n  locktop man > /usr/local/share/man/man1/locktop.1",
		Args:    noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if _, err := e.out.Write([]byte(manPage(cmd.Root(), e.shared, thisBuild()))); err != nil {
				return fmt.Errorf("writing: %w", err)
			}
			return nil
		},
	}
}

// manPage is the page of a program with all its commands. The shared flags are
// explained once.
func manPage(root *cobra.Command, shared *pflag.FlagSet, b build) string {
	root.InitDefaultHelpCmd()
	root.InitDefaultCompletionCmd()
	var p page
	day := ""
	if b.Time != nil {
		day, _, _ = strings.Cut(*b.Time, "T") // of the commit, so that a build repeats
	}
	p.macro("TH", strings.ToUpper(root.Name()), "1", day, root.Name()+" "+b.Version, "User Commands")
	p.macro("SH", "NAME")
	p.line(root.Name() + " - " + root.Short)
	p.macro("SH", "SYNOPSIS")
	p.bold(root.Name(), " [flags]")
	p.macro("br")
	p.bold(root.Name(), " COMMAND [flags] [argument]...")
	p.macro("SH", "DESCRIPTION")
	p.prose(root.Long)
	p.flagsOf(root)
	p.macro("SH", "COMMANDS")
	p.commands(root)
	p.macro("SH", "SHARED FLAGS")
	p.prose("A command takes those that are named with it, and refuses the others.")
	p.flags(shared)
	p.macro("SH", "ENVIRONMENT")
	p.prose("A flag that names a variable in square brackets is taken from it where the flag is not given; " +
		"they are etcdctl's. NO_COLOR switches colours off.")
	p.macro("SH", "EXIT STATUS")
	for _, r := range exitTable {
		var words []string
		for code, w := range r.words {
			if w != "" {
				words = append(words, fmt.Sprintf("%d: %s.", code, w))
			}
		}
		p.term(r.name(), strings.Join(words, " "))
	}
	p.prose(exitNotes)
	p.prose(unseenWords)
	p.macro("SH", "SEE ALSO")
	p.bold("etcdctl", "(1)")
	return p.String()
}

// unseenWords is how an answer says what it rests on.
const unseenWords = "In JSON, observed.blind lists what locktop lost sight of: what (keys with their prefix, leases with their number, " +
	"or lease lists), for how many seconds, and the reason. doctor then exits with 1 if it found an error, and with 2 if it did not. " +
	"ls and describe exit with 2 only for missing keys, because their output marks each lease that was not read. Leases that the " +
	"budget left unread are counted in observed.leases_unread: they end doctor with 2 only if others wait for their lock."

// page is roff in the making.
type page struct{ strings.Builder }

// macro writes a request with its arguments.
func (p *page) macro(name string, args ...string) {
	p.WriteString("." + name)
	for _, a := range args {
		p.WriteString(` "` + strings.ReplaceAll(roff(a), `"`, `\(dq`) + `"`)
	}
	p.WriteByte('\n')
}

// line writes a line of text that is no request, whatever it begins with.
func (p *page) line(text string) {
	text = roff(text)
	if strings.HasPrefix(text, ".") || strings.HasPrefix(text, "'") {
		text = `\&` + text
	}
	p.WriteString(text + "\n")
}

// bold writes a line whose first part is bold.
func (p *page) bold(strong, rest string) {
	p.WriteString(`\fB` + roff(strong) + `\fR` + roff(rest) + "\n")
}

// term writes a word in bold with its text below, indented.
func (p *page) term(word, text string) {
	p.macro("TP")
	p.bold(word, "")
	p.line(text)
}

// prose writes paragraphs. What is indented stays as it is.
func (p *page) prose(text string) {
	for i, paragraph := range strings.Split(strings.TrimRight(text, "\n"), "\n\n") {
		if i > 0 {
			p.macro("PP")
		}
		asIs := false
		for _, l := range strings.Split(paragraph, "\n") {
			if indented := strings.HasPrefix(l, " "); indented != asIs {
				asIs = indented
				p.macro(map[bool]string{true: "nf", false: "fi"}[asIs])
			}
			p.line(l)
		}
		if asIs {
			p.macro("fi")
		}
	}
}

// commands writes a section for each command that a person may use, and below it
// those of its own.
func (p *page) commands(of *cobra.Command) {
	for _, c := range of.Commands() {
		if !c.IsAvailableCommand() {
			continue
		}
		p.macro("SS", strings.TrimPrefix(c.UseLine(), c.Root().Name()+" "))
		p.prose(model.Capital(c.Short) + ".")
		if c.Long != "" && c.Long != c.Short {
			p.macro("PP")
			p.prose(c.Long)
		}
		p.flagsOf(c)
		if c.Example != "" {
			p.macro("PP")
			p.prose("Example:")
			p.macro("PP")
			p.prose(strings.TrimRight(c.Example, "\n"))
		}
		p.commands(c)
	}
}

// flagsOf writes the flags of a command, of the shared ones only the names.
func (p *page) flagsOf(c *cobra.Command) {
	p.flags(flagsOf(c, false))
	var names []string
	flagsOf(c, true).VisitAll(func(f *pflag.Flag) { names = append(names, "--"+f.Name) })
	if len(names) > 0 {
		p.macro("PP")
		p.line("Shared flags: " + strings.Join(names, ", ") + ".")
	}
}

// flags writes each flag with what it takes, what it means and its default.
func (p *page) flags(set *pflag.FlagSet) {
	set.VisitAll(func(f *pflag.Flag) {
		if f.Hidden || f.Name == "help" {
			return
		}
		name := "--" + f.Name
		if f.Shorthand != "" {
			name = "-" + f.Shorthand + ", " + name
		}
		kind, usage := pflag.UnquoteUsage(f)
		if kind != "" {
			kind = " " + kind
		}
		if !slices.Contains([]string{"", "false", "[]", "0", "0s"}, f.DefValue) && !perProcess(f) {
			usage += " (default " + f.DefValue + ")"
		}
		p.macro("TP")
		p.bold(name, kind)
		p.line(usage)
	})
}

// perProcess says that the default of a flag is another in every process.
func perProcess(f *pflag.Flag) bool { return strings.HasPrefix(f.DefValue, "pid-") }

// roff escapes what roff would take for its own. A plain hyphen would come out as
// one that no shell understands.
func roff(s string) string {
	return strings.NewReplacer(`\`, `\e`, "-", `\-`, "\t", "    ").Replace(s)
}
