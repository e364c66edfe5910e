//go:build slow

package cli

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/muesli/termenv"

	"locktop/chaos/drill/runner"
	"locktop/demo"
	"locktop/model"
	"locktop/model/store"
	"locktop/ui/cli/playback"
	"locktop/ui/cli/session"
	"locktop/ui/draw"
	"locktop/ui/host"
	base "locktop/ui/page"
	"locktop/ui/table"
	"locktop/watcher/recording"
)

// screens are all pages of the console as they show a state.
func screens(s *store.Store) string {
	locks := base.NewLockList()
	var leases []model.LeaseID
	board := &base.ViewState{Locks: locks, Counters: base.NewCounters(), Uncertain: base.Uncertain{}, Marked: base.NoBookmarks(), Picked: base.NoBookmarks(), Lab: true, Prefixes: []string{""}, Height: 36}
	f := base.Frame{ViewState: board, View: table.View{S: s.View, Th: draw.NewTheme(draw.ThemeDark, termenv.Ascii, draw.SignsUnicode), Now: s.Now().Truncate(time.Second), OnScreen: &leases}}
	f.RankLocks()
	board.Uncertain.Look(s.View, f.Now)
	var all []string
	for _, p := range base.All(locks, true) {
		all = append(all, "== "+p.About().Title)
		all = append(all, p.Paint(f, 120, 34)...)
	}
	return strings.Join(all, "\n")
}

// doctors are the answers of doctor about a state, without what says how it was come by.
func doctors(t *testing.T, s *store.Store) (text, json string) {
	t.Helper()
	at := &observation{Session: &session.Session{State: s, Name: "the lab"}, not: unseenBy(s, "heads")}
	recorded := outFlags{leases: "heads", past: pastFlags{file: "it"}}
	(&viewer{}).measure(t.Context(), at, nil, &recorded)
	ask := func(output string) string {
		var out bytes.Buffer
		e := &env{}
		e.streams = streams{out: &out, err: io.Discard}
		of := recorded
		of.output = output
		_ = tellDoctor(e, at, of, model.SevError) // of findings it makes an error
		return out.String()
	}
	json, _ = withoutObserved(t, ask("json"))
	return ask("table"), json
}

// seen is what was shown of a drill while it was played: all pages each time that the journal
// had a line more, and what doctor said before each revision that a later one followed.
type seen struct {
	screens []string
	doctors map[int64][2]string
}

// watch returns the source, of which a state is folded as a console does.
func (x *seen) watch(t *testing.T, src model.Source) model.Source {
	s, told := store.New(), uint64(0)
	return session.Tap(src, func(b model.Batch, _ error) {
		for _, e := range b.Events {
			if c, ok := e.(model.Committed); ok && s.Rev() > 0 && c.Rev > s.Rev() {
				text, json := doctors(t, s)
				x.doctors[s.Rev()] = [2]string{text, json}
			}
			s.Apply(model.Batch{Events: []model.Event{e}})
			if more := s.JournalAfter(told); len(more) > 0 {
				told = more[len(more)-1].Seq
				x.screens = append(x.screens, screens(s))
			}
		}
	})
}

// TestRecordingsOfDrillsShowTheSame: whoever goes through the recording of a drill event by
// event sees what the console showed, on every page; and doctor, asked of each revision, says
// what it said then.
func TestRecordingsOfDrillsShowTheSame(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"holder-pause", "holder-crash", "fair-queue"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d, err := loadDrill(t.Context(), name)
			if err != nil {
				t.Fatal(err)
			}
			e := &env{}
			e.err, e.flags = &bytes.Buffer{}, connFlags{dialTimeout: 20 * time.Second, leaseBudget: 20}
			room := labRun{program: locktop(t)}
			live, err := room.open(t.Context(), e, demo.Options{Spec: &d.Lab, Seed: d.Seed}, func(model.Message) {})
			defer room.close()
			if err != nil || room.recording == nil {
				t.Fatal(err, "no recording")
			}
			x, file := seen{doctors: map[int64][2]string{}}, room.recording.path
			round := runner.Play(t.Context(), d, e.stage(&room, x.watch(t, live.Source)), runner.Options{Seed: d.Seed})
			if err := room.close(); err != nil || round.Err != nil {
				t.Fatal(err, round.Err)
			}
			x.sameScreens(t, file)
			x.sameDoctors(t, file)
		})
	}
}

func (x *seen) sameScreens(t *testing.T, name string) {
	t.Helper()
	file, err := os.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil {
		t.Fatal(err)
	}
	segments, err := recording.OpenSegments(t.Context(), file, info.Size())
	if err != nil || segments.Cut != nil {
		t.Fatal(err, segments.Cut)
	}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	p := playback.New(1, nil)
	if err := p.Load(ctx, segments, time.Time{}); err != nil {
		t.Fatal(err)
	}
	for i, want := range x.screens {
		s, err := p.Go(ctx, host.Goal{Kind: host.StopEvent})
		if err != nil {
			t.Fatalf("event %d of %d: %v", i+1, len(x.screens), err)
		}
		if d := cmp.Diff(want, screens(s)); d != "" {
			t.Fatalf("event %d of %d (-live +replayed)\n%s", i+1, len(x.screens), d)
		}
	}
	if _, err := p.Go(ctx, host.Goal{Kind: host.StopEvent}); err == nil || len(x.screens) < 10 {
		t.Errorf("%d events were seen live, and the recording has another one: %v", len(x.screens), err)
	}
}

func (x *seen) sameDoctors(t *testing.T, file string) {
	t.Helper()
	told := map[string]bool{}
	for _, rev := range slices.Sorted(maps.Keys(x.doctors)) {
		for i, args := range [][]string{{}, {"-o", "json"}} {
			_, out, errs := inProcess(t, nil, append([]string{"doctor", "--recording", file, "--at", fmt.Sprint(rev)}, args...)...)
			out, _ = withoutObserved(t, out)
			if d := cmp.Diff(x.doctors[rev][i], out); d != "" {
				t.Errorf("doctor %v at revision %d: %s (-live +recorded)\n%s", args, rev, errs, d)
			}
		}
		told[x.doctors[rev][0]] = true
	}
	if len(x.doctors) < 2 {
		t.Errorf("only %d revisions", len(x.doctors))
	}
}
