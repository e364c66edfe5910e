package cli

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strings"

	"locktop/model"
	"locktop/model/locks"
	"locktop/ui/report"
	"locktop/watcher"
)

// nearFor is for how many prefixes without a key others are looked for.
const nearFor = 3

// measure notes which of the prefixes that were asked for have no lock, and what is near
// them, and what became of what was expected of the locks.
func (v *viewer) measure(ctx context.Context, at *observation, asked []string, out *outFlags) {
	past := out.past.file != ""
	looked := 0
	for _, b := range at.State.Bare() {
		if !past && !v.namesMasked && !slices.Contains(prefixList(asked), b.Prefix) {
			continue // it was looked at for a lease's sake
		}
		x := report.Bare{Bare: b}
		switch {
		case b.Keys > 0 || b.Prefix == "":
		case past:
			x.NearUnread = "the recording has no keys but these"
		case v.namesMasked:
			x.NearUnread = "names are masked"
		case looked == nearFor:
			x.NearUnread = fmt.Sprintf("they were for %d others", nearFor)
		default:
			looked++
			x.Near, x.NearUnread = v.near(ctx, b.Prefix)
		}
		at.bare = append(at.bare, x)
	}
	at.bare = meant(at.bare, prefixList(asked))
	watched := watchedPrefixes(at.State)
	for _, e := range at.State.Expectations() {
		if slices.ContainsFunc(watched, func(p string) bool { return strings.HasPrefix(p, e.Prefix) || strings.HasPrefix(e.Prefix, p) }) {
			at.expected = append(at.expected, e)
		} else {
			at.outside = append(at.outside, e.Prefix)
		}
	}
}

// near are prefixes beside one that has no key, and why they are not known.
func (v *viewer) near(ctx context.Context, prefix string) (all []locks.Bare, why string) {
	client, err := v.connect(ctx)
	if err != nil {
		return nil, err.Error()
	}
	defer client.Close()
	found, err := watcher.NearPrefixes(ctx, client, prefix, v.flags.commandTimeout)
	all = []locks.Bare{}
	for _, n := range found {
		all = append(all, locks.Bare{Prefix: n.Prefix, Keys: int(n.Keys)})
	}
	if err != nil && len(all) == 0 {
		return nil, err.Error()
	}
	return all, ""
}

// tellBare says on its own lines which prefixes have no lock; JSON has it.
func (o *observation) tellBare(w io.Writer, output string) {
	if output == "json" {
		return
	}
	for _, b := range o.bare {
		fmt.Fprintln(w, b.Words())
	}
}

// unmeasured is the error of an expectation that could not be measured, nil if each could.
// One of the environment or of a profile may be about other prefixes.
func (o *observation) unmeasured(e *env) error {
	var lines []string
	if e.originOf("expect").rank == fromFlag {
		for _, p := range o.outside {
			lines = append(lines, fmt.Sprintf("  --expect %s: no key under it was asked for", model.KeysUnder(p)))
		}
	}
	for _, x := range o.expected {
		if len(x.Hidden) > 0 {
			lines = append(lines, fmt.Sprintf("  --expect %s=%d: who waits for %s leaves no key in etcd", model.KeysUnder(x.Prefix), x.Contenders, model.Printable(x.Hidden[0].Name)))
		}
	}
	if len(lines) == 0 {
		return nil
	}
	return badInput{manyLines(append([]string{"not all that is expected could be seen at " + o.Name}, lines...))}
}
