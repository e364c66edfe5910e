package ui

import (
	"fmt"
	"testing"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"locktop/model"
	"locktop/model/store"
	"locktop/ui/host"
)

// still is a recording that stands wherever one goes in it.
type still struct{ *rewound }

func (s still) Label() string { return "paused" }

// drained does all that is asked for beside the screen, but what takes time.
func (b *bench) drained(cmd tea.Cmd) {
	for cmd != nil {
		switch m := cmd().(type) {
		case tea.BatchMsg:
			for _, c := range m[1:] {
				b.drained(c)
			}
			cmd = m[0]
		case soughtMsg, rankMsg:
			_, cmd = b.Update(m)
		default:
			return
		}
	}
}

// crowded is a minute and a half in which many locks change hands, some get stuck, and some go.
func crowded(w *world) {
	for i := range 40 {
		lock := fmt.Sprintf("/l%02d", i)
		for n := range 3 {
			w.claim(1+float64(i)/10, lock, "", model.LeaseID(0x1000+i*16+n))
		}
	}
	for sec := 10; sec < 80; sec += 2 {
		i := sec / 2 % 40
		lock := fmt.Sprintf("/l%02d", i)
		for n := range 3 {
			if lease := model.LeaseID(0x1000 + i*16 + n); w.keys[leaseKey(lock, lease)].Key != "" {
				w.del(float64(sec)+float64(n)/10, leaseKey(lock, lease))
				if i%3 != 0 {
					break // else all go, and the lock with them
				}
			}
		}
	}
	w.claim(81, "/stuck", "", 0x9001)
	w.claim(82, "/stuck", "", 0x9002)
	w.read(84, 0x9001, 10, -1)
}

// TestAMomentIsCompleteWhenItIsShown: what stands on the screen at once stands there after any
// time that nothing is pressed, and is what a console shows that was opened at that moment.
func TestAMomentIsCompleteWhenItIsShown(t *testing.T) {
	for name, story := range map[string]func(*world){"crowded": crowded, "contention": contention} {
		for _, size := range [][2]int{{80, 24}, {120, 36}, {200, 50}} {
			for _, page := range []string{"1", "2", "3", "4", "6"} {
				w := newWorld()
				story(w)
				all := w.ev
				playback := still{&rewound{all: all, now: store.New()}}
				b := newBench(t, Options{Playback: playback})
				b.size(size[0], size[1])
				for _, e := range all {
					playback.now.Apply(model.Batch{Events: []model.Event{e}})
				}
				b.send(batchMsg{Events: all})
				b.press(page)
				end := playback.now.Now()
				for _, sec := range []float64{50, 85, 20, 83, 12, 50, 84.5} {
					to := at(sec)
					if to.After(end) {
						to = end
					}
					b.drained(b.Shell.seek(host.Goal{Kind: host.StopTime, At: to}))
					first := b.text()
					for i := range 5 {
						b.send(tickMsg(end.Add(time.Duration(i+1) * time.Second)))
					}
					if after := b.text(); after != first {
						t.Errorf("%s, page %s, %v, at %g s: after a while it is not what was shown:\n%s\nfirst:\n%s", name, page, size, sec, after, first)
					}
					there, _ := playback.Go(t.Context(), host.Goal{Kind: host.StopTime, At: to})
					fresh := newBench(t, Options{Playback: playback})
					fresh.size(size[0], size[1])
					fresh.booted = false
					fresh.send(bootedMsg{live: Live{Actions: fresh.h, Endpoints: b.live.Endpoints, State: there}})
					fresh.viewState.Axis.Window = b.viewState.Axis.Window // where one looks is set by hand
					fresh.viewState.Ahead = b.viewState.Ahead             // it knows nothing of what comes later, and how to go there
					fresh.press(page)
					fresh.setNow()
					fresh.dirty = true
					if opened := fresh.text(); opened != first {
						t.Errorf("%s, page %s, %v, at %g s: opened there it is\n%s\ngone to:\n%s", name, page, size, sec, opened, first)
					}
				}
			}
		}
	}
}
