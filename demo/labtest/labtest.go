package labtest

import (
	"bufio"
	"context"
	"flag"
	"fmt"
	"io"
	"net"
	"os"
	"testing"
	"time"

	clientv3 "go.etcd.io/etcd/client/v3"
	"go.uber.org/zap"
)

// Patience bounds every wait for something that has to happen.
const Patience = 30 * time.Second

// WaitTogether lets more tests run at once than there are processors, unless somebody said how many:
// most of them wait for leases to end. TestMain calls it.
func WaitTogether() {
	flag.Parse()
	said := false
	flag.Visit(func(f *flag.Flag) { said = said || f.Name == "test.parallel" })
	if !said {
		_ = flag.Set("test.parallel", "6") // it is a number
	}
}

// Eventually waits until ok says so.
func Eventually(t *testing.T, what string, ok func() bool) {
	t.Helper()
	for end := time.Now().Add(Patience); !ok(); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("it did not happen within %v: %s", Patience, what)
		}
	}
}

// Queue are the keys of a lock as etcd has them, the holder's first.
func Queue(t *testing.T, cli *clientv3.Client, lock string) []string {
	t.Helper()
	r, err := cli.Get(t.Context(), lock+"/", clientv3.WithPrefix(),
		clientv3.WithSort(clientv3.SortByCreateRevision, clientv3.SortAscend))
	if err != nil {
		t.Fatal(err)
	}
	var keys []string
	for _, kv := range r.Kvs {
		keys = append(keys, string(kv.Key))
	}
	return keys
}

// NewClient connects to endpoints until the test ends.
func NewClient(t *testing.T, endpoints ...string) *clientv3.Client {
	t.Helper()
	c, err := clientv3.New(clientv3.Config{Endpoints: endpoints, DialTimeout: 5 * time.Second, Logger: zap.NewNop()})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	return c
}

// WantFree fails if somebody listens on one of addrs.
func WantFree(t *testing.T, addrs ...string) {
	t.Helper()
	for _, addr := range addrs {
		l, err := net.Listen("tcp", addr)
		if err != nil {
			t.Errorf("%s is still in use: %v", addr, err)
			continue
		}
		l.Close()
	}
}

// ExitWith ends the process: well where there is no error.
func ExitWith(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	os.Exit(0)
}

// SelfAs is the command line that runs this test binary again as a program.
func SelfAs(program string) []string {
	return []string{"env", "GORACE=atexit_sleep_ms=0", os.Args[0], program}
}

// NewLineReader returns a function that reads the next line, nil at the end.
func NewLineReader(r io.Reader) func() []byte {
	s := bufio.NewScanner(r)
	return func() []byte {
		if !s.Scan() {
			return nil
		}
		return s.Bytes()
	}
}

// LeaderOf waits for a leader.
func LeaderOf(t *testing.T, c interface {
	Leader(context.Context) (string, error)
}) (name string) {
	t.Helper()
	Eventually(t, "there is a leader", func() bool {
		var err error
		name, err = c.Leader(t.Context())
		return err == nil
	})
	return name
}
