package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"locktop/model"
	"locktop/model/text"
	"locktop/watcher"
	"locktop/watcher/recording"
)

// recordRun is the command record.
type recordRun struct {
	e        *env
	watch    time.Duration
	maxSize  int // MiB
	noValues bool
	names    bool // masked
	since    sinceFlags
}

func recordCmd(e *env) *cobra.Command {
	f := recordRun{e: e}
	cmd := &cobra.Command{
		Use:   "record FILE",
		Short: "write down what the watch delivers, for \"locktop replay\"",
		Long: "record watches the prefixes of the flags and writes what it sees to FILE, until ctrl-c, --for or\n" +
			"--max-size. FILE must not exist, and only its owner may read it. It has the names of the keys and\n" +
			"their values: if the values are secret, so is FILE. --no-values leaves the values out. A replay then\n" +
			"says \"value not recorded\", knows which keys have one, and not what only a value tells: the names of\n" +
			"owners, an election from a mutex with names, and the recipe of some single keys. FILE is\n" +
			"compressed: zcat prints it, a line of JSON for each event. However locktop ends, FILE can be read,\n" +
			"and lacks the last half second at most. record only reads the cluster.",
		Example: "  locktop record incident.rec --prefix /jobs/ --for 5m --no-values\n  locktop replay incident.rec",
		Args:    fileArg,
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := cmp.Or(checkFor(f.watch), inRange("--max-size", f.maxSize, 1, 10_240, " MiB")); err != nil {
				return err
			}
			return f.run(cmd.Context(), args[0])
		},
	}
	cmd.Flags().DurationVar(&f.watch, "for", 0, "end after that long (default: when it is ended)")
	cmd.Flags().IntVar(&f.maxSize, "max-size", 64, "end before the file gets larger than that many MiB")
	cmd.Flags().BoolVar(&f.noValues, "no-values", false, "leave the values of the keys out")
	cmd.Flags().BoolVar(&f.names, "mask-names", false, "mask the names of keys, clients and members, their values, and what servers said")
	f.since.add(cmd)
	return cmd
}

// run writes what is seen into a new file.
func (rr *recordRun) run(ctx context.Context, name string) (err error) {
	o, err := rr.since.options(watcher.Options{Prefixes: rr.e.flags.prefixes})
	if err != nil {
		return err
	}
	if err := recording.PathsWhole(rr.e.flags.prefixes); rr.names && err != nil {
		return bad("--mask-names: %v", err)
	}
	w, err := rr.e.watch(ctx, o)
	if err != nil {
		return err
	}
	defer w.close()
	file, err := newFile(name, "the recording")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	fmt.Fprintf(rr.e.err, "recording %s to %s%s; ctrl-c ends it\n", strings.Join(quoted(rr.e.flags.prefixes), ", "), model.Printable(name), rr.secrecy())
	r := recording.NewRecorder(file, recording.Options{Mask: recording.Mask{Drop: rr.noValues, Names: rr.names}, MaxBytes: int64(rr.maxSize) << 20, Lag: recording.Lag})
	w.OnBatch = r.Write
	why := ""
	err = w.Follow(ctx, rr.watch)
	not := rr.e.followed(ctx, w.Session, err != nil)
	if ended := r.Close(); !errors.Is(err, ended) {
		err = errors.Join(err, ended)
	}
	if errors.Is(err, recording.ErrFull) {
		why, err = fmt.Sprintf(", ended by --max-size %d", rr.maxSize), nil
	}
	events, size := r.Written()
	fmt.Fprintf(rr.e.err, "recorded %d events in %d bytes%s\n", events, size, why)
	if other := w.State.Coverage().OtherCluster(); !other.IsZero() {
		err = errors.Join(err, bad("the recording is of more than one cluster: %s", text.English(other)))
	}
	return errors.Join(err, not)
}

// secrecy says what is in the file.
func (rr *recordRun) secrecy() string {
	switch {
	case rr.names:
		return ", with names and values masked"
	case rr.noValues:
		return ", without the values of the keys"
	}
	return ", with the keys' values: if they are secret, so is the file (--no-values leaves them out)"
}
