package ui

import (
	"fmt"
	"time"

	"locktop/model"
)

// freshness is how true the screen is: live, loading or lost.
type freshness struct {
	state   model.WatchState
	percent int // while loading, -1 if not known
	since   time.Time
	seen    time.Time // when everything was last known to be complete
	what    string    // what failed and what to do, for lost
}

// fresh sums up the feeds: the worst one counts.
func fresh(s *model.State) freshness {
	fr := freshness{state: model.WatchLive, percent: -1}
	var done, total int64
	feeds := s.Watches()
	if len(feeds) == 0 {
		fr.state = model.WatchLoading
	}
	for _, f := range feeds {
		switch {
		case f.State == model.WatchLost:
			if fr.state != model.WatchLost {
				fr.state, fr.since, fr.seen = model.WatchLost, f.Since, f.SeenAt
				fr.what = fmt.Sprintf("watch of %s lost (%s): %s", prefixWord(f.Prefix), f.Reason, f.Detail)
			}
		case f.State == model.WatchLoading:
			if fr.state != model.WatchLost {
				fr.state = model.WatchLoading
			}
			done, total = done+f.Done, total+f.Total
		}
	}
	if total > 0 {
		fr.percent = int(min(100, done*100/total))
	}
	return fr
}

func prefixWord(p string) string {
	if p == "" {
		return "all keys"
	}
	return p
}
