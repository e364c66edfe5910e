package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/spf13/pflag"
	"go.yaml.in/yaml/v3"

	"locktop/chaos/drill"
	"locktop/ui"
)

// profile is what a profile says, by the flags that it stands for.
type profile struct {
	name, file      string
	values          map[string][]string
	lines           map[string]int // of the file, by flag, and of the words below
	label           string         // the name if there is none
	color           string         // of the label, "" for none
	readOnly, armed bool
}

// Words of a profile that are no flags.
const (
	labelKey    = "label"
	colorKey    = "color"
	readOnlyKey = "read-only"
	armedKey    = "armed"
)

// profilesFile is where the profiles are, and what says so.
func profilesFile() (file, origin string, err error) {
	dir, err := os.UserConfigDir()
	if err != nil {
		return "", "", fmt.Errorf("no place for profiles: %w", err)
	}
	return filepath.Join(dir, "locktop", "profiles.yaml"), saidBy("XDG_CONFIG_HOME"), nil
}

// saidBy is the origin of what a variable says if it is set.
func saidBy(variable string) string {
	if os.Getenv(variable) == "" {
		return "default"
	}
	return variable
}

// openProfile reads the profile that --profile or LOCKTOP_PROFILE names, if any.
func (cfg *config) openProfile(ctx context.Context, flags *pflag.FlagSet, warn io.Writer) error {
	cfg.noteFlag(flags, "profile")
	if name := os.Getenv("LOCKTOP_PROFILE"); name != "" && cfg.originOf("profile").rank < fromFlag {
		cfg.flags.profile, cfg.origins["profile"] = name, origin{fromVariable, "LOCKTOP_PROFILE"}
	}
	if cfg.flags.profile == "" {
		return nil
	}
	file, _, err := profilesFile()
	if err != nil {
		return badInput{err}
	}
	all, err := readProfiles(ctx, file)
	if errors.Is(err, fs.ErrNotExist) {
		return bad("%s %q: there is no file of profiles, %s", cfg.originOf("profile").name, cfg.flags.profile, file)
	} else if err != nil {
		return badInput{err}
	}
	if cfg.profile = all[cfg.flags.profile]; cfg.profile == nil {
		return bad("%s %q: %s has no such profile (there are: %s)", cfg.originOf("profile").name, cfg.flags.profile, file,
			cmp.Or(strings.Join(slices.Sorted(maps.Keys(all)), ", "), "none"))
	}
	if cfg.profile.values["password"] != nil {
		warnIfOpen(warn, "password", file)
	}
	return nil
}

// readProfiles reads a file of profiles. Errors name file and line, and show no value.
func readProfiles(ctx context.Context, file string) (map[string]*profile, error) {
	text, err := readInput(ctx, file, fileMax)
	if err != nil {
		return nil, fmt.Errorf("reading the profiles: %w", err)
	}
	var doc yaml.Node
	if err := yaml.Unmarshal(text, &doc); err != nil {
		return nil, yamlError(file, err)
	}
	r := &profileReader{file: file}
	all := map[string]*profile{}
	if len(doc.Content) == 0 {
		return all, nil
	}
	if line := drill.SecondDocument(text); line > 0 {
		return nil, fmt.Errorf("%s:%d: a second document begins here, and would be skipped: put all profiles into one", file, line)
	}
	err = r.eachKey(doc.Content[0], func(name, n *yaml.Node) error {
		p, err := r.profile(name.Value, n)
		all[name.Value] = p
		return err
	})
	return all, err
}

// yamlError is an error of YAML itself. What it says after an unknown anchor may be a
// password that begins with an asterisk.
func yamlError(file string, err error) error {
	text := strings.TrimPrefix(err.Error(), "yaml: ")
	if m := regexp.MustCompile(`^line (\d+): (.*)`).FindStringSubmatch(text); m != nil {
		file, text = file+":"+m[1], m[2]
	}
	if strings.Contains(text, "anchor") || strings.Contains(text, "tag") {
		text = "text that begins with * or & or ! goes in quotes"
	}
	return fmt.Errorf("%s: %s", file, text)
}

// profileReader walks through the nodes of a file.
type profileReader struct{ file string }

func (r *profileReader) wrong(n *yaml.Node, format string, args ...any) error {
	return fmt.Errorf("%s:%d: %s", r.file, n.Line, fmt.Sprintf(format, args...))
}

