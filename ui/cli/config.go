package cli

import (
	"fmt"
	"io"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"locktop/model"
	"locktop/model/recipe"
	"locktop/model/text"
)

// config is what the flags, the environment and a profile say, and which of them said it.
type config struct {
	flags    connFlags
	screen   lookFlags
	recipes  []string // --recipe and --expect, as given
	expect   []string
	long     []string // --long, prefixes
	warnWait time.Duration
	pins     []model.Pin    // and as understood
	lang     string         // "": the one that the locale names
	shared   *pflag.FlagSet // the flags that several commands take
	origins  map[string]origin
	profile  *profile // nil for none
}

// connFlags are the connection flags, named and defaulted as etcdctl's.
type connFlags struct {
	endpoints         []string
	discovery         discovery
	prefixes          []string // as etcd has them, once resolved
	namespace         string
	tls               tlsFlags
	insecureTransport bool
	dialTimeout       time.Duration
	commandTimeout    time.Duration
	keepaliveTime     time.Duration
	keepaliveTimeout  time.Duration
	leaseBudget       int
	profile           string
	user              string // as given, perhaps with a password behind a colon
	password          string
	passwordFile      string
}

// lookFlags say what the console looks like.
type lookFlags struct {
	ascii, wideSigns bool
	color            string
	theme            string
}

// setting is one value that a flag, the environment or a profile can give, in that
// order.
type setting struct {
	flag string // of several commands
	env  string // variable
	key  string // in a profile, "" if it cannot stand there
	kind kind
	own  bool // it is not about a cluster: labs and lists have it, too
}

// kind is how a value is written in a profile and in a variable.
type kind uint8

const (
	aWord  kind = iota // one value
	aPath              // a file; in a profile relative to its folder
	aList              // some, in a variable with commas between them
	aTable             // the same as NAME=VALUE, in a profile a mapping
)

// settings are etcdctl's, under its names, and our own.
var settings = []setting{
	{flag: "endpoints", env: "ETCDCTL_ENDPOINTS", key: "endpoints", kind: aList},
	{flag: "discovery-srv", env: "ETCDCTL_DISCOVERY_SRV", key: "discovery-srv"},
	{flag: "discovery-srv-name", env: "ETCDCTL_DISCOVERY_SRV_NAME", key: "discovery-srv-name"},
	{flag: "insecure-discovery", env: "ETCDCTL_INSECURE_DISCOVERY", key: "insecure-discovery"},
	{flag: "insecure-transport", env: "ETCDCTL_INSECURE_TRANSPORT", key: "insecure-transport"},
	{flag: "cacert", env: "ETCDCTL_CACERT", key: "cacert", kind: aPath},
	{flag: "cert", env: "ETCDCTL_CERT", key: "cert", kind: aPath},
	{flag: "key", env: "ETCDCTL_KEY", key: "key", kind: aPath},
	{flag: "insecure-skip-tls-verify", env: "ETCDCTL_INSECURE_SKIP_TLS_VERIFY", key: "insecure-skip-tls-verify"},
	{flag: "user", env: "ETCDCTL_USER", key: "user"},
	{flag: "password", env: "ETCDCTL_PASSWORD", key: "password"},
	{flag: "password-file", env: "LOCKTOP_PASSWORD_FILE", key: "password-file", kind: aPath},
	{flag: "dial-timeout", env: "ETCDCTL_DIAL_TIMEOUT", key: "dial-timeout"},
	{flag: "command-timeout", env: "ETCDCTL_COMMAND_TIMEOUT", key: "command-timeout"},
	{flag: "keepalive-time", env: "ETCDCTL_KEEPALIVE_TIME", key: "keepalive-time"},
	{flag: "keepalive-timeout", env: "ETCDCTL_KEEPALIVE_TIMEOUT", key: "keepalive-timeout"},
	{flag: "namespace", env: "LOCKTOP_NAMESPACE", key: "namespace"},
	{flag: "prefix", env: "LOCKTOP_PREFIX", key: "prefixes", kind: aList},
	{flag: "recipe", env: "LOCKTOP_RECIPE", key: "recipes", kind: aTable},
	{flag: "expect", env: "LOCKTOP_EXPECT", key: "expect", kind: aTable},
	{flag: "long", env: "LOCKTOP_LONG", key: "long", kind: aList},
	{flag: "warn-wait", env: "LOCKTOP_WARN_WAIT", key: "warn-wait", own: true},
	{flag: "lease-budget", env: "LOCKTOP_LEASE_BUDGET", key: "lease-budget", own: true},
	{flag: "ascii", env: "LOCKTOP_ASCII", own: true},
	{flag: "wide-signs", env: "LOCKTOP_WIDE_SIGNS", own: true},
	{flag: "color", env: "LOCKTOP_COLOR", own: true},
	{flag: "theme", env: "LOCKTOP_THEME", own: true},
	{flag: "lang", env: "LOCKTOP_LANG", own: true},
}

