package ui

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"

	tea "github.com/charmbracelet/bubbletea"
	"github.com/charmbracelet/x/ansi"

	"locktop/model"
	"locktop/ui/host"
	"locktop/ui/page"
)

func measured(s string) int { return ansi.StringWidth(s) }

// TestStories presses keys and looks at what became of it.
func TestStories(t *testing.T) {
	rows := []struct {
		name, reason string
		o            Options
		keys         []string
		check        func(b *bench)
	}{
		{"trouble first", "the first screen shows what is wrong", Options{}, nil, func(b *bench) {
			want := []string{"/demo/checkout", "/blocked/lock", "/jobs/billing", "/jobs/report", "/cron/job7"}
			if got := b.viewState.Locks.Order.IDs[:5]; !slices.Equal(got, want) {
				b.t.Errorf("first are %q, want what the verdict says, then errors before warnings: %q", got, want)
			}
			b.sees("✖ deadlock")
			b.sees("! holder silent")
		}},
		{"open and back", "enter opens the queue, esc comes back", Options{}, []string{"enter", "esc"}, func(b *bench) {
			if b.on() != "Locks" {
				b.t.Errorf("on page %s", b.on())
			}
		}},
		{"queue says also", "other locks of the same lease", Options{}, []string{"/", "billing", "enter", "enter"}, func(b *bench) {
			b.size(200, 50)
			b.sees("also waits for /jobs/report")
		}},
		{"filter", "as you type, and it stays in sight", Options{}, []string{"/", "j", "o", "b", "s", "enter"}, func(b *bench) {
			if got := len(b.viewState.Locks.Order.IDs); got != 2 {
				b.t.Errorf("%d locks", got)
			}
			b.sees("/ jobs")
		}},
		{"filter turned round", "! keeps the rest", Options{}, []string{"/", "!jobs", "enter"}, func(b *bench) {
			if slices.Contains(b.viewState.Locks.Order.IDs, "/jobs/billing") || len(b.viewState.Locks.Order.IDs) != 7 {
				b.t.Errorf("kept %q", b.viewState.Locks.Order.IDs)
			}
		}},
		{"filter by state", "words that stand in the row", Options{}, []string{"/", "two act"}, func(b *bench) {
			if ids := b.viewState.Locks.Order.IDs; !slices.Equal(ids, []string{"/demo/checkout"}) {
				b.t.Errorf("kept %q", ids)
			}
		}},
		{"filter gone, cursor kept", "esc shows the neighbours of what was found", Options{}, []string{"/", "job7", "esc"}, func(b *bench) {
			b.sees("/demo/checkout")
			if b.viewState.Locks.Pick.ID != "/cron/job7" {
				b.t.Errorf("the cursor is on %s", b.viewState.Locks.Pick.ID)
			}
		}},
		{"no expression", "it is said, and hides nothing", Options{}, []string{"/", "/job(/"}, func(b *bench) {
			b.sees("not a regular expression")
			b.sees("/demo/checkout")
		}},
		{"filter cleared", "esc clears", Options{}, []string{"/", "jobs", "esc"}, func(b *bench) {
			if b.viewState.Locks.Order.Filter != "" || b.field != nil {
				b.t.Errorf("filter %q", b.viewState.Locks.Order.Filter)
			}
		}},
		{"sort by name", "s goes on to the next column", Options{}, []string{"s"}, func(b *bench) {
			if !slices.IsSorted(b.viewState.Locks.Order.IDs) {
				b.t.Errorf("order %q", b.viewState.Locks.Order.IDs)
			}
		}},
		{"journal of one lock", "f shows only that", Options{}, []string{"/", "job7", "enter", "enter", "f"}, func(b *bench) {
			b.sees("d4 joined the queue at place 2")
			if strings.Contains(b.text(), "billing") {
				b.t.Errorf("another lock:\n%s", b.text())
			}
		}},
		{"no lab", "the page shows the cluster", Options{NoLab: model.Say("quote", "this cluster is not ours")}, []string{"5"}, func(b *bench) {
			b.sees("this connection")
		}},
		{"no lab action", "never silently ignored", Options{NoLab: model.Say("quote", "this cluster is not ours")}, []string{"K"}, func(b *bench) {
			b.sees("not available: this cluster is not ours")
		}},
		{"suspend refused", "with the reason", Options{NoSuspend: model.Say("quote", "members live here")}, []string{"ctrl+z"}, func(b *bench) {
			b.sees("not available: members live here")
		}},
		{"revoke in the lab", "R does it after the grace", Options{Lab: true}, []string{"/", "job7", "enter", "x", "grace", "R"}, func(b *bench) {
			if len(b.h.done) != 1 || b.h.done[0].Kind != model.RevokeLease || b.h.done[0].Lease != 0xc3 {
				b.t.Errorf("did %+v", b.h.done)
			}
			b.sees("Revoked lease c3")
			b.w.del(23, leaseKey("/cron/job7", 0xc3))
			b.sync(23)
			if strings.Contains(b.text(), "then seen") {
				b.t.Errorf("the cause is a guess yet:\n%s", b.text())
			}
			b.w.add(model.Acted{At: at(23), Outcome: model.Outcome{Action: b.h.done[0], At: at(23), Done: true, Rev: b.w.rev}})
			b.sync(24)
			b.sees("done, then seen: d4 took over /cron/job7")
			b.sees("revoked by you")
		}},
		{"revoke, and it was released", "the owner was first: what was seen is said, and not awaited for ever", Options{Lab: true}, []string{"/", "job7", "enter", "x", "grace", "R"}, func(b *bench) {
			b.w.del(23, leaseKey("/cron/job7", 0xc3))
			b.w.add(model.Acted{At: at(23), Outcome: model.Outcome{Action: b.h.done[0], At: at(23), Done: true}})
			b.sync(24)
			b.sees("done, but the claim had ended before: d4 took over /cron/job7")
			if len(b.awaited) > 0 {
				b.t.Errorf("awaited still: %+v", b.awaited)
			}
		}},
		{"grace", "a key meant for the page does not break a lock", Options{Lab: true}, []string{"/", "job7", "enter", "x", "R"}, func(b *bench) {
			if len(b.h.done) != 0 || b.dialog == nil {
				b.t.Errorf("did %+v", b.h.done)
			}
		}},
		{"enter does not confirm", "neither does it close", Options{Lab: true}, []string{"/", "job7", "enter", "x", "grace", "enter"}, func(b *bench) {
			if len(b.h.done) != 0 || b.dialog == nil {
				b.t.Errorf("did %+v", b.h.done)
			}
			b.sees("enter does not confirm")
		}},
		{"enter, and it was released", "no key is named that is not there any more", Options{Lab: true}, []string{"/", "job7", "enter", "x", "grace", "enter"}, func(b *bench) {
			b.w.del(23, leaseKey("/cron/job7", 0xc3))
			b.sync(23)
			b.press("enter")
			b.sees("Already released")
			if strings.Contains(b.text(), "R or D") {
				b.t.Errorf("neither can be pressed:\n%s", b.text())
			}
		}},
		{"typed", "elsewhere the name is typed", Options{}, []string{"/", "job7", "enter", "x", "grace", "D", "/cron/job7", "enter"}, func(b *bench) {
			if len(b.h.done) != 1 || b.h.done[0].Kind != model.DeleteClaim {
				b.t.Errorf("did %+v", b.h.done)
			}
		}},
		{"typed wrong", "and it has to be right", Options{}, []string{"/", "job7", "enter", "x", "grace", "D", "/cron/job8", "enter"}, func(b *bench) {
			if len(b.h.done) != 0 {
				b.t.Errorf("did %+v", b.h.done)
			}
			b.sees("that is not the lock's name")
		}},
		{"kill from the lab page", "at once: it is ours; who is wrong stands first", Options{Lab: true}, []string{"5", "K"}, func(b *bench) {
			if len(b.h.done) != 1 || b.h.done[0].Fault != (model.Fault{Kind: model.FaultKill, Target: "c2"}) {
				b.t.Errorf("did %+v", b.h.done)
			}
		}},
		{"pause is resume", "what is paused already", Options{Lab: true}, []string{"5", "P"}, func(b *bench) {
			if len(b.h.done) != 1 || b.h.done[0].Kind != model.HealFault || b.h.done[0].Fault.Kind != model.FaultPause {
				b.t.Errorf("did %+v", b.h.done)
			}
		}},
		{"hold from the locks page", "its client is known by the proxy", Options{Lab: true}, []string{"/", "checkout", "enter", "H"}, func(b *bench) {
			if len(b.h.done) != 1 || b.h.done[0].Fault.Target != "c1" {
				b.t.Errorf("did %+v", b.h.done)
			}
		}},
		{"foreign client", "says why it cannot", Options{Lab: true}, []string{"/", "job7", "enter", "H"}, func(b *bench) {
			if len(b.h.plans) != 0 {
				b.t.Errorf("planned %+v", b.h.plans)
			}
			b.sees("not available: the claim's owner")
		}},
		{"freeze", "drawing stops, collecting does not", Options{}, []string{" "}, func(b *bench) {
			b.w.claim(24, "/new/lock", "", 0x99)
			b.sync(25)
			b.sees("FROZEN 3s")
			if strings.Contains(b.text(), "/new/lock") || b.state.Lock("/new/lock") == nil {
				b.t.Errorf("frozen screen:\n%s", b.text())
			}
			b.press("down")
			b.sees("FROZEN")
			b.press(" ")
			b.sees("/new/lock")
		}},
		{"frozen time", "one clock: only the chip says how long ago that was", Options{Lab: true}, []string{" "}, func(b *bench) {
			then := strings.Split(b.text(), "\n")
			b.w.claim(24, "/new/lock", "", 0x99)
			b.w.claim(25, "/new/lock", "", 0x98)
			b.sync(95)
			for i, line := range strings.Split(b.text(), "\n") {
				if i > 0 && line != then[i] {
					b.t.Errorf("line %d was\n%s\nand is\n%s", i, then[i], line)
				}
			}
			b.sees("FROZEN 1m13s")
		}},
		{"alarm", "belief that etcd does not share is said in words", Options{Lab: true}, []string{"5"}, func(b *bench) {
			b.sees("!! wrong for 3.1s beside c1")
			b.sees("1 false belief")
		}},
		{"lost", "the screen stays and says how old it is", Options{}, nil, func(b *bench) {
			b.w.add(model.Lost{At: at(30), Prefix: "/", Detail: model.Say("quote", "no connection; check the member")})
			b.sync(42)
			b.sees("LOST 42s") // all was last known to be complete when it was listed
			b.sees("check the member")
			b.sees("/jobs/billing")
		}},
	}
	for _, r := range rows {
		t.Run(r.name, func(t *testing.T) {
			b := newBench(t, r.o)
			wrongLab(b)
			b.pressed(r.keys...)
			r.check(b)
			if t.Failed() {
				t.Log(r.reason)
			}
		})
	}
}

