package ticket

import (
	"encoding/json"
	"fmt"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"pgregory.net/rapid"

	"locktop/model"
	"locktop/model/modeltest"
	"locktop/model/store"
	"locktop/ui/report"
	"locktop/ui/report/metrics"
)

// TestNoExportedTimeIsLongerThanWasWatched: in no format, and in no metric, has anything lasted
// for longer than since the first event. Only what etcd says of a TTL, and dates, are left out.
func TestNoExportedTimeIsLongerThanWasWatched(t *testing.T) {
	for name, draw := range map[string]func(*rapid.T) *modeltest.History{"queues": modeltest.Draw, "keys that come back": modeltest.DrawReturns} {
		t.Run(name, func(t *testing.T) {
			rapid.Check(t, func(t *rapid.T) {
				s := store.New()
				s.Apply(model.Batch{Events: draw(t).Events})
				for format, text := range exports(t, s) {
					if wrong := tooLong(format, text, s.Now().Sub(modeltest.Start)); wrong != "" {
						t.Fatalf("%s: %s, of %s, in\n%s", format, wrong, s.Now().Sub(modeltest.Start), text)
					}
				}
			})
		})
	}
}

// exports is all that is written of a state, by format and thing.
func exports(t *rapid.T, s *store.Store) map[string]string {
	all := map[string]string{}
	put := func(name string, f func(*strings.Builder) error) {
		var b strings.Builder
		if err := f(&b); err != nil {
			t.Fatal(name, err)
		}
		all[name] = b.String()
	}
	o := report.Observation{At: s.Now(), For: s.Now().Sub(modeltest.Start), Prefixes: []string{""}}
	for _, format := range []string{"table", "wide", "json", "jsonl", "csv"} {
		put(format+" locks", func(b *strings.Builder) error { return report.Locks(b, s.View, s.Locks(), o, format) })
		put(format+" costs", func(b *strings.Builder) error { return report.Top(b, s.View, o, format) })
		for _, l := range s.Locks() {
			put(format+" lock "+l.Name, func(b *strings.Builder) error { return report.OneLock(b, s.View, l, o, format) })
		}
		put(format+" events", func(b *strings.Builder) error {
			e := report.NewEvents(b, s.View, format)
			for _, f := range s.Journal() {
				if err := e.Write(f); err != nil {
					return err
				}
			}
			return e.Close()
		})
	}
	p := New(s.View, Options{Source: "x.rec", From: modeltest.Start, Observation: o, Names: true})
	for _, format := range []string{"json", "md", "html"} {
		put(format+" page", func(b *strings.Builder) error { return p.Write(b, format) })
	}
	put("metrics", func(b *strings.Builder) error {
		x := metrics.New(s.View, &sync.Mutex{}, 100, func() model.Cost { return model.Cost{} })
		for _, f := range s.Journal() {
			if err := x.Count(f); err != nil {
				return err
			}
		}
		r := prometheus.NewPedanticRegistry()
		r.MustRegister(x)
		families, err := r.Gather()
		for _, f := range families {
			for _, m := range f.Metric {
				value := m.GetGauge().GetValue()
				if h := m.GetHistogram(); h.GetSampleCount() > 0 {
					value = h.GetSampleSum() / float64(h.GetSampleCount())
				}
				if strings.HasSuffix(f.GetName(), "_seconds") && !strings.Contains(f.GetName(), "timestamp") {
					fmt.Fprintf(b, "%s %g\n", f.GetName(), value)
				}
			}
		}
		return err
	})
	return all
}

var (
	hoursOrDays = regexp.MustCompile(`\d+(d\d\dh|h\d\dm)`)
	metricLine  = regexp.MustCompile(`(?m)^(\S+) (\S+)$`)
	csvYears    = regexp.MustCompile(`(?m)(^|,)-?\d{9,}[\d.e+]*(,|$)`)
	timed       = regexp.MustCompile(`held|wait|gap|free|hold|for$|ago|renewed`)
)

// tooLong returns what lasted for longer than whole, or for less than no time; "" for nothing.
func tooLong(format, text string, whole time.Duration) string {
	if d := hoursOrDays.FindString(text); d != "" {
		return d
	}
	switch kind, thing, _ := strings.Cut(format, " "); {
	case format == "metrics":
		for _, m := range metricLine.FindAllStringSubmatch(text, -1) {
			var v float64
			if _, err := fmt.Sscan(m[2], &v); err != nil || v < 0 || v > whole.Seconds()+0.001 {
				return m[0]
			}
		}
	case kind == "csv":
		return csvYears.FindString(text)
	case kind == "json" || kind == "jsonl":
		d := json.NewDecoder(strings.NewReader(text))
		for d.More() {
			var v any
			if err := d.Decode(&v); err != nil {
				return thing + ": " + err.Error()
			}
			if wrong := tooLongIn("", v, whole.Seconds()); wrong != "" {
				return wrong
			}
		}
	}
	return ""
}

// tooLongIn looks through a JSON value. What all together waited may be longer than was watched,
// but not by years.
func tooLongIn(name string, v any, whole float64) string {
	switch v := v.(type) {
	case map[string]any:
		for k, x := range v {
			if wrong := tooLongIn(k, x, whole); wrong != "" {
				return wrong
			}
		}
	case []any:
		for _, x := range v {
			if wrong := tooLongIn(name, x, whole); wrong != "" {
				return wrong
			}
		}
	case float64:
		if timed.MatchString(name) && (v < 0 || v > 1000*(whole+1)) {
			return fmt.Sprintf("%s %g", name, v)
		}
	}
	return ""
}
