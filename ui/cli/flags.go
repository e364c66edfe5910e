package cli

import (
	"errors"
	"slices"
	"strings"
	"time"

	"locktop/ui/draw"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// Groups of the shared flags.
var (
	// toCluster are those of a connection.
	toCluster = []string{"endpoints", "discovery-srv", "discovery-srv-name", "insecure-discovery", "insecure-transport", "cacert", "cert",
		"key", "insecure-skip-tls-verify", "user", "password", "password-file", "dial-timeout", "command-timeout", "keepalive-time",
		"keepalive-timeout", "namespace", "profile"}
	// toNamed are those of a connection to endpoints that are named, but for flags without a
	// value, which cannot stand before a command of a command.
	toNamed = slices.DeleteFunc(slices.Clone(toCluster), func(flag string) bool {
		return flag == "namespace" || strings.Contains(flag, "discovery") || strings.HasPrefix(flag, "insecure-")
	})
	onScreen = []string{"ascii", "wide-signs", "color", "theme", "lang"}
	// aLook are those of a look at locks.
	aLook = slices.Concat(toCluster, []string{"prefix", "recipe", "expect", "long", "warn-wait", "lease-budget"})
)

// takes are the shared flags that each command understands, by its path. Any other is
// refused: a flag that is silently ignored would be believed to have been obeyed.
var takes = map[string][]string{
	"locktop":           slices.Concat(aLook, onScreen),
	"locktop ls":        aLook,
	"locktop describe":  aLook,
	"locktop doctor":    aLook,
	"locktop events":    aLook,
	"locktop report":    aLook,
	"locktop top":       aLook,
	"locktop serve":     aLook,
	"locktop discover":  slices.Concat(toCluster, []string{"prefix", "recipe"}),
	"locktop record":    slices.Concat(toCluster, []string{"prefix", "recipe", "lease-budget"}),
	"locktop break":     slices.Concat(toCluster, []string{"prefix", "recipe", "lease-budget"}),
	"locktop contend":   toCluster,
	"locktop proxy":     slices.Concat(aLook, onScreen),
	"locktop config":    slices.Concat(aLook, onScreen), // it shows them all
	"locktop demo":      slices.Concat(onScreen, []string{"recipe", "expect", "long", "warn-wait", "lease-budget"}),
	"locktop learn":     onScreen,
	"locktop drill run": slices.Concat(toNamed, []string{"recipe", "expect", "lease-budget"}),
	"locktop diff":      {"prefix", "recipe"},
	"locktop replay":    slices.Concat(onScreen, []string{"prefix", "recipe", "expect", "long", "warn-wait"}),
}

// sharedFlag marks the flags that several commands take.
const sharedFlag = "locktop_shared"

func isShared(f *pflag.Flag) bool { return f != nil && f.Annotations[sharedFlag] != nil }

// understands says whether a command takes a shared flag. One of the same name that is
// its own, like the recipe of contend, is another flag.
func understands(cmd *cobra.Command, flag string) bool { return isShared(cmd.Flags().Lookup(flag)) }

// onCluster says whether a command goes to the cluster of the flags. A drill has a lab of its
// own, unless endpoints are named on its command line: no environment sends it elsewhere.
func onCluster(cmd *cobra.Command) bool {
	return understands(cmd, "endpoints") && (cmd.CommandPath() != "locktop drill run" || cmd.Flags().Changed("endpoints"))
}

// shareFlags gives every command the shared flags that it takes.
func (cfg *config) shareFlags(root *cobra.Command) {
	for _, c := range commandTree(root) {
		for _, name := range takes[c.CommandPath()] {
			c.Flags().AddFlag(cfg.shared.Lookup(name))
		}
	}
}

// addSharedFlags makes the flags that several commands take. Each of them means the
// same wherever it is taken.
func (cfg *config) addSharedFlags() {
	cfg.shared = pflag.NewFlagSet("shared", pflag.ContinueOnError)
	f := cfg.shared
	c := &cfg.flags
	f.StringSliceVar(&c.endpoints, "endpoints", []string{"127.0.0.1:2379"}, "etcd endpoints, host:port or URL [ETCDCTL_ENDPOINTS]")
	f.StringVarP(&c.discovery.domain, "discovery-srv", "d", "", "domain whose SRV records name the endpoints [ETCDCTL_DISCOVERY_SRV]")
	f.StringVar(&c.discovery.service, "discovery-srv-name", "", "service name of these records [ETCDCTL_DISCOVERY_SRV_NAME]")
	f.BoolVar(&c.discovery.insecure, "insecure-discovery", true, "accept records of endpoints without TLS [ETCDCTL_INSECURE_DISCOVERY]")
	f.StringArrayVar(&c.prefixes, "prefix", nil, "watch the keys under this prefix; may be repeated (default: all keys) [LOCKTOP_PREFIX]")
	f.StringVar(&c.namespace, "namespace", "", "stands before every prefix and lock that is named; keys are shown whole [LOCKTOP_NAMESPACE]")
	f.DurationVar(&c.dialTimeout, "dial-timeout", 2*time.Second, "how long to wait for a connection [ETCDCTL_DIAL_TIMEOUT]")
	f.DurationVar(&c.commandTimeout, "command-timeout", 5*time.Second, "how long the cluster may take to answer, and a single look without progress [ETCDCTL_COMMAND_TIMEOUT]")
	f.DurationVar(&c.keepaliveTime, "keepalive-time", 2*time.Second, "how often a quiet connection is tried; gRPC makes it 10s at least [ETCDCTL_KEEPALIVE_TIME]")
	f.DurationVar(&c.keepaliveTimeout, "keepalive-timeout", 6*time.Second, "how long such a try may take [ETCDCTL_KEEPALIVE_TIMEOUT]")
	f.StringVar(&c.tls.cacert, "cacert", "", "verify the servers with this CA bundle [ETCDCTL_CACERT]")
	f.StringVar(&c.tls.cert, "cert", "", "identify ourselves with this TLS certificate [ETCDCTL_CERT]")
	f.StringVar(&c.tls.key, "key", "", "key of that certificate [ETCDCTL_KEY]")
	f.BoolVar(&c.tls.skipVerify, "insecure-skip-tls-verify", false, "do not verify the servers' certificates [ETCDCTL_INSECURE_SKIP_TLS_VERIFY]")
	f.BoolVar(&c.insecureTransport, "insecure-transport", true, "false: TLS also for endpoints without https:// [ETCDCTL_INSECURE_TRANSPORT]")
	f.StringVar(&c.user, "user", "", "USER or USER:PASSWORD; the password is asked for if there is none [ETCDCTL_USER]")
	f.StringVar(&c.password, "password", "", "password of the user: everybody on this machine sees it in ps, so rather set [ETCDCTL_PASSWORD]")
	f.StringVar(&c.passwordFile, "password-file", "", "file with the password on its only line [LOCKTOP_PASSWORD_FILE]")
	f.StringVar(&c.profile, "profile", "", "take what is not said here or in the environment from this profile (\"locktop config\") [LOCKTOP_PROFILE]")
	f.IntVar(&c.leaseBudget, "lease-budget", 20, "most lease readings in a second while watching [LOCKTOP_LEASE_BUDGET]")
	f.StringArrayVar(&cfg.recipes, "recipe", nil, "fix the recipe of the keys under a prefix, PREFIX=NAME, or of one key or lock alone, KEY==NAME; semaphore:2 has two holders at a time; may be repeated (\"locktop explain\" lists them) [LOCKTOP_RECIPE]")
	f.StringArrayVar(&cfg.expect, "expect", nil, "how many contenders each lock under a prefix should have, PREFIX=N; may be repeated [LOCKTOP_EXPECT]")
	f.StringArrayVar(&cfg.long, "long", nil, "locks under this prefix are meant to be held for long, and who waits stands by; may be repeated [LOCKTOP_LONG]")
	f.DurationVar(&cfg.warnWait, "warn-wait", 0, "from when on a wait is worth a warning, a hint (default: by the lock's own past, or by its TTL and how many wait) [LOCKTOP_WARN_WAIT]")
	f.BoolVar(&cfg.screen.ascii, "ascii", false, "draw with ASCII characters only [LOCKTOP_ASCII]")
	f.BoolVar(&cfg.screen.wideSigns, "wide-signs", false, "draw without signs that some terminals make two cells wide [LOCKTOP_WIDE_SIGNS]")
	f.StringVar(&cfg.lang, "lang", "", "language of the console and of lessons: en or zh (default: what the locale names) [LOCKTOP_LANG]")
	addWord(f, &cfg.screen.color, "color", "", "--color", []string{"auto", "always", "never"}, "auto, always or never (NO_COLOR is honoured) [LOCKTOP_COLOR]")
	addWord(f, &cfg.screen.theme, "theme", "", "theme", append([]string{themeAuto}, draw.Themes...), "colours of the console: auto, dark, light or mono [LOCKTOP_THEME]")
	f.VisitAll(func(f *pflag.Flag) { f.Annotations = map[string][]string{sharedFlag: {"true"}} })
}

// typeWords say what a flag of a type takes, in words.
var typeWords = map[string]string{"duration": "a duration, like 30s or 5m", "bool": "true or false",
	"int": "a whole number", "int64": "a whole number", "uint": "a whole number from 0 on", "uint64": "a whole number from 0 on", "float64": "a number"}

// flagError says what is wrong with a flag, in one line with what to do. A flag that
// another command has is no typing error: it says why it is not taken here.
func flagError(cmd *cobra.Command, err error) error {
	var refused badInput
	if errors.As(err, &refused) { // by the flag itself, in its own words
		return refused
	}
	var invalid *pflag.InvalidValueError
	if errors.As(err, &invalid) && invalid.GetFlag().Name == "endpoints" {
		return bad("--endpoints %q: %v", withoutUser(invalid.GetValue()), errors.Unwrap(err))
	}
	if invalid != nil {
		if f := invalid.GetFlag(); typeWords[f.Value.Type()] != "" {
			return bad("--%s %q: want %s", f.Name, invalid.GetValue(), typeWords[f.Value.Type()])
		}
	}
	flag, typed := "", ""
	var unknown *pflag.NotExistError
	if errors.As(err, &unknown) {
		typed = unknown.GetSpecifiedName()
		flag = nameOfAnother(cmd, typed)
	}
	if flag == "" {
		if len(typed) == 1 { // most likely it is no flag at all
			return bad("%v (see: %s --help; a name that begins with a dash comes after --)", err, cmd.CommandPath())
		}
		return bad("%v (see: %s --help)", err, cmd.CommandPath())
	}
	why := ""
	switch {
	case slices.Contains([]string{"locktop demo", "locktop drill run"}, cmd.CommandPath()) && slices.Contains(aLook, flag):
		why = ", which starts a lab of its own"
	case !onCluster(cmd) && slices.Contains(aLook, flag):
		why = ", which asks no cluster"
	}
	dashes := "--"
	if len(typed) == 1 {
		dashes = "-"
	}
	return bad("%s%s has no meaning for %s%s: leave it out (%[3]s --help lists its flags)", dashes, typed, cmd.CommandPath(), why)
}

// nameOfAnother is the full name of a flag of another command, "" if there is none.
func nameOfAnother(cmd *cobra.Command, name string) string {
	for _, c := range commandTree(cmd.Root()) {
		f := c.Flags().Lookup(name)
		if f == nil && len(name) == 1 {
			f = c.Flags().ShorthandLookup(name)
		}
		if f != nil && !f.Hidden {
			return f.Name
		}
	}
	return ""
}

// usageTemplate is cobra's, with the flags of the command alone before those that it
// shares with others.
func usageTemplate(cobras string) string {
	const all = `Flags:
{{.LocalFlags.FlagUsages | trimTrailingWhitespaces}}`
	return strings.Replace(cobras, all, `Flags:
{{flagsAlone . | trimTrailingWhitespaces}}{{with flagsShared .}}

Flags that other commands have, too:
{{. | trimTrailingWhitespaces}}{{end}}`, 1)
}

func init() {
	cobra.AddTemplateFunc("flagsAlone", func(c *cobra.Command) string { return flagsOf(c, false).FlagUsages() })
	cobra.AddTemplateFunc("flagsShared", func(c *cobra.Command) string { return flagsOf(c, true).FlagUsages() })
}

// flagsOf are the flags of a command that are shared, or those that are its own.
func flagsOf(c *cobra.Command, shared bool) *pflag.FlagSet {
	some := pflag.NewFlagSet(c.Name(), pflag.ContinueOnError)
	c.LocalFlags().VisitAll(func(f *pflag.Flag) {
		if isShared(f) == shared {
			some.AddFlag(f)
		}
	})
	return some
}

// needless refuses flags of a command that what else was asked for makes meaningless.
func needless(cmd *cobra.Command, why string, flags ...string) error {
	for _, name := range flags {
		if cmd.Flags().Changed(name) {
			return bad("--%s has no meaning for %s here: %s; leave it out", name, cmd.CommandPath(), why)
		}
	}
	return nil
}
