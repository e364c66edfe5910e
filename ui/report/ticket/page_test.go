package ticket

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"golang.org/x/net/html"
	"pgregory.net/rapid"

	"locktop/model"
	"locktop/model/modeltest"

	"locktop/model/locks"
	"locktop/model/store"
	"locktop/model/timeline"
	"locktop/ui/report"
)

func pageOf(s *store.Store, from time.Time) *Page {
	return New(s.View, Options{Source: "x.rec", From: from, Observation: report.Observation{At: s.Now(), For: s.Now().Sub(from), Prefixes: []string{""}}, Names: true,
		Again: []string{"locktop replay 'x.rec'"}})
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func asText(t *testing.T, p *Page, format string) string {
	t.Helper()
	var b bytes.Buffer
	must(t, p.Write(&b, format))
	return b.String()
}

// anHour is an hour of 100 locks that all change hands every half minute, with two who wait.
func anHour() *store.Store {
	h := modeltest.New()
	h.Loaded(0)
	lease := func(lock, n int) model.LeaseID { return model.LeaseID(0x694d000000000000 + lock<<16 + n) }
	name := func(lock int) string { return fmt.Sprintf("/service/region-%d/locks/job-%03d", lock%7, lock) }
	const turn = 30
	for n := range 3600 / turn {
		for lock := range 100 {
			at := float64(n*turn) + float64(lock)/10
			h.Put(at, modeltest.ClaimKey(name(lock), lease(lock, n)), "", lease(lock, n))
			if n >= 3 {
				h.Del(at+0.01, modeltest.ClaimKey(name(lock), lease(lock, n-3)))
			}
		}
	}
	s := store.New()
	s.Apply(model.Batch{Events: h.Events})
	return s
}

// TestAnHourOfAHundredLocksOnAPage: it can be sent, it is there at once, and it is the same
// each time.
func TestAnHourOfAHundredLocksOnAPage(t *testing.T) {
	s := anHour()
	began := time.Now()
	text := asText(t, pageOf(s, modeltest.At(0)), "html")
	took := time.Since(began)
	t.Logf("%d bytes in %s", len(text), took)
	if len(text) > 300_000 {
		t.Errorf("%d bytes", len(text))
	}
	if took > 2*time.Second {
		t.Errorf("took %s", took)
	}
	for _, format := range Formats {
		if asText(t, pageOf(s, modeltest.At(0)), format) != asText(t, pageOf(anHour(), modeltest.At(0)), format) {
			t.Errorf("%s differs from time to time", format)
		}
	}
	if strings.Count(text, `class="lane"`) != 100 {
		t.Errorf("%d lanes", strings.Count(text, `class="lane"`))
	}
}

// What a page may be made of. Nothing in it loads, runs, refreshes or leads anywhere.
var (
	pageElements = strings.Fields(`html head meta title style body h1 h2 h3 p b ul li div span i pre code svg path g rect text table tbody tr td th`)
	pageNames    = strings.Fields(`lang charset http-equiv content name class title role aria-label viewbox preserveaspectratio d transform width height x y rx dx dy`)
)

func checkHarmless(t *testing.T, text string) {
	t.Helper()
	z := html.NewTokenizer(strings.NewReader(text))
	metas := 0
	for {
		switch z.Next() {
		case html.ErrorToken:
			if z.Err() != io.EOF || metas != 4 {
				t.Errorf("%v, %d metas", z.Err(), metas)
			}
			return
		case html.StartTagToken, html.SelfClosingTagToken:
			tag := z.Token()
			if tag.Data == "meta" {
				metas++
			}
			if !slices.Contains(pageElements, tag.Data) {
				t.Errorf("an element %q", tag.Data)
			}
			for _, a := range tag.Attr {
				if !slices.Contains(pageNames, a.Key) {
					t.Errorf("an attribute %q of %q: %q", a.Key, tag.Data, a.Val)
				}
			}
		case html.CommentToken:
			t.Errorf("a comment: %q", z.Token().Data)
		case html.TextToken:
			modeltest.Fit(t, strings.ReplaceAll(z.Token().Data, "\t", ""))
		}
	}
}

// FuzzPage makes pages of whatever can be in a state.
func FuzzPage(f *testing.F) {
	for _, s := range modeltest.Seeds() {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		s := store.New()
		s.Apply(model.Batch{Events: modeltest.Events(data)})
		p := pageOf(s, modeltest.HostileStart)
		checkHarmless(t, asText(t, p, "html"))
		modeltest.Fit(t, asText(t, p, "md"))
		for _, format := range []string{"json", "perfetto"} {
			text := asText(t, p, format)
			if modeltest.Fit(t, text); !json.Valid([]byte(text)) {
				t.Errorf("%s is no JSON: %q", format, text)
			}
		}
	})
}