// TestRefusingHands presses every key of the table that acts, on every page where
// it counts: a refusal is said and nothing is planned or done.
func TestRefusingHands(t *testing.T) {
	pages := page.All(page.NewLockList(), true)
	pagesOf := map[string][]string{"Locks": {"1"}, "Queue": {"1", "enter"}, "Journal": {"3"}, "Lab": {"5"}, "Sessions": {"2"}, "Findings": {"4"}}
	for _, row := range NewShell(Options{}).keys.Rows {
		if row.Act == "" || row.Where&host.AnyPage == 0 {
			continue
		}
		for i, p := range pages {
			w := p.About().Title
			keys := pagesOf[w]
			if row.Where&host.OnPage(i) == 0 {
				continue
			}
			for _, o := range []Options{{}, {Lab: true}} {
				b := newBench(t, o)
				wrongLab(b)
				b.press("/", "checkout", "enter")
				b.h.refuse = "the console is read-only"
				b.press(keys...)
				if w == "Sessions" || w == "Findings" {
					b.press("/", "checkout", "enter")
				}
				b.press(row.Keys[0])
				if len(b.h.plans)+len(b.h.done) > 0 || b.dialog != nil {
					t.Errorf("%s on %s: planned %v, did %v", row.Keys[0], w, b.h.plans, b.h.done)
				}
				if o.Lab || row.Act.WritesEtcd() {
					b.sees("not available: the console is read-only")
				} else {
					b.sees("not available: this is not locktop's own lab")
				}
			}
		}
	}
}

