package main

import (
	"bufio"
	"fmt"
	"os"
	"runtime"
	"slices"
	"strings"
	"text/tabwriter"
	"time"
)

// cell is a place of the table.
type cell struct{ arm, load string }

// results are the measurements of all rounds, in their order.
type results map[cell][]measurement

// table compares every arm with the first.
func (r results) table(o options) string {
	var b strings.Builder
	w := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	_, _ = fmt.Fprintln(w, "load\tclients\tarm\tp50\tp99\tadded p50\tadded p99\tper second\tratio\tof rounds")
	for _, load := range o.loads {
		clients := 1
		if load == crowd {
			clients = o.clients
		}
		for _, arm := range o.arms {
			_, _ = fmt.Fprintf(w, "%s\t%d\t%s\t%s\n", load, clients, arm, r.row(cell{arm, load}, cell{o.arms[0], load}))
		}
	}
	_ = w.Flush() // into memory
	return b.String()
}

// row is what was measured in a cell, and the same compared with another cell.
func (r results) row(c, base cell) string {
	p50, p99, rate := r.medians(c)
	if c == base {
		return fmt.Sprintf("%v\t%v\t\t\t%.0f\t\t", p50, p99, rate)
	}
	base50, base99, _ := r.medians(base)
	var ratios []float64
	for i, m := range r[c] {
		ratios = append(ratios, m.rate/r[base][i].rate)
	}
	return fmt.Sprintf("%v\t%v\t%v\t%v\t%.0f\t%.2f\t%.2f to %.2f", p50, p99, p50-base50, p99-base99, rate,
		median(ratios), slices.Min(ratios), slices.Max(ratios))
}

// medians are over the rounds, in full microseconds.
func (r results) medians(c cell) (p50, p99 time.Duration, rate float64) {
	var p50s, p99s, rates []float64
	for _, m := range r[c] {
		p50s, p99s, rates = append(p50s, float64(m.p50)), append(p99s, float64(m.p99)), append(rates, m.rate)
	}
	whole := func(d float64) time.Duration { return time.Duration(d).Round(time.Microsecond) }
	return whole(median(p50s)), whole(median(p99s)), median(rates)
}

// median sorts what it is given.
func median(v []float64) float64 {
	slices.Sort(v)
	n := len(v)
	return (v[(n-1)/2] + v[n/2]) / 2
}

// machine says where it was measured.
func machine(o options) string {
	return fmt.Sprintf("%d cores, %s, %s/%s, %s\n%d rounds of %gs an arm; medians over the rounds; member and proxies in processes of their own\n\n",
		runtime.NumCPU(), cpu(), runtime.GOOS, runtime.GOARCH, runtime.Version(), o.rounds, o.seconds)
}

// cpu names the processor as Linux does, where it does.
func cpu() string {
	f, err := os.Open("/proc/cpuinfo")
	if err != nil {
		return "unnamed processor"
	}
	defer f.Close()
	for in := bufio.NewScanner(f); in.Scan(); {
		if name, ok := strings.CutPrefix(in.Text(), "model name"); ok {
			return strings.TrimLeft(name, "\t :")
		}
	}
	return "unnamed processor"
}