// TestHostileNamesOnAPage: markup in every place where a name can stand is text.
func TestHostileNamesOnAPage(t *testing.T) {
	for _, name := range []string{`<script>alert(1)</script>`, `"><img src=x onerror=alert(1)>`, `'onmouseover='alert(1)`, `</style><script>1</script>`,
		`</title><script>1</script>`, `{{.}}`, `javascript:alert(1)`, "\x1b[2J\u202e", "\xff\xfe", `--><svg onload=1>`, `&lt;b&gt;`, `url(http://x/)`, strings.Repeat("long", 2000)} {
		h := modeltest.New()
		h.Loaded(0)
		lock := "/" + name
		h.Put(1, modeltest.ClaimKey(lock, 0xa1), name, 0xa1)
		h.Put(2, modeltest.ClaimKey(lock, 0xb2), name, 0xb2)
		h.Add(model.Contender{At: modeltest.At(3), Name: name, Lock: lock, Recipe: "mutex"},
			model.Acted{At: modeltest.At(4), Outcome: model.Outcome{At: modeltest.At(4), By: name, Err: name, Action: model.Action{Kind: model.RevokeLease, Lock: lock, Key: lock + "/a1", Lease: 0xa1}}},
			model.ClusterStatus{At: modeltest.At(5), ClusterID: 1, Members: []model.Member{{ID: 1, Name: name, Version: name, Leader: true}}, Alarms: []string{name}})
		h.Add(model.DrillBegan{At: modeltest.At(5), Name: name, Title: name, Why: name, Defect: name},
			model.DrillStep{At: modeltest.At(5), N: 1, Text: name}, model.DrillStep{At: modeltest.At(5), N: 1, Over: true, Failed: true, Text: name},
			model.Belief{At: modeltest.At(5), Contender: name, Lock: lock, State: model.BeliefHolding, Key: modeltest.ClaimKey(lock, 0xa1), Lease: 0xa1},
			model.DrillJudged{At: modeltest.At(5), Expected: name, Verdict: model.DrillVerdict(name), Seen: name, Evidence: []string{name}},
			model.DrillOver{At: modeltest.At(5), Verdict: model.DrillVerdict(name), Reason: name})
		h.Del(6, modeltest.ClaimKey(lock, 0xa1))
		s := store.New()
		s.Apply(model.Batch{Events: h.Events})
		p := New(s.View, Options{Source: name, From: modeltest.At(0), Observation: report.Observation{At: s.Now(), Prefixes: []string{name},
			Blind: []locks.CoverageGap{{Kind: locks.CoverageKeys, Prefix: name, Reason: model.Say("quote", name)}}}, Again: []string{"locktop describe " + model.ShellQuote(name)}})
		text := asText(t, p, "html")
		checkHarmless(t, text)
		if len(text) > 60_000 {
			t.Errorf("%d bytes with %.40q", len(text), name)
		}
		md := asText(t, p, "md")
		text, _, _ = strings.Cut(md, "## To see it again") // that is code, between fences
		if modeltest.Fit(t, md); strings.ContainsAny(text, "<") {
			t.Errorf("markup in Markdown with %q:\n%s", name, md)
		}
	}
}

