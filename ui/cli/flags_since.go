package cli

import (
	"strconv"

	"github.com/spf13/cobra"

	"locktop/watcher"
)

// maxSince is the most of etcd's history that one may ask for, in revisions.
const maxSince = 1_000_000

// sinceFlags say how much of etcd's history is read.
type sinceFlags struct {
	revision string
	max      int64
}

func (f *sinceFlags) add(cmd *cobra.Command) {
	cmd.Flags().StringVar(&f.revision, "since-revision", "",
		"begin with etcd's history from this revision on, or all that is not compacted (default: none is read); its times are not known")
	cmd.Flags().Int64Var(&f.max, "since-max", watcher.DefaultSinceMax,
		"read at most so many revisions of the history, the last ones; each write to the cluster makes one")
}

// options adds what the flags say.
func (f *sinceFlags) options(o watcher.Options) (watcher.Options, error) {
	if err := inRange("--since-max", f.max, 1, maxSince, " revisions"); err != nil {
		return o, err
	}
	o.SinceMax = f.max
	switch f.revision {
	case "":
		return o, nil
	case "all":
		o.Since = watcher.SinceAll
		return o, nil
	}
	rev, err := strconv.ParseInt(f.revision, 10, 64)
	if err != nil || rev < 1 {
		return o, bad("--since-revision %q: want a revision from 1 on, or all", f.revision)
	}
	o.Since = rev
	return o, nil
}