// origin is where a value comes from. The greater rank wins.
type origin struct {
	rank rank
	name string // what the person wrote it as: "--user", "ETCDCTL_USER", "FILE:LINE: user"
}

type rank uint8

const (
	fromDefault rank = iota
	fromProfile
	fromVariable
	fromFlag
)

// originOf says where a setting comes from.
func (cfg *config) originOf(flag string) origin {
	if o, ok := cfg.origins[flag]; ok {
		return o
	}
	return origin{fromDefault, "--" + flag}
}

// resolve fills the flags that the command takes and that were not given from the
// environment and from the profile, and checks them all. What the environment or a
// profile says of a cluster is not for a command that goes to none: a lab is its own.
// A setting that is unwise, and no error, is written to warn.
func (cfg *config) resolve(cmd *cobra.Command, warn io.Writer) error {
	cluster, flags := onCluster(cmd), cfg.shared
	cfg.origins = map[string]origin{}
	if cluster {
		if err := cfg.openProfile(cmd.Context(), flags, warn); err != nil {
			return err
		}
	}
	for _, s := range settings {
		if !understands(cmd, s.flag) {
			continue
		}
		if !cluster && !s.own {
			cfg.noteFlag(flags, s.flag)
			continue
		}
		if err := cfg.fill(flags, s); err != nil {
			return err
		}
	}
	if err := cfg.check(); err != nil {
		return err
	}
	if !cluster {
		return nil
	}
	cfg.enterNamespace()
	return cfg.arm(cmd)
}

func (cfg *config) noteFlag(flags *pflag.FlagSet, name string) bool {
	if f := flags.Lookup(name); f == nil || !f.Changed {
		return false
	}
	cfg.origins[name] = origin{fromFlag, "--" + name}
	return true
}

// fill sets one flag from where it is said best.
func (cfg *config) fill(flags *pflag.FlagSet, s setting) error {
	if cfg.noteFlag(flags, s.flag) {
		return nil
	}
	value := flags.Lookup(s.flag).Value
	if text := os.Getenv(s.env); text != "" {
		cfg.origins[s.flag] = origin{fromVariable, s.env}
		values := []string{text}
		if s.kind == aList || s.kind == aTable {
			values = strings.Split(text, ",")
		}
		return set(value, values, s.env)
	}
	if cfg.profile == nil || cfg.profile.values[s.flag] == nil {
		return nil
	}
	at := fmt.Sprintf("%s:%d: %s", cfg.profile.file, cfg.profile.lines[s.flag], s.key)
	cfg.origins[s.flag] = origin{fromProfile, at}
	return set(value, cfg.profile.values[s.flag], at)
}

// set sets a flag. The error names where the values are from; text is never refused,
// so that it cannot show a secret.
func set(flag pflag.Value, values []string, name string) error {
	for _, v := range values {
		if err := flag.Set(v); err != nil {
			return bad("%s %q: %v", name, shownOf(v, values), err)
		}
	}
	return nil
}

// check looks at what the flags are now.
func (cfg *config) check() error {
	f := &cfg.flags
	for flag, d := range map[string]int64{"dial-timeout": int64(f.dialTimeout), "command-timeout": int64(f.commandTimeout),
		"keepalive-time": int64(f.keepaliveTime), "keepalive-timeout": int64(f.keepaliveTimeout)} {
		if d <= 0 {
			return bad("%s: a timeout must be longer than 0", cfg.originOf(flag).name)
		}
	}
	if err := inRange(cfg.originOf("lease-budget").name, f.leaseBudget, 1, 10_000, " readings per second"); err != nil {
		return err
	}
	switch {
	case f.user == "" && max(cfg.originOf("password").rank, cfg.originOf("password-file").rank) == fromFlag:
		return bad("--password or --password-file without --user: whose is it?")
	case len(f.endpoints) == 0:
		return bad("%s names no endpoint", cfg.originOf("endpoints").name)
	}
	if all := text.Languages(); cfg.lang != "" && !slices.Contains(all, cfg.lang) {
		return bad("%s %q: want %s", cfg.originOf("lang").name, cfg.lang, strings.Join(all, " or "))
	}
	if cfg.lang == text.Chinese && cfg.screen.ascii {
		return bad("%s cannot draw Chinese (%s): leave one of them out", cfg.originOf("ascii").name, cfg.originOf("lang").name)
	}
	f.tls.always = !f.insecureTransport
	for _, p := range f.endpoints {
		if _, err := hostPort(p); err != nil {
			return bad("%s %q: %v", cfg.originOf("endpoints").name, shownOf(p, f.endpoints), err)
		}
	}
	return cfg.parsePins()
}

