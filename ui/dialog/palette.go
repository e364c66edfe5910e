package dialog

import (
	"cmp"
	"slices"
	"strings"

	"locktop/model"
	"locktop/model/status"
	"locktop/ui/draw"
	"locktop/ui/fields"
	"locktop/ui/host"
	"locktop/ui/page"
)

// offerKind is a kind of what the palette finds. What fits equally well stands in their order.
type offerKind int

const (
	offerLock offerKind = iota
	offerSession
	offerContender
	offerPage
	offerAction
	offerSetting
	offerCommand
	offerKinds
)

// kindWords name the kinds.
var kindWords = [offerKinds]model.MessageID{"offer-lock", "offer-session", "offer-contender", "offer-page", "offer-action", "offer-setting", "offer-command"}

// offer is something to which the palette leads. Exactly one of do and fill is set.
type offer struct {
	name   string
	detail func(page.Frame) []draw.Span // beside it; nil for nothing
	key    string                       // that does the same
	closed bool                         // it only says why it does nothing now
	fill   string                       // what stands in the line then: a command that wants more
	do     func(v host.View) (wants []host.Intent, why string)

	kind  offerKind
	score int
}

// offers are the best ones of a kind, and how many there are in all.
type offers struct {
	best []offer
	n    int
}

// offersOfKind bounds how many of a kind are kept: more than a list has rows.
const offersOfKind = 2 * rowsMax

// find gathers what fits the text, each kind by itself.
func (cl *CommandLine) find(v host.View, pattern string) (all [offerKinds]offers) {
	f := v.Frame
	add := func(kind offerKind, name string, make func() offer) {
		score, _, _ := fuzzy(name, pattern)
		if score == 0 {
			return
		}
		if word, _, more := strings.Cut(name, " "); kind == offerCommand && more && word == pattern {
			score += fitsWhole // the command is typed out
		}
		g := &all[kind]
		g.n++
		if len(g.best) == offersOfKind && g.best[len(g.best)-1].score >= score {
			return
		}
		x := make()
		x.name, x.kind, x.score = name, kind, score
		at, _ := slices.BinarySearchFunc(g.best, score, func(o offer, score int) int {
			if o.score >= score { // behind those that fit as well
				return -1
			}
			return 1
		})
		g.best = slices.Insert(g.best, at, x)
		g.best = g.best[:min(len(g.best), offersOfKind)]
	}
	if cl.here.Watching {
		for i, l := range f.S.Locks() {
			if pattern == "" && i == offersOfKind { // all fit as well
				all[offerLock].n = len(f.S.Locks())
				break
			}
			add(offerLock, l.Name, func() offer {
				return offer{detail: func(f page.Frame) []draw.Span { return lockDetail(f, l.Name) }, do: shows(page.Request{Show: page.ShowQueue, Lock: l.Name})}
			})
		}
		for _, s := range cl.sessionNames(f, pattern) {
			add(offerSession, s.name, func() offer {
				return offer{detail: func(f page.Frame) []draw.Span { return sessionDetail(f, s.lease) }, do: func(v host.View) ([]host.Intent, string) {
					return cmdLease(cl, v, "0x"+s.lease.String())
				}}
			})
		}
		if pattern == "" {
			all[offerSession].n = len(f.S.Leases())
		}
		for _, x := range f.S.Reports().Contenders() {
			add(offerContender, x.Name, func() offer {
				return offer{detail: said(f.Th.Clean(x.Lock)), do: shows(page.Request{Show: page.ShowContender, Program: x.Name})}
			})
		}
	}
	for _, k := range cl.here.Keys {
		kind := offerAction
		if k.TurnsPage() {
			kind = offerPage
		}
		add(kind, f.Th.Say(k.What), func() offer { return ofKey(v, k) })
	}
	for _, c := range cl.can() {
		if c.setting {
			for _, arg := range c.offers(cl, v) {
				add(offerSetting, c.name+" "+arg, func() offer {
					return offer{detail: said(f.Th.Say(c.what)), do: func(v host.View) ([]host.Intent, string) { return c.do(cl, v, arg) }}
				})
			}
			continue
		}
		add(offerCommand, strings.TrimSpace(c.name+" "+c.arg), func() offer {
			x := offer{detail: said(f.Th.Say(c.what))}
			if c.arg != "" {
				x.fill = c.name + " "
			} else {
				x.do = func(v host.View) ([]host.Intent, string) { return c.do(cl, v, "") }
			}
			return x
		})
	}
	return all
}

// shows is an offer that leads to a page.
func shows(r page.Request) func(host.View) ([]host.Intent, string) {
	return func(host.View) ([]host.Intent, string) { return []host.Intent{r}, "" }
}

func said(text string) func(page.Frame) []draw.Span {
	return func(page.Frame) []draw.Span { return []draw.Span{draw.Dim.Of(text)} }
}

