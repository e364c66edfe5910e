package cli

import (
	"fmt"
	"os"
	"runtime/debug"
	"time"

	"github.com/spf13/cobra"

	"locktop/demo"
)

func (e *env) contendCmd() *cobra.Command {
	o := demo.ContenderOptions{}
	var armed, withStdin bool
	cmd := &cobra.Command{
		Use:   "contend LOCK",
		Short: "one contender for a lock, which prints what it believes as JSON lines",
		Long: "contend takes the lock, holds it, lets it go, thinks, and again, until it is ended; it\n" +
			"unlocks on ctrl-c. It writes to the cluster, so it wants --armed.",
		Example: "  locktop contend /jobs/billing --armed --ttl 10 --hold 3s",
		Args:    lockArg,
		RunE: func(cmd *cobra.Command, args []string) error {
			if !armed {
				return bad("contend writes to %v: say --armed if that is meant", e.flags.endpoints)
			}
			o.Lock, o.Endpoints = args[0], e.flags.endpoints
			if withStdin {
				o.EndWith = e.in
			}
			if err := o.Check(); err != nil {
				return badInput{err}
			}
			return demo.RunContender(cmd.Context(), o, e.out)
		},
	}
	f := cmd.Flags()
	f.BoolVar(&armed, "armed", false, "allow writing to the cluster")
	f.StringVar(&o.Name, "name", fmt.Sprintf("pid-%d", os.Getpid()), "what it calls itself, and the value it campaigns with")
	f.StringVar(&o.Recipe, "recipe", demo.RecipeMutex, "mutex or election")
	f.IntVar(&o.TTL, "ttl", 10, "TTL of its lease in seconds")
	f.DurationVar(&o.Hold, "hold", 5*time.Second, "how long it holds the lock, give or take a third")
	f.DurationVar(&o.Think, "think", time.Second, "how long it does without, give or take")
	f.Uint64Var(&o.Seed, "seed", 1, "makes its variations repeat")
	f.BoolVar(&withStdin, demo.EndWithStdinFlag, false, "end when standard input does")
	return cmd
}

func (e *env) versionCmd() *cobra.Command {
	return &cobra.Command{
		Use:   "version",
		Short: "print the versions of locktop and of its etcd client",
		Args:  noArgs,
		RunE: func(*cobra.Command, []string) error {
			version, etcd := "(devel)", "unknown"
			if info, ok := debug.ReadBuildInfo(); ok {
				if info.Main.Version != "" {
					version = info.Main.Version
				}
				for _, m := range info.Deps {
					if m.Path == "go.etcd.io/etcd/client/v3" {
						etcd = m.Version
					}
				}
			}
			_, err := fmt.Fprintf(e.out, "locktop %s, etcd client %s\n", version, etcd)
			return err
		},
	}
}
