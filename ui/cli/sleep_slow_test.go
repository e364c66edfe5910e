//go:build slow

package cli

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	clientv3 "go.etcd.io/etcd/client/v3"
	"go.etcd.io/etcd/client/v3/concurrency"
)

// traffic takes and lets go of the lock /busy by two sessions, a moment each, and holds
// /calm all the while.
func traffic(t *testing.T, endpoint string) {
	t.Helper()
	client, err := clientv3.New(clientv3.Config{Endpoints: []string{endpoint}, DialTimeout: 20 * time.Second})
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(context.Background())
	var wg sync.WaitGroup
	t.Cleanup(func() {
		stop()
		wg.Wait()
		client.Close()
	})
	session := func() *concurrency.Session {
		s, err := concurrency.NewSession(client, concurrency.WithTTL(6), concurrency.WithContext(ctx))
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	if err := concurrency.NewMutex(session(), "/calm").Lock(ctx); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		m := concurrency.NewMutex(session(), "/busy")
		wg.Go(func() {
			for m.Lock(ctx) == nil {
				select {
				case <-time.After(100 * time.Millisecond):
				case <-ctx.Done():
				}
				if m.Unlock(ctx) != nil {
					return
				}
			}
		})
	}
}

// stopFor is for how long locktop is stopped: longer than any wait on /busy, and than two
// thirds of the TTL of its sessions.
const stopFor = 4 * time.Second

// nap stops the program for a while and lets it go on.
func nap(t *testing.T, cmd *exec.Cmd) {
	t.Helper()
	if err := cmd.Process.Signal(syscall.SIGSTOP); err != nil {
		t.Fatal(err)
	}
	time.Sleep(stopFor) // it is not waited for anything: this is how long the program sleeps
	if err := cmd.Process.Signal(syscall.SIGCONT); err != nil {
		t.Fatal(err)
	}
}

// TestAStoppedLocktopInventsNothing: the locks went on while it was stopped. Nobody held
// for as long as that, nothing is wrong, and what came meanwhile has no time.
func TestAStoppedLocktopInventsNothing(t *testing.T) {
	t.Parallel()
	b := newCLIOn(t, installedServer(t))
	traffic(t, b.endpoint)
	cmd := exec.Command(locktop(t), "events", "-o", "jsonl", "--endpoints", b.endpoint)
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	start(t, cmd)
	lines := bufio.NewScanner(out)
	type entry struct {
		At         *time.Time
		Kind, Text string
	}
	next := func() (e entry) {
		if !lines.Scan() {
			t.Fatalf("events ended: %v", lines.Err())
		}
		if err := json.Unmarshal(lines.Bytes(), &e); err != nil {
			t.Fatalf("%v: %s", err, lines.Bytes())
		}
		return e
	}
	handovers := func(n int) (all []entry) {
		for dated := 0; dated < n; {
			e := next()
			if all = append(all, e); e.Kind == "handover" && e.At != nil {
				dated++
			}
		}
		return all
	}
	handovers(5)
	nap(t, cmd)
	held, slept, undated := regexp.MustCompile(` after ([0-9hms.]+):`), false, 0
	for _, e := range handovers(40) { // also those that it had been told of before it was stopped
		if m := held.FindStringSubmatch(e.Text); m != nil {
			if d, err := time.ParseDuration(m[1]); err != nil || d > stopFor/2 {
				t.Errorf("nobody held for %s: %s", m[1], e.Text)
			}
		}
		if e.Kind == "finding" {
			t.Errorf("nothing is wrong: %s", e.Text)
		}
		if e.Kind == "handover" && e.At == nil {
			undated++
		}
		slept = slept || strings.HasPrefix(e.Text, "locktop did not run for ")
	}
	if !slept || undated == 0 {
		t.Errorf("it is said that locktop slept: %v, with %d handovers meanwhile", slept, undated)
	}
}

// TestADoctorThatWasStoppedFindsNothingWrong: neither while it observes, nor in a look that
// was slept through.
func TestADoctorThatWasStoppedFindsNothingWrong(t *testing.T) {
	t.Parallel()
	b := newCLIOn(t, installedServer(t))
	traffic(t, b.endpoint)
	found := regexp.MustCompile(`(?m)^ *(error|warning) `)
	for _, args := range [][]string{{"doctor", "--for", "3s"}, {"doctor"}, {"describe", "/calm"}} {
		t.Run(strings.Join(args, " "), func(t *testing.T) {
			t.Parallel()
			cmd := exec.Command(locktop(t), append(args, "--endpoints", b.endpoint, "--command-timeout", "4s")...)
			var stdout, stderr bytes.Buffer
			cmd.Stdout, cmd.Stderr = &stdout, &stderr
			cmd.Env = append(os.Environ(), "ETCDCTL_DIAL_TIMEOUT=20s")
			start(t, cmd)
			nap(t, cmd)
			cmd.Wait()
			if code := cmd.ProcessState.ExitCode(); code != 0 || found.Match(stdout.Bytes()) {
				t.Errorf("exit %d\n%s%s", code, &stdout, &stderr)
			}
		})
	}
}