// parsePins reads what the person says of the keys under a prefix, which may be written as it is printed.
func (cfg *config) parsePins() error {
	for _, r := range cfg.recipes {
		prefix, name, ok := model.CutLast(r, "=")
		prefix, exact := strings.CutSuffix(prefix, "=")
		named := recipe.Named(name)
		if named != nil && named.Nameless() {
			return bad("%s %q: how many may hold at a time? %s:2, for example", cfg.originOf("recipe").name, r, name)
		}
		if !ok || named == nil {
			return bad("%s %q: want PREFIX=NAME, or KEY==NAME for one key alone, with the name of a recipe (\"locktop explain\" lists them)", cfg.originOf("recipe").name, r)
		}
		for _, prefix := range spellings(prefix) {
			cfg.pins = append(cfg.pins, model.Pin{Prefix: prefix, Exact: exact, Recipe: named})
		}
	}
	for _, x := range cfg.expect {
		prefix, number, ok := model.CutLast(x, "=")
		n, err := strconv.Atoi(number)
		if !ok || err != nil || n < 1 {
			return bad("%s %q: want PREFIX=N, the number of contenders that each lock there should have", cfg.originOf("expect").name, x)
		}
		cfg.pins = append(cfg.pins, model.Pin{Prefix: model.Unescape(prefix), Expect: n}) // another spelling would be missed
	}
	for _, prefix := range spelled(cfg.long) {
		cfg.pins = append(cfg.pins, model.Pin{Prefix: prefix, Long: true})
	}
	if cfg.warnWait < 0 {
		return bad("%s: want a duration above 0", cfg.originOf("warn-wait").name)
	}
	if cfg.warnWait > 0 {
		cfg.pins = append(cfg.pins, model.Pin{Wait: cfg.warnWait})
	}
	return nil
}

// enterNamespace puts the namespace before every prefix. Keys are shown whole all the
// same: etcdctl, whose lines are shown for every action, knows no namespace.
func (cfg *config) enterNamespace() {
	cfg.flags.prefixes = spelled(cfg.flags.prefixes)
	if cfg.flags.namespace == "" {
		return
	}
	for i, p := range cfg.flags.prefixes {
		cfg.flags.prefixes[i] = cfg.inNamespace(p)
	}
	if len(cfg.flags.prefixes) == 0 {
		cfg.flags.prefixes = []string{cfg.flags.namespace}
	}
	for i := range cfg.pins {
		cfg.pins[i].Prefix = cfg.inNamespace(cfg.pins[i].Prefix)
	}
}

// inNamespace is a name as etcd has it. One that is whole already, as every command
// prints it, stays.
func (cfg *config) inNamespace(name string) string {
	if strings.HasPrefix(name, cfg.flags.namespace) {
		return name
	}
	return cfg.flags.namespace + name
}

// arm does what the profile says of writing: it may allow it, for its own cluster, or
// rule it out.
func (cfg *config) arm(cmd *cobra.Command) error {
	f := cmd.Flags().Lookup("armed")
	if f == nil || cfg.profile == nil {
		return nil
	}
	switch {
	case cfg.profile.readOnly && cmd.Name() == "proxy": // the programs behind it write
		return bad("proxy is refused: profile %q is read-only (%s:%d)", cfg.profile.name, cfg.profile.file, cfg.profile.lines["read-only"])
	case cfg.profile.readOnly && f.Value.String() == "true":
		return bad("--armed is refused: profile %q is read-only (%s:%d)", cfg.profile.name, cfg.profile.file, cfg.profile.lines["read-only"])
	case cfg.profile.armed && !f.Changed && cfg.profileCluster():
		return f.Value.Set("true")
	}
	return nil
}

// profileCluster says whether the cluster is the one that the profile names. The
// environment and the flags may name another.
func (cfg *config) profileCluster() bool {
	return cfg.profile != nil && max(cfg.originOf("endpoints").rank, cfg.originOf("discovery-srv").rank) == fromProfile
}

// label names the cluster in the status line.
func (cfg *config) label() string {
	if cfg.profileCluster() {
		return cfg.profile.label
	}
	return strings.Join(cfg.flags.endpoints, ",")
}

// labelColor is the colour of the label, of its own cluster as well.
func (cfg *config) labelColor() string {
	if cfg.profileCluster() {
		return cfg.profile.color
	}
	return ""
}
