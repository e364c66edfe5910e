package metrics

import (
	"fmt"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/testutil"
	"github.com/prometheus/common/expfmt"
	prommodel "github.com/prometheus/common/model"

	"locktop/model"
	"locktop/model/modeltest"

	"locktop/model/journal"
	"locktop/model/recipe"
	"locktop/model/store"
)

func TestPattern(t *testing.T) {
	for _, r := range []struct{ lock, want, reason string }{
		{"/locks/billing", "/locks/billing", "there is nothing that varies"},
		{"/locks/2024-11-22/shard-17", "/locks/*-*-*/shard-*", "numbers"},
		{"/locks/7b1f0a52-93c4-4c1e-9f0a-1d2e3f405162/run", "/locks/*/run", "a UUID"},
		{"/locks/7B1F0A52-93C4-4C1E-9F0A-1D2E3F405162/run", "/locks/*/run", "in capitals"},
		{"/build/694d8f3e2a", "/build/*", "a hash"},
		{"/deadbeef/facade", "/deadbeef/facade", "words of hex letters alone are words"},
		{"/node-a1/v3", "/node-a*/v*", "of a short word only the number varies"},
		{"/a\xff\n1", `/a\xff\n*`, "what is no text is escaped: a label is one line of UTF-8"},
		{"", "", "no name"},
	} {
		if got := Pattern(r.lock); got != r.want {
			t.Errorf("Pattern(%q) = %q, want %q: %s", r.lock, got, r.want, r.reason)
		}
	}
}

// told folds a history, and counts its journal as a session does.
func told(t *testing.T, h *modeltest.History, series int, pins ...model.Pin) (*Exporter, *prometheus.Registry) {
	t.Helper()
	s := store.New(pins...)
	x := New(s.View, &sync.Mutex{}, series, func() model.Cost { return model.Cost{RPS: 2, Budget: 20, Readings: 7, Behind: 1} })
	s.Apply(model.Batch{Events: h.Events})
	for _, e := range s.JournalAfter(0) {
		if err := x.Count(e); err != nil {
			t.Fatal(err)
		}
	}
	r := prometheus.NewPedanticRegistry()
	r.MustRegister(x)
	return x, r
}

// TestPermitsAreCounted: who waited for a permit and took it counts, and so does each holder that went.
func TestPermitsAreCounted(t *testing.T) {
	h := modeltest.New()
	h.Loaded(0)
	for i := range 3 {
		h.Put(1, modeltest.ClaimKey("/pool", model.LeaseID(0xa0+i)), "", model.LeaseID(0xa0+i))
	}
	h.Del(5, modeltest.ClaimKey("/pool", 0xa1))
	h.Read(5.1, 0xa1, 60, 55)
	h.Add(model.Tick{At: modeltest.At(20)})
	_, r := told(t, h, 100, model.Pin{Prefix: "/pool", Recipe: recipe.Named("semaphore:2")})
	families, err := r.Gather()
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]float64{}
	for _, f := range families {
		for _, m := range f.Metric {
			for _, l := range m.Label {
				if l.GetName() == "recipe" && l.GetValue() == "semaphore:2" {
					got[f.GetName()] += m.GetHistogram().GetSampleSum() + m.GetCounter().GetValue()
				}
			}
		}
	}
	for name, want := range map[string]float64{"locktop_wait_seconds": 4, "locktop_hold_seconds": 4, "locktop_holders_gone_total": 1} {
		if got[name] != want {
			t.Errorf("%s is %v, want %v: %v", name, got[name], want, got)
		}
	}
}

