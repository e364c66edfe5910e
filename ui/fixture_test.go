package ui

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	tea "github.com/charmbracelet/bubbletea"
	"github.com/charmbracelet/x/ansi"
	"github.com/google/go-cmp/cmp"
	"github.com/muesli/termenv"

	"locktop/model"
	"locktop/ui/dialog"
	"locktop/ui/page"
	"locktop/ui/table"
	"locktop/ui/tutor"
)

var update = flag.Bool("update", false, "write the golden files anew")

var t0 = time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)

func at(s float64) time.Time { return t0.Add(time.Duration(s * float64(time.Second))) }

// world writes events with as little noise as possible.
type world struct {
	rev  int64
	keys map[string]model.KV
	ev   []model.Event
	sent []model.Event // of all batches
}

func newWorld() *world {
	w := &world{rev: 184_000, keys: map[string]model.KV{}}
	w.add(model.LoadStarted{At: t0, Prefix: "/", Rev: w.rev}, model.Loaded{At: t0, Prefix: "/", Rev: w.rev})
	return w
}

func (w *world) add(e ...model.Event) { w.ev = append(w.ev, e...) }

func leaseKey(lock string, id model.LeaseID) string { return lock + "/" + id.String() }

// claim puts a claim, and says that a client watches it, as one does that waits for it: these are
// locks, and no list of members.
func (w *world) claim(s float64, lock, value string, id model.LeaseID) {
	w.put(s, leaseKey(lock, id), value, id)
	w.watched(s, leaseKey(lock, id))
}

func (w *world) watched(s float64, key string) {
	w.add(model.Watches{At: at(s), Client: model.Client{Name: "w"}, Key: key, On: true})
}

func (w *world) put(s float64, key, value string, id model.LeaseID) {
	w.rev++
	kv := model.KV{Key: key, Value: value, CreateRev: w.rev, ModRev: w.rev, Version: 1, Lease: id}
	w.keys[key] = kv
	w.add(model.Committed{At: at(s), Rev: w.rev, Changes: []model.Change{{KV: kv}}})
}

// rewrite puts a key that is there again.
func (w *world) rewrite(s float64, key, value string, id model.LeaseID) {
	w.rev++
	kv := w.keys[key]
	kv.Value, kv.Lease, kv.ModRev, kv.Version = value, id, w.rev, kv.Version+1
	w.keys[key] = kv
	w.add(model.Committed{At: at(s), Rev: w.rev, Changes: []model.Change{{KV: kv}}})
}

func (w *world) del(s float64, key string) {
	w.rev++
	delete(w.keys, key)
	w.add(model.Committed{At: at(s), Rev: w.rev, Changes: []model.Change{{Deleted: true, KV: model.KV{Key: key, ModRev: w.rev}}}})
}

func (w *world) read(s float64, id model.LeaseID, granted, remaining int64) {
	w.add(model.LeaseRead{At: at(s), ID: id, Granted: granted, Remaining: remaining, Term: 2, Rev: w.rev})
}

// batch hands over what was written since.
func (w *world) batch() batchMsg {
	b := batchMsg{Events: w.ev, Cost: model.Cost{RPS: 12, Budget: 20}}
	w.sent, w.ev = append(w.sent, w.ev...), nil
	return b
}

// hands is a fake that counts.
type hands struct {
	refuse string
	says   *model.Outcome // of Do, once
	w      *world
	plans  []model.Action
	done   []model.Action
}

func (h *hands) Available(model.Action) error {
	if h.refuse != "" {
		return errors.New(h.refuse)
	}
	return nil
}

func (h *hands) Plan(_ context.Context, a model.Action) (model.Plan, error) {
	h.plans = append(h.plans, a)
	p := model.Plan{Action: a, At: t0, Endpoint: "127.0.0.1:2379"}
	if a.Kind == model.DeleteClaim {
		p.Action.ModRev = h.w.keys[a.Key].ModRev // as the gate does
	}
	if a.Kind == model.InjectFault {
		p.Hits = model.Say("detail-named-process", a.Fault.Target, 4711)
	}
	for _, kv := range h.w.keys {
		if a.Kind == model.RevokeLease && kv.Lease == a.Lease || kv.Key == a.Key {
			p.Goes = append(p.Goes, kv)
		}
	}
	slices.SortFunc(p.Goes, func(a, b model.KV) int { return strings.Compare(a.Key, b.Key) })
	return p, nil
}