// TestEveryKeyIsAnswered on every page, whatever the console has beside the cluster: a lesson, a lab, a past.
func TestEveryKeyIsAnswered(t *testing.T) {
	for name, o := range map[string]Options{
		"a cluster":   {NoLab: model.Say("quote", "this cluster is not ours")},
		"a lab":       {Lab: true},
		"a recording": {Playback: spool{}},
	} {
		t.Run(name, func(t *testing.T) {
			for page := range 6 {
				b := newBench(t, o)
				wrongLab(b)
				b.press(strconv.Itoa(page + 1))
				for _, row := range keyTable(b.Shell, o.Playback != nil) {
					for _, k := range row.Keys {
						b.press(k, "esc", "esc", strconv.Itoa(page+1)) // whatever it opened
						if b.View() == "" {
							t.Errorf("page %d, %s: nothing is on the screen", page+1, k)
						}
					}
				}
			}
		})
	}
}

func TestKeysDoNotCollide(t *testing.T) {
	a := NewShell(Options{})
	for w := host.Where(1); w < host.End; w <<= 1 {
		seen := map[string]string{}
		for _, row := range keyTable(a, true) {
			if row.Where&w == 0 {
				continue
			}
			for _, k := range row.Keys {
				if other, ok := seen[k]; ok {
					t.Errorf("%s on %s is %q and %q", k, w.Words(a.titles()), other, row.What)
				}
				seen[k] = string(row.What)
			}
		}
	}
}

