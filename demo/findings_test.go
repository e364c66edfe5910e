package demo

import (
	"runtime/debug"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/charmbracelet/x/ansi"
	"github.com/google/go-cmp/cmp"

	"locktop/demo/cluster"
	"locktop/model"
	"locktop/model/findings"
	"locktop/model/store"
	"locktop/model/text"
)

// story is one row of the proof that a code is found where it is true, and is not
// found in the nearest healthy neighbour. model/FINDINGS.md is made from these rows.
type story struct {
	code   model.Code
	reason string // why this row is needed
	on     stage
	// What the finding has to claim, and no more than that.
	severity     model.Severity
	confidence   model.Confidence
	alternatives []model.Code
	found, alike part
}

// part is a situation: played on a cluster, or told as a history of events.
type part struct {
	words  string
	played func(*scene)
	told   func(*tale)
	// also are the other codes above info that are true of it.
	also []model.Code
}

// stage is what a situation takes place on.
type stage int

const (
	oneMember    stage = iota // one cluster for all stories, each below a prefix of its own
	threeMembers              // a cluster of its own
	smallQuota                // one member that is full soon
	labStage                  // contenders that are processes, and say what they believe
	recorded                  // events that the test makes up: no real server does this on demand
)

func stories() []story {
	return slices.Concat(clusterStories, harmStories, strainStories, slowStories, waitingStories, queueStories, renewalStories, formStories, recordedStories, proxyStories, wordStories, programStories)
}

// At most so many stories and so many clusters of their own at a time: they spend
// their time waiting for leases, so more of them than there are cores do no harm.
const (
	storiesAtOnce  = 14
	clustersAtOnce = 4
)

// theatre lends stages.
type theatre struct {
	shared   *cluster.Cluster
	clusters chan struct{}
}

// isTold says of a situation that it and its neighbour are histories of events. The others are played
// on clusters, where leases take their time: those stand behind the tag slow.
func (st *story) isTold() bool { return st.found.told != nil && st.alike.told != nil }

func TestFindings(t *testing.T) {
	playStories(t, &theatre{}, (*story).isTold)
}

func playStories(t *testing.T, th *theatre, which func(*story) bool) {
	slots := make(chan struct{}, storiesAtOnce)
	var wg sync.WaitGroup
	run := func(name string, st story, p part, check func(*testing.T, *store.Store)) {
		wg.Go(func() {
			slots <- struct{}{}
			defer func() { <-slots }()
			t.Run(name, func(t *testing.T) {
				// Left to the testing package, a panic is hidden by another: that
				// stories begin while it tidies up after the first.
				defer func() {
					if r := recover(); r != nil {
						t.Fatalf("%v\n%s", r, debug.Stack())
					}
				}()
				check(t, th.play(t, st, p, strings.HasSuffix(name, "alike")))
			})
		})
	}
	n := 0
	for _, st := range stories() {
		if !which(&st) {
			continue
		}
		n++
		name := string(st.code) + "/" + strings.ReplaceAll(st.found.words, " ", "-")
		run(name+"/found", st, st.found, func(t *testing.T, s *store.Store) { checkFound(t, s, st) })
		run(name+"/alike", st, st.alike, func(t *testing.T, s *store.Store) {
			wantAlarms(t, s, st.alike.also...)
			if f := findingOf(s, st.code); f != nil {
				t.Errorf("%s: %s", st.alike.words, findingLine(*f))
			}
		})
	}
	wg.Wait()
	if n == 0 {
		t.Error("there is no such situation")
	}
}

