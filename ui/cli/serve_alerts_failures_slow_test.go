//go:build slow

package cli

import (
	"bufio"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// TestAlertsOfRealFailures has promtool try the alerts with what serve told while real failures went
// on, scraped and evaluated each 15 s and each minute, from three moments on.
func TestAlertsOfRealFailures(t *testing.T) {
	t.Parallel()
	promtool, all := require(t, "promtool"), failures(t)
	rules, err := filepath.Abs(filepath.Join(prometheusFiles, "alerts.yml"))
	if err != nil {
		t.Fatal(err)
	}
	lock := func(name string) string { return `,lock="/jobs/` + name + `"` }
	holders := []string{lock("five"), lock("ten"), lock("twenty"), lock("thirty"), lock("sixty")}
	for _, r := range []struct {
		failure, alert string
		of             []string
		from           int // seconds until the failure can be seen: a third of 60 s of TTL is no loss
		reason         string
	}{
		{"die", "LockHolderLate", holders, 35, "the code goes from keepalive-stalled to dead-holder; with a TTL of 5 s both are over in 3 s"},
		{"pause", "LockHolderLate", holders, 35, "as a holder that dies"},
		{"path", "LockHolderLate", holders, 35, "as a holder that dies"},
		{"held", "LockHolderLate", holders, 35, "as a holder that dies, and its program is alive"},
		{"unattended", "LockHolderLate", []string{lock("none")}, 35, "nobody renews, and nobody ever did"},
		{"deadlock", "LockDeadlock", []string{lock("x"), lock("y")}, 0, "both locks"},
		{"blocked", "LockBlocked", []string{lock("stuck")}, 0, "a key without a lease, and one waits"},
		{"mass", "LockMassLoss", []string{`,prefix="/jobs/"`}, 0, "fifteen at once: two scrapes see the rise"},
		{"quorum", "EtcdNoQuorum", []string{""}, 10, "first the members do not serve, then it is found"},
		{"blind", "LocktopBlind", []string{""}, 10, "serve answers, and says that it does not see"},
		{"gone", "LocktopBlind", []string{""}, 0, "serve does not answer, as up says"},
	} {
		f := all[r.failure]
		if len(f) == 0 {
			t.Errorf("nothing is written down of %s", r.failure)
			continue
		}
		for _, pace := range []struct{ every, within int }{{15, 60}, {60, 180}} {
			for first := 0; first < pace.every; first += pace.every / 3 {
				said := fmt.Sprintf("rule_files: [%q]\nevaluation_interval: %ds\ntests:\n  - interval: %ds\n    input_series:\n%s    promql_expr_test:\n",
					rules, pace.every, pace.every, f.scraped(pace.every, first, 480))
				end := lead + 5 + r.from + pace.within - first // the failure began at 5 s, and the time here is 0 at the first scrape
				end += pace.every - 1 - (end+pace.every-1)%pace.every
				for _, of := range r.of {
					said += fmt.Sprintf("      - {expr: 'count(last_over_time(ALERTS{alertname=\"%s\",alertstate=\"firing\"%s}[10m]))', eval_time: %ds, exp_samples: [{value: 1}]}\n", r.alert, of, end)
				}
				file := filepath.Join(t.TempDir(), "test.yml")
				if err := os.WriteFile(file, []byte(said), 0o600); err != nil {
					t.Fatal(err)
				}
				if out, err := exec.Command(promtool, "test", "rules", file).CombinedOutput(); err != nil {
					t.Errorf("%s does not fire within %d s of %s, scraped and evaluated each %d s from %d s on: %s\n%s", r.alert, r.from+pace.within, r.failure, pace.every, first, r.reason, out)
				}
			}
		}
	}
}

// failure is what serve told of a real one: of each series its values from when on, NaN for none.
type failure map[string][]struct{ at, value float64 }

// at is the value of a series at a time, NaN for none.
func (f failure) at(series string, t float64) float64 {
	v := math.NaN()
	for _, x := range f[series] {
		if x.at <= t {
			v = x.value
		}
	}
	return v
}

// failures are those of testdata/failures.txt, by their names.
func failures(t *testing.T) map[string]failure {
	t.Helper()
	file, err := os.Open("testdata/failures.txt")
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	all, now := map[string]failure{}, failure{}
	in := bufio.NewScanner(file)
	for in.Scan() {
		line := in.Text()
		if name, begins := strings.CutPrefix(line, "== "); begins {
			now = failure{}
			name, _, _ = strings.Cut(name, ":")
			all[name] = now
			continue
		}
		if strings.HasPrefix(line, "#") {
			continue
		}
		at, rest, _ := strings.Cut(line, " ")
		i := strings.LastIndexByte(rest, ' ')
		series, text := rest[:i], rest[i+1:]
		if !strings.HasPrefix(series, "up{") {
			series = "locktop_" + series
		}
		when, err := strconv.ParseFloat(at, 64)
		value := math.NaN()
		if err == nil && text != "-" {
			value, err = strconv.ParseFloat(text, 64)
		}
		if err != nil {
			t.Fatalf("%q: %v", line, err)
		}
		now[series] = append(now[series], struct{ at, value float64 }{when, value})
	}
	if err := in.Err(); err != nil {
		t.Fatal(err)
	}
	return all
}

// lead is for how many seconds all was as at the beginning, before what is written down.
const lead = 120

// scraped writes a failure as promtool reads it: scraped each so many seconds, the first time
// after some. What goes is marked as gone, as Prometheus does.
func (f failure) scraped(every, first, until int) string {
	var b strings.Builder
	var names []string
	for series := range f {
		names = append(names, series)
	}
	slices.Sort(names)
	for _, series := range names {
		fmt.Fprintf(&b, "      - series: '%s'\n        values: '", series)
		there := false
		for at := 0; at <= until; at += every {
			v := f.at(series, max(1, float64(at+first-lead)))
			switch {
			case !math.IsNaN(v):
				fmt.Fprintf(&b, "%v ", v)
			case there:
				b.WriteString("stale ")
			default:
				b.WriteString("_ ")
			}
			there = !math.IsNaN(v)
		}
		b.WriteString("'\n")
	}
	return b.String()
}
