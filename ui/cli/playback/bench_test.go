//go:build unix

package playback

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"syscall"
	"testing"
	"time"

	"locktop/model"
	"locktop/model/modeltest"
	"locktop/ui/host"
	"locktop/watcher/recording"
)

// busy is a recording, as it is on a disk, of so many claims and then so many events in an
// hour, of which each second one ends a claim.
func busy(b *testing.B, claims, events int) *os.File {
	b.Helper()
	var file bytes.Buffer
	r := recording.NewRecorder(&file, recording.Options{Lag: time.Hour})
	write := func(events ...model.Event) {
		if err := r.Write(model.Batch{Events: events}); err != nil {
			b.Fatal(err)
		}
	}
	write(modeltest.TenClaims(claims)...)
	h := modeltest.New()
	h.Rev = int64(claims)
	for i := range events / 2 {
		lease := model.LeaseID(0x700000000000000 + i)
		key := modeltest.ClaimKey(fmt.Sprintf("/bench/lock-%06d", i%(claims/10)), lease)
		at := float64(i) * 7200 / float64(events)
		h.Put(at, key, "", lease)
		h.Del(at+3600/float64(events), key)
		write(h.Events...)
		h.Events = h.Events[:0]
	}
	if err := r.Close(); err != nil {
		b.Fatal(err)
	}
	name := filepath.Join(b.TempDir(), "r")
	if err := os.WriteFile(name, file.Bytes(), 0o600); err != nil {
		b.Fatal(err)
	}
	in, err := os.Open(name)
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { in.Close() })
	return in
}

// seeks are how many times BenchmarkGo goes to a moment at random: always the same ones.
const seeks = 200

// BenchmarkGo goes back and forth in an hour of a recording. What the processor did
// for a moment is said too, the collector of memory included: others may use the machine.
func BenchmarkGo(b *testing.B) {
	for _, row := range []struct{ claims, events int }{{10_000, 72_000}, {100_000, 72_000}, {10_000, 1_000_000}} {
		b.Run(fmt.Sprintf("%d_claims_%d_events", row.claims, row.events), func(b *testing.B) {
			in, p := busy(b, row.claims, row.events), New(1, nil)
			info, err := in.Stat()
			if err != nil {
				b.Fatal(err)
			}
			began := time.Now()
			segments, err := recording.OpenSegments(b.Context(), in, info.Size())
			if err != nil || segments.Cut != nil {
				b.Fatal(err, segments.Cut)
			}
			if err := p.Load(b.Context(), segments, time.Time{}); err != nil {
				b.Fatal(err)
			}
			opened := time.Since(began)
			if err := p.marks.wait(b.Context(), func() bool { return false }); err != nil {
				b.Fatal(err)
			}
			scanned := time.Since(began)
			b.Logf("%d events in %d bytes; %d states are kept, of %d keys", segments.Len(), info.Size(), len(p.marks.kept), p.marks.keys)
			p.marks.mu.Unlock()
			var took, used []time.Duration
			for b.Loop() {
				random := rand.New(rand.NewPCG(1, 1))
				for range seeks {
					at := modeltest.At(3600 * random.Float64())
					began, before := time.Now(), processor(b)
					if _, err := p.Go(b.Context(), host.Goal{Kind: host.StopTime, Text: at.Format(time.RFC3339Nano)}); err != nil {
						b.Fatal(err)
					}
					took, used = append(took, time.Since(began)), append(used, processor(b)-before)
				}
			}
			slices.Sort(took)
			slices.Sort(used)
			b.ReportMetric(float64(used[len(used)/2].Microseconds())/1000, "processor-ms-p50")
			b.ReportMetric(float64(used[len(used)*99/100].Microseconds())/1000, "processor-ms-p99")
			b.ReportMetric(float64(opened.Milliseconds()), "ms-to-open")
			b.ReportMetric(float64(scanned.Milliseconds()), "ms-to-scan")
			b.ReportMetric(float64(took[len(took)/2].Microseconds())/1000, "ms-p50")
			b.ReportMetric(float64(took[len(took)*99/100].Microseconds())/1000, "ms-p99")
		})
	}
}

// processor is what this process has used of it.
func processor(b *testing.B) time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		b.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