// play puts a part on its stage and returns the state it ends in.
func (th *theatre) play(t *testing.T, st story, p part, alike bool) *store.Store {
	var healthy *story
	if alike {
		healthy = &st
	}
	if p.told != nil {
		ta := newTale()
		p.told(ta)
		return ta.state(t, healthy)
	}
	var sc *scene
	switch st.on {
	case oneMember:
		sc = newScene(t, th.shared, "/"+strings.ReplaceAll(t.Name(), "#", "-")+"/lock/")
	default:
		th.clusters <- struct{}{}
		t.Cleanup(func() { <-th.clusters }) // after those that the stage adds
		switch st.on {
		case threeMembers:
			sc = newScene(t, stageCluster(t, 3), "/lock/")
		case smallQuota:
			sc = newScene(t, quotaCluster(t), "/lock/")
		default:
			sc = newLabScene(t)
		}
	}
	sc.healthy = healthy
	p.played(sc)
	if !alike {
		sc.found(st.code)
	}
	return sc.s
}

// checkFound looks at how the finding speaks.
func checkFound(t *testing.T, s *store.Store, st story) {
	wantAlarms(t, s, append(st.found.also, st.code)...)
	f := findingOf(s, st.code)
	if f == nil {
		t.Fatalf("%s: not found, but\n%s", st.found.words, listFindings(s))
	}
	t.Log(findingLine(*f))
	type claims struct {
		Severity     model.Severity
		Confidence   model.Confidence
		Alternatives []model.Code
	}
	want, got := claims{st.severity, st.confidence, st.alternatives}, claims{f.Severity, f.Confidence, f.Alternatives}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("what is claimed (-want +got):\n%s", d)
	}
	if f.Summary.IsZero() || len(f.Evidence) == 0 && f.Severity != model.SevInfo || len(f.Advice) == 0 || len(f.Etcdctl) == 0 || f.Since.IsZero() {
		t.Errorf("half a finding: %+v", *f)
	}
	checkClaim(t, s, f)
	checkAdvice(t, f)
	if e, ok := findings.Explain(f.Code); !ok || e.Confidence == model.Hint && f.Confidence != model.Hint {
		t.Errorf("it claims more than its catalogue entry allows: %q against %q", f.Confidence, e.Confidence)
	}
}

// checkAdvice wants what to do first to be read whole in a list: a name in it may be as long as it is.
func checkAdvice(t *testing.T, f *model.Finding) {
	t.Helper()
	if len(f.Advice) == 0 {
		return
	}
	first := f.Advice[0]
	first.Args = make([]any, len(first.Args))
	for i := range first.Args {
		first.Args[i] = model.Verbatim("c2")
	}
	for _, lang := range text.Languages() {
		said := text.Render(lang, first)
		clause := said
		for _, end := range text.ClauseEnds {
			clause, _, _ = strings.Cut(clause, end)
		}
		if ansi.StringWidth(clause) > text.DoFirst {
			t.Errorf("%s: the first clause of what to do first takes more than %d cells: %q", f.Code, text.DoFirst, said)
		}
	}
}

// checkClaim wants a finding to name the claim that it is about: one that is there, in
// the queue of its lock and on its lease.
func checkClaim(t *testing.T, s *store.Store, f *model.Finding) {
	t.Helper()
	if findings.BreakingOf(f.Code).Effect == findings.BreakNone && !f.Claim.IsZero() {
		t.Errorf("%s names the claim %s, and the catalogue says that there is none", f.Code, f.Claim.Key)
	}
	if f.Claim.IsZero() {
		if e := findings.BreakingOf(f.Code).Effect; e == findings.BreakCures || e == findings.BreakHarmless {
			t.Errorf("%s names no claim, and the catalogue says what comes of breaking it: %q", f.Code, findings.BreakingOf(f.Code).Why)
		}
		return
	}
	c, l := s.Claim(f.Claim.Key), s.Lock(f.Lock)
	if !f.About(c.Ref()) || l == nil || l.Place(c) < 0 || c.KV.Lease != f.Lease {
		t.Errorf("%s on %s and lease %s names %+v, which is %+v", f.Code, f.Lock, f.Lease, f.Claim, c)
	}
}

func stageCluster(t *testing.T, members int) *cluster.Cluster {
	t.Helper()
	c, err := cluster.Start(t.Context(), cluster.Options{Members: members, Dir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	return c
}