func TestAPageAllowsItsStyleAlone(t *testing.T) {
	text := asText(t, pageOf(store.New(), modeltest.At(0)), "html")
	for _, want := range []string{"default-src &#39;none&#39;; style-src &#39;sha256-", "<style>" + style + "</style>", "prefers-color-scheme:dark", "width=device-width"} {
		if !strings.Contains(text, want) {
			t.Errorf("no %.60q", want)
		}
	}
	if strings.Contains(style, "url(") || strings.Contains(style, "@import") {
		t.Error("the style loads something")
	}
}

// TestNoCellIsOfOneHolderWhereTwoHeld: at every resolution.
func TestNoCellIsOfOneHolderWhereTwoHeld(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		from := modeltest.At(0)
		a := axis{from, from.Add(time.Duration(rapid.IntRange(1, 100_000).Draw(t, "ms")) * time.Millisecond), rapid.IntRange(1, 200).Draw(t, "cells")}
		total := a.to.Sub(a.from)
		var spans []timeline.Span
		at := from
		for range rapid.IntRange(0, 30).Draw(t, "spans") { // one after the other, some at once
			at = at.Add(time.Duration(rapid.Int64Range(0, int64(total)/8).Draw(t, "free")))
			end := at.Add(time.Duration(rapid.Int64Range(0, int64(total)/8).Draw(t, "held")))
			spans = append(spans, timeline.Span{Came: at, Got: at, Gone: end})
			at = end
		}
		l := a.lane("", spans)
		for i := range a.cells {
			one, many, held := cellAt(a, l.Even, i) || cellAt(a, l.Odd, i), cellAt(a, l.Part, i), 0
			c0 := a.from.Add(time.Duration(float64(total) * float64(i) / float64(a.cells)))
			c1 := a.from.Add(time.Duration(float64(total) * float64(i+1) / float64(a.cells)))
			for _, s := range spans {
				if x, y, ok := timeline.Within(s.Got, s.Gone, c0.Add(2), c1.Add(-2)); ok && s.Got.Before(a.to) && y.After(x) {
					held++
				}
			}
			switch {
			case one && held != 1:
				t.Fatalf("cell %d is of one, %d held", i, held)
			case held > 0 && !one && !many:
				t.Fatalf("cell %d is free, %d held", i, held)
			}
		}
	})
}

// cellAt says whether a path covers the middle of a cell.
func cellAt(a axis, path string, i int) bool {
	middle := (float64(i) + 0.5) * axisWidth / float64(a.cells)
	for run := range strings.SplitSeq(path, "M") {
		var x, w float64
		if n, _ := fmt.Sscanf(run, "%g 5h%g", &x, &w); n == 2 && x-0.5 <= middle && middle <= x+w+0.5 {
			return true
		}
	}
	return false
}

// TestPerfettoHasTheSumsOfThePage: to the microsecond, and those of waiting are the timeline's.
func TestPerfettoHasTheSumsOfThePage(t *testing.T) {
	p := pageOf(anHour(), modeltest.At(100.123456))
	var doc struct {
		TraceEvents []struct {
			Name, Ph string
			Pid      int
			Dur      int64
		}
	}
	must(t, json.Unmarshal([]byte(asText(t, p, "perfetto")), &doc))
	waits, holds := map[int]int64{}, map[int]int64{}
	for _, e := range doc.TraceEvents {
		switch e.Name {
		case "waits":
			waits[e.Pid] += e.Dur
		case "holds":
			holds[e.Pid] += e.Dur
		}
	}
	if len(p.Locks) != 100 {
		t.Fatalf("%d locks", len(p.Locks))
	}
	for i, l := range p.Locks {
		if l.TotalHold < 3400 || l.TotalWait < 3400 || us(l.TotalWait) != waits[i+1] || us(l.TotalHold) != holds[i+1] {
			t.Errorf("%s: waited %v, held %v; Perfetto has %d µs and %d µs", l.Name, l.TotalWait, l.TotalHold, waits[i+1], holds[i+1])
		}
	}
}