// TestWhatIsTold: a queue of three that moves once, beside one that stands behind a key
// without a lease.
func TestWhatIsTold(t *testing.T) {
	h := modeltest.New()
	h.Loaded(0)
	h.Put(1, "/locks/7/b1", "", 0xb1)
	h.Put(2, "/locks/7/b2", "", 0xb2)
	h.Put(3, "/locks/7/b3", "", 0xb3)
	h.Put(4, "/locks/stuck/c1", "", 0)
	h.Put(5, "/locks/stuck/c2", "", 0xc2) // Go's mutex names its keys by their leases
	h.Add(model.Watching{At: modeltest.At(6), Rev: h.Rev})
	h.Del(11, "/locks/7/b1")
	h.Read(11.5, 0xb1, 60, 50)
	h.Add(model.Watching{At: modeltest.At(21), Rev: h.Rev}, model.Tick{At: modeltest.At(30)})
	x, r := told(t, h, DefaultSeries)
	for _, row := range []struct{ name, want, reason string }{
		{"locktop_lock_waiters", "locktop_lock_waiters{lock=\"/locks/*\"} 1\nlocktop_lock_waiters{lock=\"/locks/stuck\"} 1", "b3, and c2 behind the key that blocks"},
		{"locktop_lock_holder_since_timestamp_seconds", fmt.Sprintf("locktop_lock_holder_since_timestamp_seconds{lock=\"/locks/*\"} %.9e", unix(modeltest.At(11))), "b2 since b1 let go; nobody holds the other"},
		{"locktop_lock_waiting_since_timestamp_seconds", fmt.Sprintf("locktop_lock_waiting_since_timestamp_seconds{lock=\"/locks/*\"} %.9e\nlocktop_lock_waiting_since_timestamp_seconds{lock=\"/locks/stuck\"} %v", unix(modeltest.At(3)), unix(modeltest.At(5))), "moments, and no ages: whoever reads subtracts"},
		{"locktop_findings", `locktop_findings{code="foreign-key",confidence="certain",severity="error"} 1`, "a key without a lease blocks"},
		{"locktop_lock_finding_since_timestamp_seconds", fmt.Sprintf("locktop_lock_finding_since_timestamp_seconds{code=\"foreign-key\",confidence=\"certain\",lock=\"/locks/stuck\"} %v", unix(modeltest.At(5))), "at the lock"},
		{"locktop_prefix_live", `locktop_prefix_live{prefix=""} 1`, "it is seen"},
		{"locktop_lease_readings_total", "locktop_lease_readings_total 7", "what looking costs"},
		{"locktop_locks_without_series", "locktop_locks_without_series 0", "there is room"},
	} {
		text := exposed(t, x, row.name)
		if text != row.want {
			t.Errorf("%s: %s\n got %s\nwant %s", row.name, row.reason, text, row.want)
		}
	}
	if problems, err := testutil.GatherAndLint(r); err != nil || len(problems) > 0 {
		t.Errorf("not as Prometheus wants it: %v %v", problems, err)
	}
	for _, row := range []struct{ name, want, reason string }{
		{"locktop_handovers_total", `{cause="released",prefix="",recipe="mutex"} 1`, "b1 let go, and b2 has it"},
		{"locktop_holders_gone_total", `{cause="released",prefix="",recipe="mutex"} 1`, "the same one"},
		{"locktop_holders_gone_total", `{cause="expired",prefix="",recipe="mutex"} 0`, "what has not happened is 0, so that the first one is a rise"},
	} {
		if text := exposed(t, x, row.name); !strings.Contains(text, row.name+row.want) {
			t.Errorf("%s: %s\n got %s\nwant %s", row.name, row.reason, text, row.want)
		}
	}
	hist := exposed(t, x, "locktop_hold_seconds")
	if !strings.Contains(hist, "locktop_hold_seconds_sum{prefix=\"\",recipe=\"mutex\"} 10\n") {
		t.Errorf("b1 held for 10 s:\n%s", hist)
	}
}

