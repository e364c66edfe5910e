//go:build slow

package watcher

import (
	"fmt"
	"testing"

	"locktop/model"
)

func TestRestartLosesNoEvent(t *testing.T) {
	s := newServer(t)
	c := s.dial()
	w := newWatcher(t, s.dial(), Options{Prefixes: []string{"/l/"}, Budget: -1})
	r := &record{t: t, w: w}
	has[model.Watching](r, 1)
	put(t, c, "/l/before", "1")
	has[model.Committed](r, 1)
	s.stop()
	lost := has[model.Lost](r, 1)[0]
	if lost.Reason != model.LostDisconnect {
		t.Errorf("got %+v", lost)
	}
	s.start()
	c.ActiveConnection().ResetConnectBackoff()
	for i := range 10 {
		put(t, c, fmt.Sprintf("/l/after%d", i), "2")
	}
	back := has[model.Back](r, 1)[0]
	got := has[model.Committed](r, 11)
	for i := 1; i < len(got); i++ {
		if got[i].Rev != got[i-1].Rev+1 {
			t.Errorf("revision %d after %d", got[i].Rev, got[i-1].Rev)
		}
	}
	if len(got) != 11 || back.Rev < got[0].Rev {
		t.Errorf("%d revisions, back at %d", len(got), back.Rev)
	}
	if n := len(all[model.Loaded](r)); n != 1 {
		t.Errorf("%d lists, want the first alone", n)
	}
}