func us(seconds float64) int64 { return int64(seconds*1e6 + 0.5) }

func TestARingOnAPage(t *testing.T) {
	h := modeltest.New()
	h.Loaded(0)
	h.Put(1, modeltest.ClaimKey("/a", 0xa1), "", 0xa1)
	h.Put(2, modeltest.ClaimKey("/b", 0xb2), "", 0xb2)
	for _, row := range []struct {
		reason string
		then   func()
		ring   bool
	}{
		{"a chain is no ring", func() { h.Put(3, modeltest.ClaimKey("/a", 0xb2), "", 0xb2) }, false},
		{"each waits for the other", func() { h.Put(4, modeltest.ClaimKey("/b", 0xa1), "", 0xa1) }, true},
	} {
		row.then()
		s := store.New()
		s.Apply(model.Batch{Events: h.Events})
		p := pageOf(s, modeltest.At(0))
		text := asText(t, p, "html")
		if got := strings.Contains(text, "wait for each other in a ring"); got != row.ring || strings.Contains(text, `class="ring"`) != row.ring {
			t.Errorf("%s: ring %v", row.reason, got)
		}
	}
}

// TestANameIsNoSessionInARing: a program that was started anew waits behind its own dead
// session, and so do many programs that give themselves one name. Neither waits for itself.
func TestANameIsNoSessionInARing(t *testing.T) {
	for _, row := range []struct {
		reason string
		waits  []string // names of those that wait behind host-7
		lines  int
	}{
		{"started anew on the same host", []string{"host-7"}, 1},
		{"three of one name are three", []string{"host-7", "host-7"}, 2},
		{"names of their own", []string{"host-8", "host-9"}, 2},
	} {
		h := modeltest.New()
		h.Loaded(0)
		for i, name := range append([]string{"host-7"}, row.waits...) {
			lease := model.LeaseID(0x694d81e5fc650001 + i)
			h.Put(1+float64(i), modeltest.ClaimKey("/election/a", lease), name, lease)
		}
		s := store.New()
		s.Apply(model.Batch{Events: h.Events})
		p := pageOf(s, modeltest.At(0))
		if len(p.WaitsFor) != row.lines || p.WaitsFor[0].Who != row.waits[0] || p.WaitsFor[0].For != "host-7" {
			t.Errorf("%s: %+v", row.reason, p.WaitsFor)
		}
		for _, format := range []string{"html", "md"} {
			if text := asText(t, p, format); strings.Contains(text, "ring:") || strings.Contains(text, `class="ring"`) {
				t.Errorf("%s: a ring in %s", row.reason, format)
			}
		}
		if n := strings.Count(asText(t, p, "html"), "<g><title>"); n != 1+len(row.waits) {
			t.Errorf("%s: %d sessions are drawn", row.reason, n)
		}
	}
}

// TestWhatWentTogetherIsOneLineOfAPage: as in the journal. A page about one lock tells of it.
func TestWhatWentTogetherIsOneLineOfAPage(t *testing.T) {
	for _, row := range []struct {
		reason string
		locks  int
		lock   string
		lines  int // about the keys that went
	}{
		{"twelve at once", 12, "", 1},
		{"three are told one by one", 3, "", 3},
		{"one of the twelve", 12, "/jobs/03", 2},
	} {
		h := modeltest.New()
		h.Loaded(0)
		const lease = 0x694d81e5fc650001
		for i := range row.locks {
			h.Put(1, modeltest.ClaimKey(fmt.Sprintf("/jobs/%02d", i), lease), "", lease)
		}
		h.End(5, lease)
		h.Add(model.Tick{At: modeltest.At(600)})
		s := store.New()
		s.Apply(model.Batch{Events: h.Events})
		p := New(s.View, Options{From: modeltest.At(2), Observation: report.Observation{At: s.Now()}, Lock: row.lock})
		if len(p.Handovers) != row.lines || p.LeftOut.Handovers != 0 {
			t.Errorf("%s: %d lines, want %d: %+v", row.reason, len(p.Handovers), row.lines, p.Handovers)
		}
	}
}

