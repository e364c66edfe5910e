package page

import (
	"strings"
	"time"

	"locktop/model"
	"locktop/model/locks"
	"locktop/model/store"
	"locktop/ui/draw"
)

// freshness is how true the screen is: live, loading or lost.
type freshness struct {
	State   locks.WatchState
	Percent int           // while loading, -1 if not known
	Seen    time.Time     // for lost: when all was last known to be complete
	What    model.Message // what failed and what to do, for lost
	// Denied are the prefixes that may not be read. They make nothing else out of date.
	Denied []*locks.Watch
	// Nothing: all are denied.
	Nothing bool
}

// Grants are the commands that would allow what is denied.
func (fr freshness) Grants() []string {
	var all []string
	for _, f := range fr.Denied {
		if _, grant := f.Denied(); grant != "" {
			all = append(all, grant)
		}
	}
	return all
}

// names are the prefixes that are denied.
func (fr freshness) names(th *draw.Theme) string {
	var names []string
	for _, f := range fr.Denied {
		names = append(names, th.Message(model.PrefixWord(f.Prefix)))
	}
	return strings.Join(names, ", ")
}

// MayNot says in a line which prefixes may not be read, nil if all may.
func (fr freshness) MayNot(th *draw.Theme) []draw.Span {
	if len(fr.Denied) == 0 {
		return nil
	}
	line := []draw.Span{draw.Late.Of(th.Sign.Late + " " + th.Say("no-permission-to-read", model.Verbatim(th.Cut(fr.names(th), 40))))}
	if len(fr.Grants()) > 0 {
		line = append(line, draw.Plain.Of("   "), draw.Accent.Of("c"), draw.Dim.Of(" "+th.Say("how-to-allow-it")))
	}
	return line
}

// denied says in full what may not be read, and by which command it would be allowed.
func (fr freshness) denied(th *draw.Theme) []draw.Paragraph {
	var all []draw.Paragraph
	add := func(st draw.Style, lead, text string) {
		all = append(all, draw.Paragraph{St: st, Lead: lead, Text: text})
	}
	for _, f := range fr.Denied {
		add(draw.Plain, "", "")
		add(draw.Strong, "  ", th.Say("no-permission-to-read", model.PrefixWord(f.Prefix)))
		_, grant := f.Denied()
		if grant == "" {
			add(draw.Late, "  ", th.Message(f.Detail))
			continue
		}
		add(draw.Dim, "  ", th.Say("this-allows-it-with-a-role"))
		add(draw.Plain, "  $ ", th.Clean(grant))
	}
	return all
}

// Fresh sums up the feeds: the worst one counts.
func Fresh(s *store.View) freshness {
	fr := freshness{State: locks.Live, Percent: -1}
	var done, total int64
	feeds := s.Coverage().Watches()
	if len(feeds) == 0 {
		fr.State = locks.Loading
	}
	for _, f := range feeds {
		switch {
		case fr.isDenied(f):
		case f.State == locks.Lost:
			if fr.State != locks.Lost {
				fr.State, fr.Seen = locks.Lost, f.SeenAt
				if fr.Seen.IsZero() {
					fr.Seen = f.Since
				}
				fr.What = model.Say("watch-of-lost", model.PrefixWord(f.Prefix), f.Reason, f.Detail)
			}
		case f.State == locks.Loading:
			if fr.State != locks.Lost {
				fr.State = locks.Loading
			}
			done, total = done+f.Done, total+f.Total
		}
	}
	fr.Nothing = len(fr.Denied) > 0 && len(fr.Denied) == len(feeds)
	if total > 0 {
		fr.Percent = int(min(100, done*100/total))
	}
	return fr
}

// isDenied notes that a prefix is denied, if it is.
func (fr *freshness) isDenied(f *locks.Watch) bool {
	denied, _ := f.Denied()
	if denied {
		fr.Denied = append(fr.Denied, f)
	}
	return denied
}