func (h *hands) Do(_ context.Context, p model.Plan) model.Outcome {
	if o := h.says; o != nil {
		h.says = nil
		o.Action = p.Action
		return *o
	}
	h.done = append(h.done, p.Action)
	return model.Outcome{Action: p.Action, Done: true, At: t0}
}

// bench is a Shell with a fake world and fake hands.
type bench struct {
	t testing.TB
	*Shell
	w     *world
	h     *hands
	later func(time.Time) tea.Msg // what comes when a dialog takes keys that confirm
	next  tea.Cmd                 // the next step of a lesson

	locksTable, queueTable *table.Table
}

func newBench(t testing.TB, o Options) *bench {
	o.Label = "demo"
	o.Prefixes = []string{"/"}
	b := &bench{t: t, Shell: NewShell(o), w: newWorld()}
	b.h = &hands{w: b.w}
	b.locksTable, b.queueTable = b.tables()["locks"], b.tables()["queue"]
	b.after = func(_ time.Duration, f func(time.Time) tea.Msg) tea.Cmd { b.later = f; return nil }
	b.live, b.booted = Live{Actions: b.h, Endpoints: []string{"127.0.0.1:2379"}}, true
	b.size(120, 40)
	return b
}

func (b *bench) size(w, h int) { b.send(tea.WindowSizeMsg{Width: w, Height: h}) }

// send updates, paints, and does what was asked for at once, ticks excepted.
func (b *bench) send(msg tea.Msg) {
	_, cmd := b.Update(msg)
	b.View()
	if _, tick := msg.(tickMsg); !tick {
		b.do(cmd)
	} else if _, menu := b.dialog.(*dialog.Faults); menu { // the tick asks the hands anew
		for _, c := range cmd().(tea.BatchMsg)[1:] {
			b.do(c)
		}
	}
}

func (b *bench) do(cmd tea.Cmd) {
	if cmd == nil {
		return
	}
	switch m := cmd().(type) {
	case tea.BatchMsg:
		for _, c := range m {
			b.do(c)
		}
	case lateMsg, outcomeMsg, tutor.StepMsg, availableMsg, helpMsg, watchedMsg, saidMsg:
		b.send(m)
	}
}

// sync applies what happened in the world and moves the clock.
func (b *bench) sync(s float64) {
	b.send(b.w.batch())
	b.send(tickMsg(at(s)))
}

// press sends keys, written as Bubble Tea names them.
func (b *bench) press(keys ...string) {
	for _, k := range keys {
		b.send(keyMsg(k))
	}
}

func keyMsg(k string) tea.KeyMsg {
	if k == " " {
		return tea.KeyMsg{Type: tea.KeySpace, Runes: []rune{' '}}
	}
	for t := tea.KeyType(-100); t <= 127; t++ { // all that have a name
		if t != tea.KeyRunes && t != tea.KeySpace && (tea.KeyMsg{Type: t}).String() == k {
			return tea.KeyMsg{Type: t}
		}
	}
	return tea.KeyMsg{Type: tea.KeyRunes, Runes: []rune(k)}
}

// text is the screen without styles, without blanks at the ends of lines.
func (b *bench) text() string {
	var out []string
	for _, l := range strings.Split(b.View(), "\n") {
		out = append(out, strings.TrimRight(ansi.Strip(l), " "))
	}
	return strings.Join(out, "\n") + "\n"
}

func (b *bench) sees(all ...string) {
	b.t.Helper()
	for _, want := range all {
		if !strings.Contains(b.text(), want) {
			b.t.Errorf("the screen does not say %q:\n%s", want, b.text())
		}
	}
}

