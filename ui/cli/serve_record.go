package cli

import (
	"fmt"
	"io"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"

	"locktop/demo/process"
	"locktop/model"
	"locktop/ui/report/metrics"
	"locktop/watcher/recording"
)

// recordFlags are the flags of serve that are about what it writes down.
type recordFlags struct {
	dir    string
	keep   time.Duration
	most   byteSize
	values bool
}

func (f *recordFlags) add(cmd *cobra.Command) {
	f.most = 1 << 30
	cmd.Flags().StringVar(&f.dir, "record", "", "write what is seen into files in this folder, which is made if it is not there")
	cmd.Flags().DurationVar(&f.keep, "keep", 24*time.Hour, "delete what was recorded longer ago than this")
	cmd.Flags().Var(&f.most, "max", "delete the oldest when the folder would hold more than this")
	cmd.Flags().BoolVar(&f.values, "values", false, "record the values of the keys, too: if they are secret, so is the folder")
}

// check refuses what cannot be kept.
func (f *recordFlags) check(cmd *cobra.Command) error {
	for _, name := range []string{"keep", "max", "values"} {
		if f.dir == "" && cmd.Flags().Changed(name) {
			return bad("--%s is about what is recorded: name a folder with --record", name)
		}
	}
	if cmd.Flags().Changed("record") && f.dir == "" {
		return bad("--record: want the name of a folder")
	}
	if f.keep < recording.LeastKeep {
		return bad("--keep %s: want %s or more", f.keep, recording.LeastKeep)
	}
	if f.most < recording.LeastBytes {
		return bad("--max %s: want %s or more", f.most, byteSize(recording.LeastBytes))
	}
	return nil
}

// begin begins to write down what a session sees, if that is wanted; stop ends it.
func (f *recordFlags) begin(says io.Writer, s *serving, now func() time.Time) (stop func() error, err error) {
	if f.dir == "" {
		return func() error { return nil }, nil
	}
	dir, err := filepath.Abs(f.dir)
	if err != nil {
		return nil, bad("--record %s: %v", f.dir, err)
	}
	s.rotation, err = recording.OpenRotation(recording.RotationOptions{Dir: dir, Keep: f.keep, MaxBytes: int64(f.most), Mask: recording.Mask{Drop: !f.values},
		Lag: recording.Lag, Lock: process.LockFile, Now: now, Tell: func(line string) { fmt.Fprintln(says, model.Printable(line)) }})
	if err != nil {
		return nil, bad("--record %s: %v", f.dir, err)
	}
	s.x.Recording = func() metrics.Recording {
		now := s.rotation.Status()
		return metrics.Recording{Dir: model.Printable(dir), Writes: now.Err == nil, Bytes: now.Bytes, Since: now.Since,
			Failures: now.Failures, Lost: now.Lost, Steps: now.Steps}
	}
	return s.rotation.Close, nil
}

// words say where it is written, and what is secret of it.
func (f *recordFlags) words() string {
	switch {
	case f.dir == "":
		return ""
	case f.values:
		return "; recording into " + model.Printable(f.dir) + ", with the keys' values: if they are secret, so is the folder"
	}
	return "; recording into " + model.Printable(f.dir) + ", without the keys' values"
}