// eachKey calls f for every entry of a mapping, whose keys are text and stand there once.
func (r *profileReader) eachKey(n *yaml.Node, f func(key, value *yaml.Node) error) error {
	if n.Kind != yaml.MappingNode {
		return r.wrong(n, "want names with a colon behind them here")
	}
	seen := map[string]bool{}
	for i := 0; i < len(n.Content); i += 2 {
		key := n.Content[i]
		if key.Kind != yaml.ScalarNode || seen[key.Value] {
			return r.wrong(key, "want a name that does not stand there already")
		}
		seen[key.Value] = true
		if err := f(key, n.Content[i+1]); err != nil {
			return err
		}
	}
	return nil
}

func (r *profileReader) profile(name string, n *yaml.Node) (*profile, error) {
	p := &profile{name: name, file: r.file, label: name, values: map[string][]string{}, lines: map[string]int{}}
	err := r.eachKey(n, func(key, value *yaml.Node) error { return r.entry(p, key, value) })
	switch {
	case err != nil:
	case p.armed && p.readOnly:
		err = r.wrong(n, "profile %q is read-only and armed: want one of the two", name)
	case p.armed && p.values["endpoints"] == nil && p.values["discovery-srv"] == nil:
		err = r.wrong(n, "profile %q is armed and names no endpoints: it would arm every cluster", name)
	case p.values["password"] != nil && p.values["password-file"] != nil:
		err = r.wrong(n, "profile %q has a password and a password-file: want one of the two", name)
	}
	return p, err
}

// entry reads one line of a profile.
func (r *profileReader) entry(p *profile, key, value *yaml.Node) (err error) {
	i := slices.IndexFunc(settings, func(s setting) bool { return s.key == key.Value })
	switch {
	case key.Value == labelKey:
		p.label, err = r.text(key, value)
	case key.Value == colorKey:
		if p.color, err = r.text(key, value); err == nil && !slices.Contains(ui.LabelColors, p.color) {
			err = r.wrong(key, "color %q: want one of %s", p.color, strings.Join(ui.LabelColors, ", "))
		}
	case key.Value == readOnlyKey:
		p.readOnly, err = r.yes(key, value)
	case key.Value == armedKey:
		p.armed, err = r.yes(key, value)
	case i < 0 || key.Value == "":
		return r.wrong(key, "a profile has no %q (it may have: %s)", key.Value, strings.Join(profileKeys(), ", "))
	default:
		s := settings[i]
		p.lines[s.flag] = key.Line
		p.values[s.flag], err = r.values(s, key, value)
		return err
	}
	p.lines[key.Value] = key.Line
	return err
}

// profileKeys are the words that a profile may have.
func profileKeys() []string {
	keys := []string{labelKey, colorKey, readOnlyKey, armedKey}
	for _, s := range settings {
		if s.key != "" {
			keys = append(keys, s.key)
		}
	}
	slices.Sort(keys)
	return keys
}

func (r *profileReader) values(s setting, key, n *yaml.Node) (all []string, err error) {
	add := func(n *yaml.Node) error {
		v, err := r.text(key, n)
		all = append(all, v)
		return err
	}
	switch {
	case s.kind == aTable:
		err = r.eachKey(n, func(name, value *yaml.Node) error {
			v, err := r.text(name, value)
			all = append(all, name.Value+"="+v)
			return err
		})
	case s.kind == aList && n.Kind == yaml.SequenceNode:
		for _, item := range n.Content {
			if err := add(item); err != nil {
				return nil, err
			}
		}
		if len(all) == 0 {
			err = r.wrong(key, "%s: want one at least", key.Value)
		}
	default:
		err = add(n)
	}
	if s.kind == aPath && err == nil {
		all[0] = r.resolve(all[0])
	}
	return all, err
}

// resolve is a path as seen from the folder of the file; ~/ is the person's.
func (r *profileReader) resolve(name string) string {
	if rest, ok := strings.CutPrefix(name, "~/"); ok {
		if home, err := os.UserHomeDir(); err == nil {
			return filepath.Join(home, rest)
		}
	}
	if filepath.IsAbs(name) {
		return name
	}
	return filepath.Join(filepath.Dir(r.file), name)
}

// text is a value as it is written: a password of digits is no number.
func (r *profileReader) text(key, n *yaml.Node) (string, error) {
	if n.Kind != yaml.ScalarNode || n.ShortTag() == "!!null" || n.Value == "" {
		return "", r.wrong(key, "%s: want a text", key.Value)
	}
	return n.Value, nil
}

func (r *profileReader) yes(key, n *yaml.Node) (b bool, err error) {
	if n.Kind != yaml.ScalarNode || n.Decode(&b) != nil {
		return false, r.wrong(key, "%s: want true or false", key.Value)
	}
	return b, nil
}
