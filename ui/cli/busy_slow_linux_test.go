//go:build slow

package cli

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"strconv"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/spf13/cobra"
	pb "go.etcd.io/etcd/api/v3/etcdserverpb"
	clientv3 "go.etcd.io/etcd/client/v3"
	"google.golang.org/grpc"
)

// busyKeys is how many locks of one key hang on the lease that misses its renewal.
const busyKeys = 20_000

// endedWithin is what is promised; a machine that does other work is given as much again.
const endedWithin = 2 * time.Second

// aBusyCluster has so many locks on one lease, and nobody renews that.
func aBusyCluster(t *testing.T) string {
	t.Helper()
	const ttl, txn = 600, 100
	late := func(ctx context.Context, req any, _ *grpc.UnaryServerInfo, next grpc.UnaryHandler) (any, error) {
		answer, err := next(ctx, req)
		if r, ok := answer.(*pb.LeaseTimeToLiveResponse); ok {
			r.TTL -= ttl/3 + 5 // as if it had been renewed so long ago
		}
		return answer, err
	}
	endpoint := member(t, grpc.ChainUnaryInterceptor(late))
	client, err := clientv3.New(clientv3.Config{Endpoints: []string{endpoint}, DialTimeout: 30 * time.Second})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { client.Close() })
	ctx, cancel := context.WithTimeout(t.Context(), 3*time.Minute)
	defer cancel()
	lease, err := client.Grant(ctx, ttl)
	if err != nil {
		t.Fatal(err)
	}
	for i := 0; i < busyKeys; i += txn {
		var puts []clientv3.Op
		for j := range txn {
			puts = append(puts, clientv3.OpPut(fmt.Sprintf("/locks/k%06d", i+j), "", clientv3.WithLease(lease.ID)))
		}
		if _, err := client.Txn(ctx).Then(puts...).Commit(); err != nil {
			t.Fatal(err)
		}
	}
	return endpoint
}

// worked is how long a process has had a processor.
func worked(pid int) time.Duration {
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return 0 // it has ended
	}
	_, rest, _ := bytes.Cut(stat, []byte(") "))
	fields := strings.Fields(string(rest))
	user, _ := strconv.Atoi(fields[11]) // in hundredths of a second
	system, _ := strconv.Atoi(fields[12])
	return time.Duration(user+system) * 10 * time.Millisecond
}

// TestASignalEndsEveryCommandAtWork, however much there is to think about: thousands of locks hang
// on one lease, which misses its renewal.
func TestASignalEndsEveryCommandAtWork(t *testing.T) {
	t.Parallel()
	endpoint := aBusyCluster(t)
	var longest atomic.Int64
	t.Cleanup(func() { figure(t, "an end at work", inTime(time.Duration(longest.Load()))) })
	for _, r := range []struct {
		command string
		codes   string // that it may have; 0 also where it had its answer before the signal
	}{
		{"ls", "0 1"},
		{"ls -o json", "0 1"},
		{"describe /locks/k000007", "0 1"},
		{"discover", "0 1"},
		{"top --for 50s", "1"},
		{"doctor", "0 1 2"},
		{"report", "2"},
		{"events", "0 2"},         // 2 before the list has ended
		{"record DIR/rec", "0 2"}, // 2 before the list has ended
		{"serve --listen 127.0.0.1:0", "0"},
		{"break /locks/k000007 --dry-run", "0 1"},
		{"", "0"},
	} {
		for sig, work := range map[syscall.Signal]time.Duration{syscall.SIGINT: 200 * time.Millisecond, syscall.SIGTERM: 700 * time.Millisecond} {
			t.Run(r.command+", "+sig.String(), func(t *testing.T) {
				dir := t.TempDir()
				cmd := exec.Command(locktop(t), append(strings.Fields(strings.Replace(r.command, "DIR", dir, 1)), "--endpoints", endpoint, "--prefix", "/locks/")...)
				if r.command == "discover" {
					cmd.Args = cmd.Args[:len(cmd.Args)-2]
				}
				cmd.Env = append(cleanEnv(dir), "HOME="+dir)
				if r.command == "" {
					onTerminal(t, cmd)
				} else {
					start(t, cmd)
				}
				ended := make(chan struct{})
				go func() { _ = cmd.Wait(); close(ended) }() // its code is looked at
				until(t, "it works", func() bool {
					select {
					case <-ended:
						return true
					default:
						return worked(cmd.Process.Pid) >= work
					}
				})
				told := time.Now()
				_ = cmd.Process.Signal(sig) // it may have ended
				<-ended
				took := time.Since(told)
				longest.Store(max(longest.Load(), int64(took)))
				code := strconv.Itoa(cmd.ProcessState.ExitCode())
				interrupted := code == "1" && took >= lastResortAfter // the last resort ended it, on a machine that does other work
				if took > 2*endedWithin || !strings.Contains(r.codes, code) && !interrupted {
					t.Errorf("%v after %s, want exit %s", cmd.ProcessState, took, r.codes)
				}
			})
		}
	}
}

// thoughtEnv makes the test program one that thinks for ever.
const thoughtEnv = "LOCKTOP_TEST_THINKS"

func init() { thinks = thinking }

// thinking says whether this process is to be no test, but a command that does not look whether it
// is to end.
func thinking() bool {
	name := os.Getenv(thoughtEnv)
	if name == "" {
		return false
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	r := newLastResort(ctx, newPrinted(ctx, os.Stderr))
	root := &cobra.Command{Use: "locktop"}
	of := &cobra.Command{Use: name}
	root.AddCommand(of)
	r.command.Store(of)
	fmt.Println("thinks")
	for i := 0; ; i++ {
		_ = i
	}
}

// TestTheLastResort: what looks at nothing is ended all the same, with the code and the word of its
// command.
func TestTheLastResort(t *testing.T) {
	for _, r := range []struct {
		command, reason, says string
		code                  int
		unread                bool
	}{
		{"ls", "nothing to add", "", exitFailed, false},
		{"doctor", "1 would be findings", "locktop: interrupted\n", exitBad, false},
		{"doctor", "nobody reads its last word", "", exitBad, true},
	} {
		t.Run(r.command+", "+r.reason, func(t *testing.T) {
			t.Parallel()
			cmd := exec.Command(os.Args[0])
			cmd.Env = append(os.Environ(), thoughtEnv+"="+r.command)
			var errs bytes.Buffer
			cmd.Stderr = &errs
			if r.unread {
				read, write, err := os.Pipe()
				if err != nil {
					t.Fatal(err)
				}
				defer read.Close()
				defer write.Close()
				full := bytes.Repeat([]byte("x"), 1<<16)
				if _, err := write.Write(full); err != nil {
					t.Fatal(err)
				}
				cmd.Stderr = write
			}
			out, err := cmd.StdoutPipe()
			if err != nil {
				t.Fatal(err)
			}
			start(t, cmd)
			if _, err := io.ReadFull(out, make([]byte, len("thinks\n"))); err != nil {
				t.Fatal(err)
			}
			told := time.Now()
			if err := cmd.Process.Signal(syscall.SIGTERM); err != nil {
				t.Fatal(err)
			}
			_ = cmd.Wait() // its code is looked at
			took := time.Since(told)
			if took < lastResortAfter || cmd.ProcessState.ExitCode() != r.code || errs.String() != r.says {
				t.Errorf("%v after %s, and it says %q; want exit %d and %q", cmd.ProcessState, took, errs.String(), r.code, r.says)
			}
		})
	}
}
