package cli

import (
	"fmt"
	"io"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"locktop/demo/process"
	"locktop/model"
	"locktop/ui/report/metrics"
	"locktop/watcher/recording"
	"locktop/watcher/recording/ring"
)

// recordRing are the flags of serve that are about what it writes down.
type recordRing struct {
	dir    string
	keep   time.Duration
	most   size
	values bool
}

func (f *recordRing) add(cmd *cobra.Command) {
	f.most = 1 << 30
	cmd.Flags().StringVar(&f.dir, "record", "", "write what is seen into files in this folder, which is made if it is not there")
	cmd.Flags().DurationVar(&f.keep, "keep", 24*time.Hour, "what is recorded goes when it is older")
	cmd.Flags().Var(&f.most, "max", "the oldest goes when the folder would hold more")
	cmd.Flags().BoolVar(&f.values, "values", false, "record the values of the keys, too: if they are secret, so is the folder")
}

// check refuses what cannot be kept.
func (f *recordRing) check(cmd *cobra.Command) error {
	for _, name := range []string{"keep", "max", "values"} {
		if f.dir == "" && cmd.Flags().Changed(name) {
			return bad("--%s is about what is recorded: name a folder with --record", name)
		}
	}
	if cmd.Flags().Changed("record") && f.dir == "" {
		return bad("--record: want the name of a folder")
	}
	if f.keep < ring.LeastKeep {
		return bad("--keep %s: want %s or more", f.keep, ring.LeastKeep)
	}
	if f.most < ring.LeastBytes {
		return bad("--max %s: want %s or more", f.most, size(ring.LeastBytes))
	}
	return nil
}

// begin begins to write down what a session sees, if that is wanted; stop ends it.
func (f *recordRing) begin(says io.Writer, s *serving) (stop func() error, err error) {
	if f.dir == "" {
		return func() error { return nil }, nil
	}
	dir, err := filepath.Abs(f.dir)
	if err != nil {
		return nil, bad("--record %s: %v", f.dir, err)
	}
	s.ring, err = ring.Open(ring.Options{Dir: dir, Keep: f.keep, MaxBytes: int64(f.most), Mask: recording.Mask{Drop: !f.values},
		Lag: recording.Lag, Lock: process.LockFile, Tell: func(line string) { fmt.Fprintln(says, model.Printable(line)) }})
	if err != nil {
		return nil, bad("--record %s: %v", f.dir, err)
	}
	s.x.Recording = func() metrics.Recording {
		now := s.ring.Status()
		return metrics.Recording{Dir: model.Printable(dir), Writes: now.Err == nil, Bytes: now.Bytes, Since: now.Since,
			Failures: now.Failures, Lost: now.Lost, Steps: now.Steps}
	}
	return s.ring.Close, nil
}

// words say where it is written, and what is secret of it.
func (f *recordRing) words() string {
	switch {
	case f.dir == "":
		return ""
	case f.values:
		return "; recording into " + model.Printable(f.dir) + ", with the keys' values: if they are secret, so is the folder"
	}
	return "; recording into " + model.Printable(f.dir) + ", without the keys' values"
}

// size is a number of bytes, as a person writes it.
type size int64

// units are those of a size.
var units = []struct {
	name string
	of   size
}{{"TiB", 1 << 40}, {"GiB", 1 << 30}, {"MiB", 1 << 20}, {"KiB", 1 << 10}}

// String implements pflag.Value.
func (s size) String() string {
	for _, u := range units {
		if s >= u.of && s%u.of == 0 {
			return strconv.FormatInt(int64(s/u.of), 10) + u.name
		}
	}
	return strconv.FormatInt(int64(s), 10)
}

// Type implements pflag.Value.
func (s *size) Type() string { return "size" }

// Set implements pflag.Value.
func (s *size) Set(text string) error {
	number, of := text, size(1)
	for _, u := range units {
		if rest, ok := strings.CutSuffix(text, u.name); ok {
			number, of = rest, u.of
			break
		}
	}
	n, err := strconv.ParseInt(number, 10, 64)
	if err != nil || n < 0 || n > int64((1<<62)/of) {
		return bad("want a number of bytes, such as 512MiB or 1GiB")
	}
	*s = size(n) * of
	return nil
}