// TestPerfettoSaysWhatBeganEarlier: when it was not seen to begin, it did not begin there.
func TestPerfettoSaysWhatBeganEarlier(t *testing.T) {
	h := modeltest.New()
	early, late := modeltest.ClaimKey("/a", 0xa1), modeltest.ClaimKey("/b", 0xb2)
	h.Add(model.LoadStarted{At: modeltest.At(0), Rev: h.Rev + 1})
	h.Rev++
	h.Add(model.Listed{At: modeltest.At(0), KVs: []model.KV{h.Write(early, "", 0xa1)}}, model.Loaded{At: modeltest.At(0), Rev: h.Rev})
	h.Put(1, late, "", 0xb2)
	h.Add(model.Tick{At: modeltest.At(9)})
	s := store.New()
	s.Apply(model.Batch{Events: h.Events})
	var doc struct {
		TraceEvents []struct {
			Name string
			Args struct {
				Key          string
				BeganEarlier bool `json:"began_earlier"`
			}
		}
	}
	must(t, json.Unmarshal([]byte(asText(t, pageOf(s, modeltest.At(0)), "perfetto")), &doc))
	holds := map[string]bool{}
	for _, e := range doc.TraceEvents {
		if e.Name == "holds" {
			holds[e.Args.Key] = e.Args.BeganEarlier
		}
	}
	if want := map[string]bool{early: true, late: false}; !maps.Equal(holds, want) {
		t.Errorf("%v, want %v", holds, want)
	}
}

// TestTheHeadlineIsTheWorstThatWas: who reads the page was not there, and what is over was the
// incident.
func TestTheHeadlineIsTheWorstThatWas(t *testing.T) {
	for _, r := range []struct {
		reason      string
		told        func(h *modeltest.History)
		level, want string
	}{
		{"a key without a lease blocked, until somebody deleted it", func(h *modeltest.History) {
			h.Put(1, "/locks/a/694d81e5fc652594", "", 0)
			h.Put(2, modeltest.ClaimKey("/locks/a", 0xa1), "", 0xa1)
			h.Read(2.5, 0xa1, 60, 60)
			h.Del(33, "/locks/a/694d81e5fc652594")
			h.Read(34, 0xa1, 60, 58)
		}, "error", "Was: Key without a lease blocks on /locks/a, from 03:04:07 for 31s: "},
		{"it still does: that is what is said", func(h *modeltest.History) {
			h.Put(1, "/locks/a/694d81e5fc652594", "", 0)
			h.Put(2, modeltest.ClaimKey("/locks/a", 0xa1), "", 0xa1)
			h.Read(2.5, 0xa1, 60, 60)
		}, "error", "A key without a lease blocks /locks/a"},
		{"nothing ever was", func(h *modeltest.History) {
			h.Put(2, modeltest.ClaimKey("/locks/a", 0xa1), "", 0xa1)
			h.Read(2.5, 0xa1, 60, 60)
		}, "well", "No problem"},
	} {
		h := modeltest.New()
		h.Loaded(0)
		r.told(h)
		s := store.New()
		for _, e := range h.Events {
			s.Apply(model.Batch{Events: []model.Event{e}})
		}
		p := pageOf(s, modeltest.At(0))
		if p.Verdict.Level != r.level || !strings.HasPrefix(p.Verdict.Text, r.want) {
			t.Errorf("%s: %s: %q, want %s: %q", r.reason, p.Verdict.Level, p.Verdict.Text, r.level, r.want)
		}
	}
}
