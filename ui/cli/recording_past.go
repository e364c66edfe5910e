package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"locktop/model"
	"locktop/model/locks"
	"locktop/model/store"
	"locktop/ui/cli/playback"
	"locktop/ui/cli/session"
	"locktop/watcher/recording"
)

// pastFlags ask a recording in the place of a cluster.
type pastFlags struct {
	file, at string
	from, to string
	only     recording.Only
}

func (p *pastFlags) add(cmd *cobra.Command) {
	cmd.Flags().StringVar(&p.file, "recording", "", "ask this recording, or the folder of \"locktop serve --record\", and no cluster")
	p.addMoments(cmd, "as of this moment of the recording: a time (10:04:05, 2026-03-01 10:04:05, RFC 3339) or a revision (default: its end)")
}

// addMoments adds what part of a recording is asked for.
func (p *pastFlags) addMoments(cmd *cobra.Command, at string) {
	cmd.Flags().StringVar(&p.at, "at", "", at)
	cmd.Flags().StringVar(&p.from, "from", "", "of a recording: from this time on; ls, describe and doctor look at the worst moment since")
	cmd.Flags().StringVar(&p.to, "to", "", "of a recording: up to this time or revision, as --at")
	if cmd.Flags().Lookup("lock") == nil {
		cmd.Flags().StringArrayVar(&p.only.Locks, "lock", nil, "of a recording: this lock alone; may be repeated")
	}
}

// isUsed says whether a recording is asked. Then no flag may be given that is about a
// cluster, or one of others. --prefix says which of its keys are asked for.
func (p *pastFlags) isUsed(cmd *cobra.Command, others ...string) (bool, error) {
	if p.file == "" {
		for _, f := range []struct{ name, value string }{{"at", p.at}, {"from", p.from}, {"to", p.to}} {
			if f.value != "" {
				return false, bad("--%s is a moment of a recording: name it with --recording FILE", f.name)
			}
		}
		if len(p.only.Locks) > 0 {
			return false, bad("--lock is for a recording: name the lock as an argument")
		}
		return false, nil
	}
	if p.at != "" && p.to != "" {
		return true, bad("--to and --at are the same moment: leave one out")
	}
	p.at = cmp.Or(p.at, p.to)
	var locks []string
	for _, name := range p.only.Locks {
		locks = append(locks, spellings(name)...)
	}
	p.only.Locks = locks
	if f := cmd.Flags().Lookup("prefix"); f != nil && f.Changed {
		p.only.Prefixes = f.Value.(pflag.SliceValue).GetSlice()
	}
	about := slices.DeleteFunc(slices.Concat(toCluster, []string{"lease-budget"}, others), func(f string) bool { return f == "namespace" })
	return true, needless(cmd, "a recording is asked, and no cluster", about...)
}

// recorded is a session on a recording.
type recorded struct {
	*session.Session
	*openRecording
	close func() error
}

// openPast opens a recording up to the moment that is asked for.
func (v *viewer) openPast(ctx context.Context, past pastFlags, pace recording.Pace) (*recorded, error) {
	o, err := openRecorded(ctx, past, pace)
	if err != nil {
		return nil, err
	}
	if o.note != "" {
		fmt.Fprintln(v.err, o.note)
	}
	src := session.Upto(o.source, o.moment)
	if v.wrap != nil {
		src = v.wrap(src)
	}
	s := v.session(src)
	s.Name = past.file
	return &recorded{s, o, o.close}, nil
}

// covers says, once it was read, why a recording cannot tell of what is asked for: it watched other
// keys.
func (r *recorded) covers(past pastFlags) error {
	if r.only.Met() {
		return nil
	}
	return bad("%s has nothing under %s: it is of other prefixes", past.file, strings.Join(quoted(slices.Concat(r.only.Prefixes, r.only.Locks)), ", "))
}

// moment understands --at. A time of day is the first such time in the recording.
func moment(text string, begins time.Time) (m session.Moment, err error) {
	if text == "" {
		return m, nil
	}
	if m.Rev, err = strconv.ParseInt(text, 10, 64); err == nil && m.Rev > 0 {
		return m, nil
	}
	if m.At, err = playback.ParseMoment(text, begins); err == nil {
		return session.Moment{At: m.At}, nil
	}
	return m, bad("--at %q: want a time (10:04:05, 2026-03-01 10:04:05, RFC 3339) or a revision; the recording begins at %s",
		text, begins.Format("2006-01-02 15:04:05.000 MST"))
}

// provenWithin is how old the last proof may be that a watch followed its cluster. The
// watcher asks every few seconds, and says Lost when no answer comes.
const provenWithin = 10 * time.Second

// lookBack is a look at a moment of a recording: what was known then, and what was not.
func (v *viewer) lookBack(ctx context.Context, out *outFlags) (*session.Session, unseen, error) {
	var not unseen
	if out.moment && out.past.from != "" {
		if err := v.atWorst(ctx, &out.past); err != nil {
			return nil, not, err
		}
	}
	r, err := v.openPast(ctx, out.past, recording.Pace{})
	if err != nil {
		return nil, not, err
	}
	defer r.close()
	cut := r.Pull(ctx, session.Pull{})
	if cut != nil && (out.past.at != "" || !errors.Is(cut, recording.ErrDamaged)) {
		return nil, not, cut
	}
	s := r.State
	if err := r.covers(out.past); err != nil {
		return nil, not, err
	}
	out.watch = s.Now().Sub(r.begins)
	if r.from.After(s.Now()) {
		return nil, not, bad("--from %s is after the end: %s", out.past.from, s.Now().Format(time.DateTime))
	} else if !r.from.IsZero() && !out.moment {
		out.watch = s.Now().Sub(r.from)
	}
	not = unseenBy(s, out.leases)
	if cut != nil { // the answer is as of the last moment that can be read, and says so
		not.blind = append(not.blind, locks.CoverageGap{Kind: locks.CoverageKeys, Reason: model.Say("quote", cut.Error())})
	}
	if len(s.Coverage().Watches()) == 0 {
		not.blind = append(not.blind, locks.CoverageGap{Kind: locks.CoverageKeys, Duration: out.watch, Reason: model.Say("no-list-by-then")})
	}
	return r.Session, not, nil
}

// unseenBy is what was not seen of what a look would ask for, as far as a state tells.
func unseenBy(s *store.Store, leases string) (not unseen) {
	asked := wanted(s, leases)
	if leases != "none" {
		for _, l := range s.UnreadLeases() {
			asked = append(asked, l.ID)
		}
	}
	if !s.Coverage().Lost() {
		asked, not.unread = withoutIdle(s, asked, untried(s, slices.Clone(asked)))
	}
	not.blind = s.CoverageGaps(s.Now().Add(-provenWithin), asked)
	return not
}

// watchedPrefixes are those that a state knows of.
func watchedPrefixes(s *store.Store) []string {
	var all []string
	for _, w := range s.Coverage().Watches() {
		all = append(all, w.Prefix)
	}
	return all
}
