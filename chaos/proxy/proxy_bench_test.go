//go:build unix

package proxy

import (
	"fmt"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"locktop/chaos/chaostest"

	clientv3 "go.etcd.io/etcd/client/v3"
	"go.etcd.io/etcd/client/v3/concurrency"
	"go.etcd.io/etcd/server/v3/embed"
)

// BenchmarkLock takes and gives back locks, without and with a proxy that has no
// fault in force, by one client and by 64, each with locks of its own. The proxy has
// to keep 0.75 and 0.85 of the throughput. On a machine that is busy with other things
// the processor's time says more than the rate: it is of all three together.
func BenchmarkLock(b *testing.B) {
	member := chaostest.StartMember(b, func(c *embed.Config) { c.UnsafeNoFsync = false })
	p := startProxy(b, Options{Backends: []string{member}})
	for _, n := range []int{1, 64} {
		b.Run(fmt.Sprintf("direct/%d", n), func(b *testing.B) {
			benchLocks(b, n, func(int) *clientv3.Client { return chaostest.Dial(b, []string{member}) })
		})
		b.Run(fmt.Sprintf("proxy/%d", n), func(b *testing.B) {
			benchLocks(b, n, func(i int) *clientv3.Client {
				name := fmt.Sprintf("c%d", i)
				b.Cleanup(func() { p.Forget(name) })
				return behind(b, p, name)
			})
		})
	}
}

func benchLocks(b *testing.B, clients int, open func(i int) *clientv3.Client) {
	var locks []*concurrency.Mutex
	for i := range clients {
		s := openSession(b, open(i), 60)
		locks = append(locks, concurrency.NewMutex(s, fmt.Sprintf("/bench/%d", i)))
	}
	var left atomic.Int64
	b.ReportAllocs()
	b.ResetTimer()
	began := cpuTime(b)
	left.Store(int64(b.N))
	var all sync.WaitGroup
	for _, m := range locks {
		all.Go(func() {
			for left.Add(-1) >= 0 {
				if err := m.Lock(b.Context()); err != nil {
					b.Error(err)
					return
				}
				if err := m.Unlock(b.Context()); err != nil {
					b.Error(err)
					return
				}
			}
		})
	}
	all.Wait()
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "locks/s")
	b.ReportMetric((cpuTime(b)-began).Seconds()*1e6/float64(b.N), "cpu-µs/lock")
}

// cpuTime is what this process, which is client, proxy and member here, has used.
func cpuTime(b *testing.B) time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		b.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