// TestMembersAsSeenFromHere: how each member answers, what it could not, and how full it is.
func TestMembersAsSeenFromHere(t *testing.T) {
	h := modeltest.New()
	h.Loaded(0)
	h.Add(model.ClusterStatus{At: modeltest.At(1), ClusterID: 1, Agreed: model.Answers{Asked: 9, Failed: 1, Usual: 4 * time.Millisecond, Longest: 2 * time.Second, Slow: 1},
		Members: []model.Member{
			{ID: 1, Name: "m1", Leader: true, Version: "3.6.1", DBSize: 1 << 20, DBQuota: 2 << 30, Answers: model.Answers{Asked: 6, Usual: 3 * time.Millisecond, Longest: 900 * time.Millisecond}},
			{ID: 2, Name: "m2", Err: model.Say("quote", "refused"), Answers: model.Answers{Asked: 6, Failed: 6}}, {ID: 3, Name: "m3", Unasked: true}}})
	x, r := told(t, h, DefaultSeries)
	for _, row := range []struct{ name, want, reason string }{
		{"locktop_member_latency_seconds", `locktop_member_latency_seconds{member="m1"} 0.003`, "of one that never answered it is missing, and of one that nobody asks"},
		{"locktop_member_latency_max_seconds", `locktop_member_latency_max_seconds{member="m1"} 0.9`, "the longest"},
		{"locktop_member_requests_failed", "locktop_member_requests_failed{member=\"m1\"} 0\nlocktop_member_requests_failed{member=\"m2\"} 6", "what it could not"},
		{"locktop_member_db_bytes", `locktop_member_db_bytes{member="m1"} 1.048576e+06`, "how full"},
		{"locktop_member_db_quota_bytes", `locktop_member_db_quota_bytes{member="m1"} 2.147483648e+09`, "of how much"},
		{"locktop_linearizable_latency_seconds", "locktop_linearizable_latency_seconds 0.004", "what takes a leader"},
		{"locktop_linearizable_latency_max_seconds", "locktop_linearizable_latency_max_seconds 2", "the longest of it"},
		{"locktop_linearizable_requests_failed", "locktop_linearizable_requests_failed 1", "and what failed of it"},
	} {
		if text := exposed(t, x, row.name); text != row.want {
			t.Errorf("%s: %s\n got %s\nwant %s", row.name, row.reason, text, row.want)
		}
	}
	if problems, err := testutil.GatherAndLint(r); err != nil || len(problems) > 0 {
		t.Errorf("not as Prometheus wants it: %v %v", problems, err)
	}
}

// TestMomentsByTheClockThatIs: a moment is told as the machine's clock, which was set, shows it:
// whoever reads subtracts it from what his own shows.
func TestMomentsByTheClockThatIs(t *testing.T) {
	h := modeltest.New()
	h.Loaded(0)
	h.Put(1, "/locks/a/b1", "", 0xb1)
	h.Put(2, "/locks/a/config", "", 0)
	h.Put(3, "/locks/a/b2", "", 0xb2)
	h.Add(model.Watching{At: modeltest.At(4), Rev: h.Rev}, model.Tick{At: modeltest.At(30)})
	x, _ := told(t, h, DefaultSeries)
	names := []string{"prefix_seen", "lock_holder_since", "lock_waiting_since", "lock_finding_since"}
	before := map[string]float64{}
	for _, set := range []time.Duration{0, -time.Hour} {
		x.WallTime = func(at time.Time) time.Time { return at.Add(set) }
		for _, name := range names {
			text := exposed(t, x, "locktop_"+name+"_timestamp_seconds")
			at, err := strconv.ParseFloat(text[strings.LastIndexByte(text, ' ')+1:], 64)
			if err != nil {
				t.Fatalf("%s: %q", name, text)
			}
			if set == 0 {
				before[name] = at
			} else if moved := at - before[name]; moved != set.Seconds() {
				t.Errorf("%s moved by %v s, the clock by %s", name, moved, set)
			}
		}
	}
}

