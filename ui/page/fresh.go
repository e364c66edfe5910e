package page

import (
	"fmt"
	"time"

	"locktop/model"
	"locktop/model/fold"
)

// freshness is how true the screen is: live, loading or lost.
type freshness struct {
	State   model.WatchState
	Percent int // while loading, -1 if not known
	Since   time.Time
	Seen    time.Time // when everything was last known to be complete
	What    string    // what failed and what to do, for lost
}

// Fresh sums up the feeds: the worst one counts.
func Fresh(s *fold.State) freshness {
	fr := freshness{State: model.WatchLive, Percent: -1}
	var done, total int64
	feeds := s.Watches()
	if len(feeds) == 0 {
		fr.State = model.WatchLoading
	}
	for _, f := range feeds {
		switch {
		case f.State == model.WatchLost:
			if fr.State != model.WatchLost {
				fr.State, fr.Since, fr.Seen = model.WatchLost, f.Since, f.SeenAt
				fr.What = fmt.Sprintf("watch of %s lost (%s): %s", prefixWord(f.Prefix), f.Reason, f.Detail)
			}
		case f.State == model.WatchLoading:
			if fr.State != model.WatchLost {
				fr.State = model.WatchLoading
			}
			done, total = done+f.Done, total+f.Total
		}
	}
	if total > 0 {
		fr.Percent = int(min(100, done*100/total))
	}
	return fr
}

func prefixWord(p string) string {
	if p == "" {
		return "all keys"
	}
	return p
}