func TestKeyTable(t *testing.T) {
	taken := []string{"ctrl+b", "ctrl+a", "ctrl+w", "ctrl+r", "ctrl+k", "ctrl+u", "ctrl+d", "ctrl+e"}
	done := map[model.ActionKind]bool{model.HealFault: true, // the second half of a toggle
		model.TellProc: true} // drills tell
	for _, row := range NewShell(Options{Playback: spool{}}).keys.Rows {
		if row.What == "" || (row.Do == nil) == (row.Then == nil) || (row.Asks == nil) != (row.Then == nil) || row.Where == 0 {
			t.Errorf("row %v is not complete", row.Keys)
		}
		for _, k := range row.Keys {
			if slices.Contains(taken, k) {
				t.Errorf("%s belongs to tmux, vim or readline", k)
			}
			if row.Act != "" && k != "x" && k != "enter" && strings.ToUpper(k) != k {
				t.Errorf("%s acts and is not in upper case", k)
			}
		}
		if row.Act != "" {
			done[row.Act] = true
			if row.Needs == "" {
				t.Errorf("%v does not say what it needs", row.Keys)
			}
		}
	}
	for _, k := range model.ActionKinds {
		if !done[k] {
			t.Errorf("no key for %q", k)
		}
	}
	if len(Keys()) != len(NewShell(Options{Playback: spool{}}).keys.Rows) {
		t.Error("Keys is not the table")
	}
}

