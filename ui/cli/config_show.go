package cli

import (
	"cmp"
	"fmt"
	"io"
	"os"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"locktop/model"
	"locktop/ui/report"
)

// shownConfig is what "locktop config" prints, schema 1.
type shownConfig struct {
	Schema  int          `json:"schema"`
	Profile *string      `json:"profile"` // its name; null: none is used
	Paths   []shownPath  `json:"paths"`
	Values  []shownValue `json:"values"`
}

// shownPath is a place where the program reads or writes by itself.
type shownPath struct {
	Name    string `json:"name"`
	Path    string `json:"path"`
	Origin  string `json:"origin"`
	Present bool   `json:"present"`
}

// shownValue is a setting; its values are none where nothing says it.
type shownValue struct {
	Name   string   `json:"name"`
	Values []string `json:"values"`
	Origin string   `json:"origin"`
}

func configCmd(e *env) *cobra.Command {
	var output string
	cmd := &cobra.Command{
		Use:   "config",
		Short: "print every path and every value with its origin; secrets are masked",
		Long: "config prints where files are and which values a connection would use, each with the flag, variable\n" +
			"or profile line that it comes from. It opens no connection, looks up no name and asks for no\n" +
			"password. A flag wins over the environment, and the environment over a profile.\n" +
			"\n" +
			"Profiles are in profiles.yaml, by name; each may have\n" +
			wrapped(profileKeys(), 92) + "\n" +
			"with the meaning of the flags of these names. label and color are for the status line. read-only\n" +
			"forbids --armed and proxy. armed stands for --armed, for the endpoints of the profile alone.\n" +
			"prefixes and long are lists; recipes and expect have a line for each prefix. File names are\n" +
			"relative to the folder of profiles.yaml.",
		Example: "  locktop config --profile production\n  locktop config -o json | jq '.values[] | select(.origin != \"default\")'",
		Args:    noArgs,
		RunE: func(*cobra.Command, []string) error {
			c, err := e.shownConfig(e.shared)
			if err != nil {
				return err
			}
			if output == "json" {
				return report.WriteJSON(e.out, c, "  ")
			}
			return writeConfig(e.out, c)
		},
	}
	addOutput(cmd, &output, tableOrJSON, "table or json")
	return cmd
}

// wrapped is a list of words in lines of at most that width, each indented.
func wrapped(words []string, width int) string {
	var lines []string
	line := " "
	for _, w := range words {
		if len(line)+1+len(w) > width {
			lines, line = append(lines, line), " "
		}
		line += " " + w
	}
	return strings.Join(append(lines, line), "\n")
}

func (cfg *config) shownConfig(flags *pflag.FlagSet) (shownConfig, error) {
	c := shownConfig{Schema: 1, Paths: []shownPath{}}
	profiles, profilesFrom, err := profilesFile()
	if err != nil {
		return c, err
	}
	auditLog, auditLogFrom, err := auditLogFile()
	if err != nil {
		return c, err
	}
	for _, p := range []shownPath{{Name: "profiles", Path: profiles, Origin: profilesFrom},
		{Name: "audit log", Path: auditLog, Origin: auditLogFrom},
		{Name: "folders of labs", Path: os.TempDir(), Origin: saidBy("TMPDIR")}} {
		_, err := os.Stat(p.Path)
		p.Present = err == nil
		c.Paths = append(c.Paths, p)
	}
	if cfg.profile != nil {
		c.Profile = &cfg.profile.name
		c.Values = append(c.Values, shownValue{"profile", []string{cfg.profile.name}, cfg.shownOrigin("profile")})
		c.Values = append(c.Values, cfg.profile.shownValues()...)
	}
	for _, s := range settings {
		c.Values = append(c.Values, shownValue{s.flag, shownValues(flags.Lookup(s.flag)), cfg.shownOrigin(s.flag)})
	}
	return c, nil
}

// shownValues is what a profile says beside the flags.
func (p *profile) shownValues() []shownValue {
	var all []shownValue
	for _, v := range []shownValue{{Name: labelKey, Values: []string{p.label}}, {Name: colorKey, Values: []string{cmp.Or(p.color, "none")}}, {Name: readOnlyKey, Values: []string{fmt.Sprint(p.readOnly)}},
		{Name: armedKey, Values: []string{fmt.Sprint(p.armed)}}} {
		v.Origin = "default"
		if line := p.lines[v.Name]; line > 0 {
			v.Origin = fmt.Sprintf("%s:%d: %s", p.file, line, v.Name)
		}
		all = append(all, v)
	}
	return all
}

func (cfg *config) shownOrigin(flag string) string {
	if o := cfg.originOf(flag); o.rank > fromDefault {
		return o.name
	}
	return "default"
}

// shownValues are the values of a flag, masked where they are or may be secret.
func shownValues(f *pflag.Flag) []string {
	var values []string
	if many, ok := f.Value.(pflag.SliceValue); ok {
		values = append(values, many.GetSlice()...)
	} else if text := f.Value.String(); text != "" {
		values = []string{text}
	}
	for i, v := range values {
		switch f.Name {
		case "password":
			values[i] = hidden
		case "user":
			values[i] = shownUser(v)
		}
	}
	if values == nil {
		values = []string{}
	}
	return values
}

func writeConfig(w io.Writer, c shownConfig) error {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	row := func(name, value, origin string) {
		fmt.Fprintf(t, "%s\t%s\t%s\n", name, model.Printable(value), model.Printable(origin))
	}
	row("PATH", "VALUE", "ORIGIN")
	for _, p := range c.Paths {
		if !p.Present {
			p.Origin += " (not there)"
		}
		row(p.Name, p.Path, p.Origin)
	}
	row("", "", "")
	row("NAME", "VALUE", "ORIGIN")
	for _, v := range c.Values {
		value := strings.Join(v.Values, ", ")
		if value == "" {
			value = "-"
		}
		row(v.Name, value, v.Origin)
	}
	return t.Flush()
}