// TestSeriesAreBounded: 100,000 locks have no more series than were asked for, and what has
// trouble is never among those that are left out.
func TestSeriesAreBounded(t *testing.T) {
	h := modeltest.New()
	h.Loaded(0)
	name := func(i int) string { // letters: nothing of it varies
		return "/many/" + strings.Map(func(r rune) rune { return r - '0' + 'g' }, fmt.Sprintf("%06d", i))
	}
	for i := range 100_000 {
		h.Put(1, modeltest.ClaimKey(name(i), model.LeaseID(i+1)), "", model.LeaseID(i+1))
	}
	h.Put(2, "/z/stuck/config", "", 0)
	h.Put(3, modeltest.ClaimKey("/z/stuck", 0xfffff), "", 0xfffff)
	h.Add(model.Watching{At: modeltest.At(4), Rev: h.Rev}, model.Tick{At: modeltest.At(5)})
	x, r := told(t, h, DefaultSeries)
	n, err := testutil.GatherAndCount(r)
	if err != nil || n > DefaultSeries || n < LeastSeries/2 {
		t.Errorf("%d series, %v; want at most %d, and the room used", n, err, DefaultSeries)
	}
	if text := exposed(t, x, "locktop_lock_finding_since_timestamp_seconds"); !strings.Contains(text, "/z/stuck") {
		t.Errorf("the lock in trouble was left out: %s", text)
	}
	if text := exposed(t, x, "locktop_locks_without_series"); strings.HasSuffix(text, " 0") {
		t.Errorf("what is left out is not said: %s", text)
	}
}

// TestHostileNamesAreTold: whatever locks are called, also two of which look alike once they can be
// printed, there is one series of each name, a reader of the format understands it, and nothing that
// a terminal obeys is in it.
func TestHostileNamesAreTold(t *testing.T) {
	h := modeltest.New()
	h.Loaded(0)
	names := []string{"\\x00", "\\n", `\"`, `"} 1`, "{", "#", strings.Repeat("長", 20_000), "a" + strings.Repeat("\xff", 60_000)}
	for _, a := range modeltest.Pieces {
		names = append(names, a, strconv.Quote(a), model.Printable(a))
		for _, b := range modeltest.Pieces {
			names = append(names, a+"/"+b)
		}
	}
	lease := model.LeaseID(0xa0000)
	for i, name := range names { // a key that nobody owns stands before one that waits
		h.Put(1, "/h/"+name+"/config", "", 0)
		h.Put(2, modeltest.ClaimKey("/h/"+name, lease+model.LeaseID(i)), "", lease+model.LeaseID(i))
	}
	h.Add(model.Watching{At: modeltest.At(4), Rev: h.Rev}, model.Tick{At: modeltest.At(60)})
	_, r := told(t, h, DefaultSeries)
	n, err := testutil.GatherAndCount(r)
	if err != nil || n > DefaultSeries || n < LeastSeries/2 {
		t.Errorf("%d series of %d names, %v", n, len(names), err)
	}
	all, err := r.Gather()
	if err != nil {
		t.Fatal(err)
	}
	var text strings.Builder
	for _, family := range all {
		if _, err := expfmt.MetricFamilyToText(&text, family); err != nil {
			t.Fatal(err)
		}
	}
	modeltest.Fit(t, text.String())
	parser := expfmt.NewTextParser(prommodel.UTF8Validation)
	read, err := parser.TextToMetricFamilies(strings.NewReader(text.String()))
	if err != nil || len(read) != len(all) {
		t.Errorf("%d of %d metrics are read again: %v", len(read), len(all), err)
	}
}

// TestGroupsAreBounded: each pair of prefix and recipe has a histogram, up to a number.
func TestGroupsAreBounded(t *testing.T) {
	h := modeltest.New()
	for p := range 30 {
		prefix := fmt.Sprintf("/%c/", 'A'+p)
		h.Add(model.LoadStarted{At: modeltest.At(0), Prefix: prefix, Rev: h.Rev}, model.Loaded{At: modeltest.At(0), Prefix: prefix, Rev: h.Rev})
	}
	for p := range 30 {
		lock := fmt.Sprintf("/%c/l", 'A'+p)
		h.Put(1, lock+"/a1", "", 0xa1)
		h.Put(2, lock+"/b2", "", 0xb2)
		h.Del(3, lock+"/a1")
	}
	h.Add(model.Tick{At: modeltest.At(60)})
	x, _ := told(t, h, DefaultSeries)
	text := exposed(t, x, "locktop_handovers_total")
	if n := strings.Count(text, `cause="released"`); n != groupsMax+1 || !strings.Contains(text, `prefix="other"`) {
		t.Errorf("%d groups:\n%s", n, text)
	}
}

