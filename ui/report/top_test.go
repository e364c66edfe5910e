package report

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"locktop/model"
	"locktop/model/modeltest"

	"locktop/model/store"
	"locktop/model/text"
)

// aRush is three locks: one with a queue, one that changes hands without, one of which nobody
// can see who waits.
func aRush() *store.Store {
	h := modeltest.New()
	h.Loaded(0)
	h.Put(1, "/jobs/calm/1", "", 0x1)
	h.Del(2, "/jobs/calm/1")
	h.Put(3, "/jobs/calm/2", "", 0x2)
	h.Put(1, "/jobs/hot/a", "", 0xa)
	h.Put(2, "/jobs/hot/b", "", 0xb)
	h.Put(3, "/jobs/hot/c", "", 0xc)
	h.Put(3, "/locks/one", "host-c", 0x13)
	h.Del(11, "/jobs/hot/a")
	h.Del(21, "/jobs/hot/b")
	s := store.New()
	s.Apply(model.Batch{Events: append(h.Events, model.Tick{At: modeltest.At(31)})})
	return s
}

// What was waited for, in each format: the same figures, and null for what cannot be known.
func TestTop(t *testing.T) {
	s := aRush()
	o := Observation{At: s.Now(), For: 31 * time.Second}
	write := func(format string) string {
		var b bytes.Buffer
		must(t, Top(&b, s.View, o, format))
		modeltest.Fit(t, b.String())
		return b.String()
	}
	type lock struct {
		Name      string   `json:"name"`
		TotalWait *float64 `json:"total_wait"`
		Waiters   *int     `json:"waiters"`
		WaitP50   *float64 `json:"wait_p50"`
		HoldP50   *float64 `json:"hold_p50"`
		GapP50    *float64 `json:"gap_p50"`
		InUse     *float64 `json:"utilisation"`
		Fairness  *float64 `json:"fairness"`
		Half      *float64 `json:"total_wait_half_hold"`
		Pairs     []struct {
			Waiter   string  `json:"waiter"`
			Holder   string  `json:"holder"`
			Episodes int     `json:"episodes"`
			Total    float64 `json:"total"`
			Longest  float64 `json:"longest"`
		} `json:"pairs"`
	}
	var doc struct {
		Schema  int
		Verdict *verdict
		Locks   []lock
	}
	must(t, json.Unmarshal([]byte(write("json")), &doc))
	var lines strings.Builder
	for _, l := range doc.Locks {
		must(t, json.NewEncoder(&lines).Encode(l))
	}
	const hot = `{"name":"/jobs/hot","total_wait":27,"waiters":0,"wait_p50":9,"hold_p50":10,"gap_p50":0,"utilisation":0.9677,"fairness":0.6,"total_wait_half_hold":12,` +
		`"pairs":[{"waiter":"c","holder":"b","episodes":1,"total":10,"longest":10},{"waiter":"b","holder":"a","episodes":1,"total":9,"longest":9},{"waiter":"c","holder":"a","episodes":1,"total":8,"longest":8}]}`
	const calm = `{"name":"/jobs/calm","total_wait":0,"waiters":0,"wait_p50":0,"hold_p50":1,"gap_p50":1,"utilisation":0.9355,"fairness":null,"total_wait_half_hold":0,"pairs":[]}`
	const one = `{"name":"/locks/one","total_wait":null,"waiters":null,"wait_p50":null,"hold_p50":null,"gap_p50":null,"utilisation":0.9032,"fairness":null,"total_wait_half_hold":null,"pairs":[]}`
	if d := cmp.Diff(hot+"\n"+calm+"\n"+one+"\n", lines.String()); d != "" || doc.Schema != Schema {
		t.Errorf("schema %d (-want +got)\n%s", doc.Schema, d)
	}
	if lines := strings.Split(strings.TrimSpace(write("jsonl")), "\n"); len(lines) != 3 || !strings.Contains(lines[0], `"total_wait":27`) {
		t.Errorf("%q: want a line for each lock", lines)
	}
	records, err := csv.NewReader(strings.NewReader(write("csv"))).ReadAll()
	must(t, err)
	for i, name := range records[0] {
		if want := map[string]string{"total_wait": "27", "wait_p50": "9", "fairness": "0.6", "pairs": "c for b, 10s | b for a, 9.0s | c for a, 8.0s"}[name]; want != "" && records[1][i] != want {
			t.Errorf("CSV: %s is %q, want %q", name, records[1][i], want)
		}
		if name == "total_wait" && records[3][i] != "" {
			t.Errorf("CSV: %q was waited where nobody can see it", records[3][i])
		}
	}
	text := write("table")
	for _, want := range []string{"Most was waited for /jobs/hot: 27s in all, 12s if each hold of it had been half as long\n", "LOCK", "WAITED", "MOST FOR WHOM", "c for b, 10s"} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
	if hot, one := strings.Index(text, "\n/jobs/hot "), strings.Index(text, "\n/locks/one  ?"); hot < 0 || one < hot {
		t.Errorf("the lock of which nothing is known of waits stands last, with a question mark:\n%s", text)
	}
}

// The verdict stands first where there is one.
func TestTopSaysTheVerdict(t *testing.T) {
	s := kinds()
	var b bytes.Buffer
	must(t, Top(&b, s.View, Observation{At: s.Now(), For: time.Minute}, "json"))
	var doc struct{ Verdict *verdict }
	must(t, json.Unmarshal(b.Bytes(), &doc))
	v, any := s.Verdict()
	if !any || doc.Verdict == nil || doc.Verdict.Code != string(v.Finding.Code) || doc.Verdict.Text != text.English(v.Title()) {
		t.Errorf("%+v, want %q: %s", doc.Verdict, v.Finding.Code, text.English(v.Title()))
	}
	b.Reset()
	must(t, Top(&b, s.View, Observation{At: s.Now(), For: time.Minute}, "table"))
	if !strings.HasPrefix(b.String(), text.English(v.Title())+"\n") {
		t.Errorf("it does not begin with %q:\n%s", text.English(v.Title()), b.String())
	}
	b.Reset()
	must(t, Top(&b, aRush().View, Observation{At: modeltest.At(31), For: time.Minute}, "json"))
	if !strings.Contains(b.String(), `"verdict": null`) {
		t.Errorf("nothing is wrong:\n%s", b.String())
	}
}