func TestSelectionIsIdentity(t *testing.T) {
	b := newBench(t, Options{})
	for i := range 30 {
		b.w.claim(1, fmt.Sprintf("/l/%02d", i), "", model.LeaseID(0x100+i))
	}
	b.sync(2)
	b.press("down", "down", "down", "down", "down")
	if got := b.viewState.Locks.Pick.ID; got != "/l/05" {
		t.Fatalf("selected %s", got)
	}
	b.press("S") // turned round, equal ones stay by name
	b.press("s") // by name
	if got := b.viewState.Locks.Order.IDs[b.viewState.Locks.Pick.Place]; got != "/l/05" {
		t.Errorf("after a sort: %s", got)
	}
	b.w.claim(10, "/a/first", "", 0x99)
	b.w.claim(10, "/l/04x", "", 0x98)
	b.sync(20)
	if got := b.viewState.Locks.Order.IDs[b.viewState.Locks.Pick.Place]; got != "/l/05" {
		t.Errorf("after others came: %s", got)
	}
	b.press("enter")
	if b.spot("Queue") != "/l/05" {
		t.Errorf("opened %s", b.spot("Queue"))
	}
}

// TestTheFirstRowIsSelectedForAReason: in the order of trouble the cursor stands on the worst until
// a person moves it. In another order whoever comes first, each second another one, does not take
// the keys from under the hand.
func TestTheFirstRowIsSelectedForAReason(t *testing.T) {
	for _, r := range []struct {
		sort, first, later, reason string
	}{
		{"", "/c", "/c", "somebody waits for it; what is silent comes first, and the keys are about it"},
		{"held", "/b", "/b", "/b is let go and taken anew: it stands last"},
		{"name", "/a", "/a", "the names stay"},
	} {
		b := newBench(t, Options{Settings: Settings{Sort: r.sort}})
		b.w.claim(1, "/b", "", 2)
		b.w.claim(2, "/a", "", 1)
		b.w.claim(3, "/c", "", 3)
		b.w.claim(4, "/c", "", 4)
		b.sync(5)
		first := b.viewState.Locks.Pick.ID
		b.w.del(6, leaseKey("/b", 2))
		b.w.claim(6, "/b", "", 5)
		b.w.read(30, 3, 60, 5)
		b.sync(30)
		b.w.add(model.Tick{At: at(33)})
		b.sync(33)
		if later := b.viewState.Locks.Pick.ID; first != r.first || later != r.later || b.viewState.Locks.Name(b.viewState.Locks.Pick.Place) != later {
			t.Errorf("sorted by %q: first %s, later %s of %q; want %s and %s: %s", r.sort, first, later, b.viewState.Locks.Order.IDs, r.first, r.later, r.reason)
		}
		b.press("s")
		if got, top := b.viewState.Locks.Pick.ID, b.viewState.Locks.Name(0); got != top {
			t.Errorf("sorted anew: %s is selected, and %s stands first", got, top)
		}
	}
}

func TestSelectionInTheQueueIsIdentity(t *testing.T) {
	b := newBench(t, Options{})
	for i := range 10 {
		b.w.claim(float64(i), "/l", "", model.LeaseID(0x100+i))
	}
	b.sync(11)
	b.press("enter", "down", "down", "down")
	b.w.del(12, leaseKey("/l", 0x100))
	b.sync(13)
	if c := b.Target().Claim; c == nil || c.KV.Lease != 0x103 || c.Lock().Place(c) != 2 {
		t.Errorf("chosen %v", c)
	}
	b.w.del(14, leaseKey("/l", 0x103))
	b.sync(15)
	if c := b.Target().Claim; c == nil || c.KV.Lease != 0x104 {
		t.Errorf("the one that took its place is chosen, not %v", c)
	}
}

func TestRowsStayWhileTheCursorMoves(t *testing.T) {
	b := newBench(t, Options{})
	b.w.claim(1, "/a", "", 1)
	b.w.claim(1, "/b", "", 2)
	b.w.claim(1, "/b", "", 3)
	b.sync(2)
	b.press("down")
	before := slices.Clone(b.viewState.Locks.Order.IDs)
	b.w.read(3, 2, 60, 5) // /b is silent now and belongs to the top
	b.sync(3)
	if !slices.Equal(before, b.viewState.Locks.Order.IDs) {
		t.Errorf("the rows moved under the cursor: %q", b.viewState.Locks.Order.IDs)
	}
	b.sync(6)
	if b.viewState.Locks.Order.IDs[0] != "/b" {
		t.Errorf("not sorted after a while: %q", b.viewState.Locks.Order.IDs)
	}
}