// exposed is how one metric is told, without its comments.
func exposed(t *testing.T, x *Exporter, name string) string {
	t.Helper()
	all, err := testutil.CollectAndFormat(x, expfmt.TypeTextPlain, name)
	if err != nil {
		t.Fatal(err)
	}
	var lines []string
	for _, l := range strings.Split(string(all), "\n") {
		if l != "" && !strings.HasPrefix(l, "#") {
			lines = append(lines, l)
		}
	}
	return strings.Join(lines, "\n")
}

// BenchmarkScrape is what a scrape takes of the loop, with 10,000 and with 100,000 locks.
func BenchmarkScrape(b *testing.B) {
	for _, n := range []int{10_000, 100_000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			s := store.New()
			x := New(s.View, &sync.Mutex{}, DefaultSeries, func() model.Cost { return model.Cost{} })
			s.Apply(model.Batch{Events: modeltest.TenClaims(n * 10)})
			x.gauges()
			for b.Loop() {
				x.gauges()
			}
		})
	}
}

// TestAFindingIsToldForAWhile: who scrapes once a minute sees each finding, though it lasted for a
// second, also of a lock whose keys are gone, and then no more. A holder that renewed late and lost
// its lock by that was dead, though nobody had the time to find it.
func TestAFindingIsToldForAWhile(t *testing.T) {
	const code = model.CodeKeepaliveStalled
	at := func(s float64, e journal.Entry) *journal.Entry {
		e.At, e.Lock = modeltest.At(s), "/locks/a"
		return &e
	}
	late := journal.Entry{Kind: journal.Finding, Code: code, Severity: model.SevWarning, Why: journal.Why{Confidence: model.Strong}}
	over := journal.Entry{Kind: journal.Finding, Code: code, Severity: model.SevInfo}
	gone := func(cause journal.Cause) journal.Entry {
		return journal.Entry{Kind: journal.Left, WasHolder: true, Why: journal.Why{Cause: cause}}
	}
	series := func(code string, s float64) string {
		return fmt.Sprintf("locktop_lock_finding_seen_timestamp_seconds{code=%q,confidence=\"strong\",lock=\"/locks/a\"} %v", code, unix(modeltest.At(s)))
	}
	for _, r := range []struct {
		name, reason string
		entries      []*journal.Entry
		now          float64
		want         string
	}{
		{"over", "it was last there when it ended", []*journal.Entry{at(10, late), at(11, over)}, 30, series("keepalive-stalled", 11)},
		{"two minutes", "two scrapes of a minute", []*journal.Entry{at(10, late), at(11, over)}, 130, series("keepalive-stalled", 11)},
		{"three minutes", "nobody is told of it for ever", []*journal.Entry{at(10, late), at(11, over)}, 190, ""},
		{"information", "it is nothing to call anybody for", []*journal.Entry{at(11, over)}, 30, ""},
		{"lost", "its lease ran out", []*journal.Entry{at(10, late), at(11, over), at(12, gone(journal.CauseExpired))}, 30,
			series("dead-holder", 12) + "\n" + series("keepalive-stalled", 11)},
		{"let go", "it renewed late, and then worked on", []*journal.Entry{at(10, late), at(11, over), at(12, gone(journal.CauseReleased))}, 30, series("keepalive-stalled", 11)},
		{"expired alone", "that nobody was late before is no finding", []*journal.Entry{at(12, gone(journal.CauseExpired))}, 30, ""},
	} {
		h := modeltest.New()
		h.Loaded(0)
		h.Add(model.Tick{At: modeltest.At(r.now)})
		x, _ := told(t, h, DefaultSeries)
		for _, e := range r.entries {
			if err := x.Count(e); err != nil {
				t.Fatal(err)
			}
		}
		if got := exposed(t, x, "locktop_lock_finding_seen_timestamp_seconds"); got != r.want {
			t.Errorf("%s: %s\n got %s\nwant %s", r.name, r.reason, got, r.want)
		}
	}
}
