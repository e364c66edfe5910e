package cli

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	clientv3 "go.etcd.io/etcd/client/v3"

	"locktop/chaos"
	"locktop/demo/drills"
	"locktop/demo/lessons"
	"locktop/model"
	"locktop/model/store"
	"locktop/model/text"
	"locktop/ui/report"
)

// What a press of the tab key may cost: a request or two per prefix for so many
// keys, without their values, within that time.
const (
	completeWithin = time.Second
	completeKeys   = 1000
)

// addCompletions says what the shells can complete besides commands and flags.
func (e *env) addCompletions(root *cobra.Command) {
	addScripts(root, e.out)
	before := root.PersistentPreRunE
	root.PersistentPreRunE = func(cmd *cobra.Command, args []string) error {
		if completing(cmd) {
			return nil // it has not seen the flags yet, and the scripts need no cluster
		}
		return before(cmd, args)
	}
	locks := func(cmd *cobra.Command, args []string, typed string) ([]string, cobra.ShellCompDirective) {
		if len(args) > 0 || before(cmd, args) != nil {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		return e.lockNames(cmd.Context(), typed), cobra.ShellCompDirectiveNoFileComp
	}
	runs := func() []string { return append(drills.Names(), everyDrill) }
	words := map[string]cobra.CompletionFunc{
		"describe": locks, "break": locks, "ls": locks, "top": locks, "events": locks, "doctor": locks,
		"explain": oneOf(func() []string { return report.ExplainNames(drillWords()...) }),
		"learn":   oneOf(lessons.Names),
		"show":    orFile(drills.Names),
		"run":     orFile(runs),
		"check":   orFile(drills.Names),
	}
	for _, c := range commandTree(root) {
		if f := words[c.Name()]; f != nil && c.ValidArgsFunction == nil {
			c.ValidArgsFunction = f
		}
		c.Flags().VisitAll(func(f *pflag.Flag) {
			of, ok := f.Value.(*wordFlag)
			if _, done := c.GetFlagCompletionFunc(f.Name); ok && !done { // several commands have the same flag
				mustRegister(c.RegisterFlagCompletionFunc(f.Name, cobra.FixedCompletions(of.words, cobra.ShellCompDirectiveNoFileComp)))
			}
		})
		if _, done := c.GetFlagCompletionFunc("lang"); !done && c.Flags().Lookup("lang") != nil {
			mustRegister(c.RegisterFlagCompletionFunc("lang", cobra.FixedCompletions(text.Languages(), cobra.ShellCompDirectiveNoFileComp)))
		}
		if c.Flags().Lookup("drill") != nil {
			mustRegister(c.RegisterFlagCompletionFunc("drill", cobra.FixedCompletions(drills.Names(), cobra.ShellCompDirectiveDefault)))
		}
	}
}

// mustRegister is for what only a mistake in this program makes fail.
func mustRegister(err error) {
	if err != nil {
		panic(err)
	}
}

// completing says whether a command is one of cobra's for completion.
func completing(c *cobra.Command) bool {
	names := []string{cobra.ShellCompRequestCmd, cobra.ShellCompNoDescRequestCmd, completionName}
	return slices.Contains(names, c.Name()) || c.HasParent() && c.Parent().Name() == completionName
}

// commandTree is a command with all that are below it.
func commandTree(c *cobra.Command) []*cobra.Command {
	all := []*cobra.Command{c}
	for _, sub := range c.Commands() {
		all = append(all, commandTree(sub)...)
	}
	return all
}

// oneOf completes the first argument with one of the words. They are made when somebody
// completes, since every start of the program says what can be completed.
func oneOf(list func() []string) cobra.CompletionFunc {
	return firstArg(list, cobra.ShellCompDirectiveNoFileComp)
}

// orFile does the same, and leaves files to the shell.
func orFile(list func() []string) cobra.CompletionFunc {
	return firstArg(list, cobra.ShellCompDirectiveDefault)
}

func firstArg(list func() []string, then cobra.ShellCompDirective) cobra.CompletionFunc {
	return func(_ *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
		if len(args) > 0 {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		return list(), then
	}
}

// lockNames are the locks that begin with what was typed, as far as a bounded look
// finds them. Where it cannot look there are none: nobody reads errors of a tab key.
func (a *access) lockNames(ctx context.Context, typed string) []string {
	if ctx == nil {
		ctx = context.Background()
	}
	if typed != "" && !plainWord(typed) {
		return nil // no name that is offered begins so
	}
	ctx, cancel := context.WithTimeout(ctx, completeWithin)
	defer cancel()
	client, err := a.dial(ctx, chaos.ReadOnly())
	if err != nil {
		return nil
	}
	defer client.Close()
	s := store.New(a.pins...)
	for _, prefix := range narrowed(prefixList(a.flags.prefixes), typed) {
		applyKeys(ctx, client, s, prefix)
	}
	names := slices.DeleteFunc(lockNames(s.Locks()), func(name string) bool { return !strings.HasPrefix(name, typed) })
	slices.Sort(names)
	return names
}

// plainWord says whether every shell takes a text as one word that means itself, also
// the beginning of it and without quotes: bash inserts what several names have in
// common as it is, so that a name like $(reboot) would run. Anybody who may write to
// the cluster chooses the names.
func plainWord(s string) bool {
	for i, c := range []byte(s) {
		letter := c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9'
		if !letter && !strings.ContainsRune("/._", rune(c)) && (i == 0 || !strings.ContainsRune("-:@+=,%", rune(c))) {
			return false
		}
	}
	return s != ""
}

// narrowed are the prefixes under which a name that begins so can be.
func narrowed(prefixes []string, typed string) []string {
	var out []string
	for _, p := range prefixes {
		switch {
		case strings.HasPrefix(typed, p):
			out = append(out, typed)
		case strings.HasPrefix(p, typed):
			out = append(out, p)
		}
	}
	return out
}

// applyKeys applies the first keys under a prefix. A member answers from what it has:
// no quorum is bothered.
func applyKeys(ctx context.Context, c *clientv3.Client, s *store.Store, prefix string) {
	page, rev := keys(ctx, c, prefix, clientv3.WithPrefix(), clientv3.WithLimit(completeKeys))
	if len(page) > 0 && !slices.ContainsFunc(page, func(kv model.KV) bool { return kv.Lease != 0 }) {
		// Servers from 3.7 on answer from their index, which knows no leases, unless they
		// have to sort. These keys alone are few enough for that.
		to := page[len(page)-1].Key + "\x00"
		page, rev = keys(ctx, c, page[0].Key, clientv3.WithRange(to), clientv3.WithSort(clientv3.SortByValue, clientv3.SortAscend))
		slices.SortFunc(page, func(a, b model.KV) int { return strings.Compare(a.Key, b.Key) })
	}
	now, n := time.Now(), int64(len(page))
	s.Apply(model.Batch{Events: []model.Event{model.LoadStarted{At: now, Prefix: prefix, Rev: rev},
		model.Listed{At: now, Prefix: prefix, Rev: rev, KVs: page, Done: n, Total: n}, model.Loaded{At: now, Prefix: prefix, Rev: rev}}})
}

// keys asks for keys without their values; none where it may not.
func keys(ctx context.Context, c *clientv3.Client, from string, which ...clientv3.OpOption) (kvs []model.KV, rev int64) {
	r, err := c.Get(ctx, from, append(which, clientv3.WithKeysOnly(), clientv3.WithSerializable())...)
	if err != nil {
		return nil, 0
	}
	for _, kv := range r.Kvs {
		kvs = append(kvs, model.KV{Key: string(kv.Key), CreateRev: kv.CreateRevision, ModRev: kv.ModRevision, Version: kv.Version, Lease: model.LeaseID(kv.Lease)})
	}
	return kvs, r.Header.Revision
}