// wrongLab is a world in which everything that can be wrong is wrong.
func wrongLab(b *bench) {
	w := b.w
	w.add(model.ClusterStatus{At: t0, Members: []model.Member{
		{ID: 1, Name: "m1", Endpoint: "127.0.0.1:2379", Version: "3.6.16", Term: 2, Rev: 184_000},
		{ID: 2, Name: "m2", Endpoint: "127.0.0.1:2381", Version: "3.6.16", Term: 2, Rev: 184_000, Leader: true},
		{ID: 3, Name: "m3", Endpoint: "127.0.0.1:2383", Err: model.Say("quote", "connection refused")}}})
	w.claim(1, "/jobs/billing", "", 0xa1)
	w.claim(2, "/jobs/report", "", 0xb2)
	w.claim(3, "/jobs/billing", "", 0xb2)
	w.claim(4, "/jobs/report", "", 0xa1)
	w.claim(5, "/cron/job7", "", 0xc3)
	w.claim(6, "/cron/job7", "", 0xd4)
	w.claim(7, "/svc/elect/api", "api-7f9c", 0xe5)
	w.claim(8, "/demo/checkout", "", 0xf6)
	w.claim(9, "/demo/checkout", "", 0xf7)
	w.put(10, "/blocked/lock/stray", "v", 0)
	w.claim(11, "/blocked/lock", "", 0xaa)
	w.claim(12, "/vault/core", "", 0xbb)
	w.del(13, leaseKey("/vault/core", 0xbb))
	w.claim(14, "/銀行/決済", "田中", 0xcc)
	w.claim(15, "/a/very/long/name/that/does/not/fit/anywhere/because/of/directories/leader", "x", 0xdd)
	for i, r := range []struct {
		id            model.LeaseID
		granted, left int64
	}{{0xa1, 60, 47}, {0xb2, 60, 55}, {0xc3, 60, 13}, {0xd4, 60, 58}, {0xe5, 30, 15}, {0xf6, 10, 8}, {0xf7, 10, 9}, {0xcc, 3600, 3000}, {0xdd, 10, 9}} {
		w.read(18+float64(i)/10, r.id, r.granted, r.left)
	}
	for i, c := range []model.Contender{{Name: "c1", PID: 4711, Lock: "/demo/checkout", Recipe: "mutex", TTL: 10, Proc: model.ProcRunning},
		{Name: "c2", PID: 4712, Lock: "/demo/checkout", Recipe: "mutex", TTL: 10, Proc: model.ProcPaused}} {
		c.At = at(18.9)
		w.add(c, model.Belief{At: at(18.9), Contender: c.Name, Lock: c.Lock, State: model.BeliefHolding, Lease: model.LeaseID(0xf6 + i)})
	}
	w.add(model.FaultOn{At: at(19), ID: 1, Fault: model.Fault{Kind: model.FaultPause, Target: "c2"}})
	b.sync(19)
	w.add(model.Tick{At: at(22)})
	b.sync(22)
}

func golden(t *testing.T, name, got string) {
	t.Helper()
	file := filepath.Join("testdata", name+".txt")
	if *update {
		if err := os.MkdirAll("testdata", 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(string(want), got); d != "" {
		t.Errorf("%s (-want +got):\n%s", file, d)
	}
}

// exact checks that every line is as wide as the screen and that nothing but
// our own styles reaches the terminal.
func exact(t interface {
	Helper()
	Errorf(string, ...any)
}, view string, w, h int) {
	t.Helper()
	lines := strings.Split(view, "\n")
	if len(lines) != h {
		t.Errorf("%d lines, want %d", len(lines), h)
	}
	for i, l := range lines {
		if got := ansi.StringWidth(l); got != w {
			t.Errorf("line %d is %d cells wide, want %d: %q", i, got, w, l)
		}
		if bad := foreign(l); bad != "" {
			t.Errorf("line %d: %s in %q", i, bad, l)
		}
	}
}

// foreign finds what is neither text nor a style sequence.
func foreign(l string) string {
	for i := 0; i < len(l); i++ {
		if l[i] == 0x1b {
			end := strings.IndexByte(l[i:], 'm')
			if end < 0 || strings.Trim(l[i+1:i+end], "[0123456789;") != "" {
				return fmt.Sprintf("a sequence that is no style at %d", i)
			}
			i += end
			continue
		}
		if l[i] < 0x20 || l[i] == 0x7f {
			return fmt.Sprintf("control byte %#x at %d", l[i], i)
		}
	}
	for _, r := range l {
		if r >= 0x80 && r < 0xa0 || r >= 0x200b && r <= 0x200f || r >= 0x202a && r <= 0x202e || r >= 0x2066 && r <= 0x2069 {
			return fmt.Sprintf("character %U", r)
		}
	}
	return ""
}

var colours = termenv.ANSI

// on is the title of the page that is shown.
func (b *bench) on() string { return b.current().About().Title }

// spot is where one is on a page.
func (b *bench) spot(title string) string {
	return b.pages[slices.Index(b.titles(), title)].Spot()
}

// code is the finding about what is selected.
func (b *bench) code() model.Code {
	if x, _ := b.current().Finding(b.Frame()); x != nil {
		return x.Code
	}
	return ""
}

func (b *bench) sessions() *page.SessionsPage {
	return b.pages[slices.Index(b.titles(), "Sessions")].(*page.SessionsPage)
}