func TestMouse(t *testing.T) {
	b := newBench(t, Options{})
	wrongLab(b)
	click := func(x, y int) {
		b.send(tea.MouseMsg{X: x, Y: y, Action: tea.MouseActionPress, Button: tea.MouseButtonLeft})
	}
	click(10, 10)
	if b.viewState.Locks.Pick.Place != 2 {
		t.Errorf("a click selected row %d", b.viewState.Locks.Pick.Place)
	}
	click(3, 7)
	if b.viewState.Locks.Order.By != page.SortName {
		t.Errorf("a click on the title sorted by %d", b.viewState.Locks.Order.By)
	}
	click(12, 1)
	if b.on() != "Sessions" {
		t.Errorf("a click on the tab went to %s", b.on())
	}
	b.press("1")
	b.send(tea.MouseMsg{X: 5, Y: 5, Button: tea.MouseButtonWheelDown})
	if b.viewState.Locks.Pick.Place == 0 {
		t.Error("the wheel did nothing")
	}
}

func TestEmpty(t *testing.T) {
	b := newBench(t, Options{})
	b.sync(1)
	b.sees("No locks yet")
	b.w.put(2, "/config/x", "1", 0)
	b.sync(3)
	b.sees("1 key under /, and none of them is a claim of a lock")
}

func TestBootAndEnd(t *testing.T) {
	var out bytes.Buffer
	wrong := errors.New("no member answers")
	err := Run(t.Context(), Options{Boot: func(_ context.Context, progress func(model.Message)) (Live, error) {
		progress(model.Say("waiting-for-a-leader"))
		return Live{}, wrong
	}}, &bytes.Buffer{}, &out)
	if !errors.Is(err, wrong) {
		t.Errorf("got %v", err)
	}
	if !strings.Contains(out.String(), "\x1b[?1049l") {
		t.Errorf("the terminal was not restored: %q", out.String())
	}
}

// quiet is a source in which nothing happens.
type quiet struct{}

func (quiet) Next(ctx context.Context, _ model.Want) (model.Batch, error) {
	<-ctx.Done()
	return model.Batch{}, ctx.Err()
}

func TestSignalEndsIt(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	var out bytes.Buffer
	err := Run(ctx, Options{Boot: func(context.Context, func(model.Message)) (Live, error) {
		cancel()
		return Live{Source: quiet{}}, nil
	}}, &bytes.Buffer{}, &out)
	if err != nil {
		t.Errorf("got %v", err)
	}
	if !strings.Contains(out.String(), "\x1b[?1049l") {
		t.Errorf("the terminal was not restored: %q", out.String())
	}
}

// TestTheMostContendedLockIsSelected: while nothing is wrong the cursor stands on the lock for which most
// wait, and from the fifth second on it stays where somebody waits.
func TestTheMostContendedLockIsSelected(t *testing.T) {
	b := newBench(t, Options{})
	selects := func(want, reason string) {
		t.Helper()
		if got := b.viewState.Locks.Pick.ID; got != want {
			t.Errorf("%s is selected, want %s: %s", got, want, reason)
		}
	}
	b.w.claim(1, "/a", "", 1)
	b.w.claim(1, "/b", "", 2)
	b.w.claim(1, "/b", "", 3)
	b.sync(2)
	selects("/b", "one waits for it, and nobody for /a")
	for i := range 2 {
		b.w.claim(3, "/c", "", model.LeaseID(4+i))
	}
	b.w.claim(3, "/c", "", 6)
	b.sync(3)
	selects("/c", "two wait for it, and the console has just begun")
	for i := range 3 {
		b.w.claim(12, "/b", "", model.LeaseID(7+i))
	}
	b.sync(12)
	selects("/c", "more wait for /b now, but a person looks at /c")
	b.w.del(13, leaseKey("/c", 5))
	b.w.del(13, leaseKey("/c", 6))
	b.sync(13)
	selects("/b", "nobody waits for /c any more")
}