// ofKey is what a key does.
func ofKey(v host.View, k *host.Key) offer {
	x := offer{key: host.Names(k.Keys[:1]), do: func(host.View) ([]host.Intent, string) { return []host.Intent{host.Press{Key: k}}, "" }}
	if why := k.Closed(v); why != "" {
		x.closed, x.detail = true, said(why)
	}
	return x
}

// sessionName is what a session is found by.
type sessionName struct {
	lease model.LeaseID
	name  string
}

// sessionNames are the sessions as they were when the first letter was typed, before that as many as the
// list has rows for: to name all of them takes longer than all else. All claims of a session are of one client,
// so the first names it.
func (cl *CommandLine) sessionNames(f page.Frame, pattern string) []sessionName {
	leases := f.S.Leases()
	if pattern == "" {
		leases = leases[:min(len(leases), offersOfKind)]
	} else if cl.sessions != nil {
		return cl.sessions
	}
	names := make([]sessionName, len(leases))
	for i, l := range leases {
		names[i] = sessionName{l.ID, l.ID.String()}
		if claims := l.Claims(); len(claims) > 0 {
			if id := f.S.IdentityOf(claims[0]); id.Text != "" {
				names[i].name = id.Text + "  " + names[i].name
			}
		}
	}
	slices.SortFunc(names, func(a, b sessionName) int {
		return cmp.Or(strings.Compare(a.name, b.name), cmp.Compare(a.lease, b.lease))
	})
	if pattern != "" {
		cl.sessions = names
	}
	return names
}

// lockDetail says how a lock is, who holds it and how many wait.
func lockDetail(f page.Frame, name string) []draw.Span {
	l := f.S.Lock(name)
	if l == nil {
		return nil
	}
	words := []draw.Span{f.Th.FormatCondition(status.ConditionOf(f.S, l))}
	if h := l.Head(); h != nil {
		words = append(words, draw.Plain.Of("  "+f.Th.WhoIn(f.S, h.Ref(), 24)))
	}
	if n := l.Behind(); n > 0 && l.Recipe().WaitersVisible() {
		words = append(words, draw.Dim.Of("  "+f.Th.Say("so-many-waiting", draw.Counted(n))))
	}
	return words
}

// sessionDetail says what a session holds and waits for.
func sessionDetail(f page.Frame, id model.LeaseID) []draw.Span {
	l := f.S.Lease(id)
	if l == nil {
		return nil
	}
	var words []draw.Span
	s := fields.SessionOf(l)
	if held := s.Holds.Listed(); len(held) > 0 {
		words = append(words, draw.Good.Of(f.Th.Sign.Holds+" "), draw.Plain.Of(f.Th.CutPath(f.Th.Clean(held[0].Name), 28)+"  "))
	}
	if waits := s.Waits.Listed(); len(waits) > 0 {
		words = append(words, draw.Waiting.Of(f.Th.Sign.Waits+" "), draw.Plain.Of(f.Th.CutPath(f.Th.Clean(waits[0].Name), 28)))
	}
	return words
}

// share gives the kinds their rows: to each some, the best of all first, and what is left to those
// that have more.
func share(all [offerKinds]offers, rows int) (out []offer, n int) {
	var kinds []offerKind
	for k := range all {
		n += all[k].n
		if len(all[k].best) > 0 {
			kinds = append(kinds, offerKind(k))
		}
	}
	slices.SortStableFunc(kinds, func(a, b offerKind) int { return all[b].best[0].score - all[a].best[0].score })
	kinds = kinds[:min(len(kinds), rows)]
	if len(kinds) == 0 {
		return nil, n
	}
	has := map[offerKind]int{}
	for left, given := rows, true; given && left > 0; {
		given = false
		for _, k := range kinds {
			if has[k] < len(all[k].best) && left > 0 {
				has[k]++
				left--
				given = true
			}
		}
	}
	for _, k := range kinds {
		out = append(out, all[k].best[:has[k]]...)
	}
	return out, n
}

// lit is a name with the letters in colour that were found in it.
func lit(th *draw.Theme, name, pattern string, st draw.Style, w int) []draw.Span {
	clean := th.Clean(name)
	if strings.Contains(clean, "/") {
		clean = th.CutPath(clean, w)
	} else {
		clean = th.CutClause(clean, w, w/2)
	}
	score, from, to := fuzzy(clean, pattern)
	if score == 0 || pattern == "" {
		return []draw.Span{st.Of(clean)}
	}
	words := []draw.Span{st.Of(clean[:from])}
	for i, piece := range lettersIn(clean[from:to], pattern) {
		if i%2 == 1 {
			words = append(words, draw.Accent.Of(piece))
		} else {
			words = append(words, st.Of(piece))
		}
	}
	return append(words, st.Of(clean[to:]))
}
