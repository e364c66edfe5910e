package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"
	clientv3 "go.etcd.io/etcd/client/v3"

	"locktop/demo/contender"
	"locktop/model"
)

func contendCmd(e *env) *cobra.Command {
	o := contender.Options{}
	var armed, withStdin bool
	var jitter string
	cmd := &cobra.Command{
		Use:   "contend LOCK...",
		Short: "run one contender for a lock; it prints what it believes as JSON lines",
		Long: "contend takes the lock, holds it, releases it, thinks, and repeats until it is ended; on ctrl-c it\n" +
			"unlocks. It takes several locks one after another with one session, and releases them in reverse\n" +
			"order. It writes to the cluster, so it needs --armed. On a cluster with users it needs one who may\n" +
			"read and write the keys of the lock; if that is denied, it exits with 2.\n" +
			"\n" +
			"The recipes:\n" +
			"  mutex, try-lock, election       package concurrency of the Go client\n" +
			"  rw-read, rw-write               the RWMutex of its experimental recipes\n" +
			"  lock-rpc, election-rpc          done by the server, as for clients in other languages\n" +
			"  single, spin                    one key, named as the lock; single watches it, spin tries\n" +
			"                                  every 20 to 50 ms. Such locks are known below /locks/\n" +
			"  owner                           Layotto's: one key with its owner, on a lease that nobody\n" +
			"                                  renews. Known by a name like /layotto/lock|||app||x\n" +
			"  uuid-queue                      LOCK/UUID, and the oldest key holds\n" +
			"  uuid-queue-bare                 the same, and those ahead are looked for without the slash\n" +
			"  owner-steps                     owner, and unlock is three requests: read, compare, delete\n" +
			"  cron-lock                       compares /cron/lock/JOB and writes /cron/jobs/JOB\n" +
			"  timer                           one key, renewed by a timer of the program until one\n" +
			"                                  renewal fails\n" +
			"  unread-replies                  one key, renewed by the client library; nobody reads its answers\n" +
			"  require-leader                  one key, renewed by the client library, which is to say when\n" +
			"                                  the cluster has no leader\n" +
			"  expiry-later                    one key, which gets its lease in a second step\n" +
			"  look-then-put                   reads, and puts the key if there was none\n" +
			"  counted                         mutex, and only the last of several unlocks is sent\n\n" +
			"With --manual it reads commands, one on a line: " + strings.Join(contender.ManualWords(), ", ") + ".",
		Example: "  locktop contend /jobs/billing --armed --ttl 10 --hold 3s\n" +
			"  locktop contend --armed --manual --recipe election /jobs/leader",
		Args: locksArg,
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := e.wantArmed(armed, cmd, ""); err != nil {
				return err
			}
			for i := range args {
				args[i] = e.inNamespace(model.Unescape(args[i]))
			}
			o.Locks, o.Endpoints = args, e.flags.endpoints
			o.Full = jitter == contender.JitterFull
			if withStdin || o.Manual {
				o.EndWith = e.in
			}
			if err := o.Check(); err != nil {
				return badInput{err}
			}
			var err error
			if o.Client, err = contenderClient(cmd.Context(), e, withStdin); err != nil {
				return err
			}
			o.Endpoints = e.flags.endpoints // as they were looked up
			e.resort.disarm()               // it lets its locks go, and has a time for that
			if err = contender.Run(cmd.Context(), o, e.out); errors.Is(err, contender.ErrDenied) {
				return badInput{err}
			}
			return err
		},
	}
	f := cmd.Flags()
	f.BoolVar(&armed, "armed", false, "allow writing to the cluster")
	f.StringVar(&o.Name, "name", fmt.Sprintf("pid-%d", os.Getpid()), "what it calls itself, and what it writes where --owner does not say")
	f.StringVar(&o.Recipe, "recipe", contender.RecipeMutex, "how it locks: one of those above")
	f.IntVar(&o.TTL, "ttl", 10, "TTL of its lease in seconds")
	f.BoolVar(&o.NoLease, "no-lease", false, "with lock-rpc and election-rpc: ask with lease 0, for which the server makes one of 60 s that nobody renews")
	f.DurationVar(&o.Hold, "hold", 5*time.Second, "how long it holds the lock, give or take a third")
	f.DurationVar(&o.Think, "think", time.Second, "how long it waits before it asks again, more or less")
	f.DurationVar(&o.QuickStart, "quick-start", 0, "for so long after its start it holds only a quarter as long")
	f.DurationVar(&o.Between, "between", 0, "with several locks: how long it works with one before it asks for the next")
	addWord(f, &jitter, "jitter", "", "--jitter", []string{contender.JitterSome, contender.JitterFull}, "some, or full: it holds for anything from 0 to twice --hold")
	f.IntVar(&o.Rounds, "rounds", 0, "end after so many turns, 0: never")
	f.IntVar(&o.Workers, "workers", 0, "run so many workers in one process with one session, each as NAME.N (mutex only)")
	f.BoolVar(&o.Manual, "manual", false, "do what standard input says, and nothing by itself")
	f.BoolVar(&o.IgnoreDone, "ignore-done", false, "go on working when the session is lost, as if it had not heard of that")
	f.StringVar(&o.Owner, "owner", "", "what it writes as the owner of a key, or as the leader (default: its name)")
	f.StringVar(&o.Resource, "resource", "", "host:port of the lab's guarded resource, read and written under the lock")
	f.Uint64Var(&o.Seed, "seed", 1, "repeat the variations of this seed")
	f.BoolVar(&withStdin, contender.EndWithStdinFlag, false, "end when standard input does")
	return cmd
}

// contenderClient is how a contender connects: as every command, with the timeouts of
// its own where none are said. A person hears now what is wrong with the endpoints or
// the login; a contender of a lab, which has neither user nor TLS, tries until it can.
func contenderClient(ctx context.Context, e *env, ofLab bool) (clientv3.Config, error) {
	if !ofLab || e.flags.user != "" || e.discovers() {
		if err := e.reach(ctx); err != nil {
			return clientv3.Config{}, err
		}
	}
	c, err := e.clientConfig(e.creds)
	if err != nil {
		return c, err
	}
	for flag, timeout := range map[string]*time.Duration{"dial-timeout": &c.DialTimeout,
		"keepalive-time": &c.DialKeepAliveTime, "keepalive-timeout": &c.DialKeepAliveTimeout} {
		if e.originOf(flag).rank == fromDefault {
			*timeout = 0
		}
	}
	return c, nil
}
