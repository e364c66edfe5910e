package tutor

import (
	"cmp"
	"slices"
	"strconv"

	"locktop/model"
	"locktop/model/locks"
	"locktop/model/store"
	"locktop/ui/draw"
	"locktop/ui/host"
	"locktop/ui/page"
	"locktop/ui/timeline"
)

// selects selects the lock that the step is about, as soon as there is one of that name. Until then the
// queue of another one, which was opened before, gives way to the list.
func (p *Panel) selects(v host.View) []host.Intent {
	p.about = cmp.Or(p.step.Lock, p.about)
	switch {
	case p.about == p.lock || p.back > 0 || !v.Lists:
		return nil
	case v.S.Lock(p.about) != nil:
		p.lock = p.about
		return []host.Intent{host.Select(p.about)}
	case p.queue && p.step.Show != PictureQueue:
		p.queue = false
		return []host.Intent{host.GoTo("Locks")}
	}
	return nil
}

// turnTo opens the page that a step shows, once for each: where the person goes then, stays.
func (p *Panel) turnTo(v host.View, show Picture, about string) (wants []host.Intent) {
	to := turned{show, about}
	if show == "" || to == p.opened || p.back > 0 { // a step of lines of code shows nothing of its own
		return nil
	}
	switch {
	case show == PictureQueue && v.S.Lock(about) == nil:
		return nil // with the next step
	case show == PictureQueue:
		p.queue = true
		wants = append(wants, page.Request{Show: page.ShowQueue, Lock: about, Replaces: true})
	case show == PictureTime:
		wants = append(wants, host.GoTo("Time"))
	}
	p.opened = to
	return wants
}

// Rows of a picture under a text, its heading included, and what it has at least.
const (
	askersMost   = 4
	accessesMost = 5
	edgesMost    = 4
	saidMost     = 5
	pictureLeast = 2
)

// pictureRows is how many lines the picture would like to have on a screen of h lines, 0 if there
// is none.
func (p *Panel) pictureRows(h int) int {
	switch p.step.Show {
	case PictureCost:
		return 2 + askersMost
	case PictureResource:
		return 1 + accessesMost
	case PictureSaid:
		return 1 + saidMost
	case PictureStores:
		return 4 + len(p.step.Stores.Clients)
	case PictureGraph:
		if h >= page.TallFrom {
			return timeline.RingHigh
		}
		return 1 + edgesMost
	}
	return 0
}

// picture is what stands under the text in h lines of w cells at most.
func (p *Panel) picture(f page.Frame, w, h int) []string {
	var lines []string
	switch p.step.Show {
	case PictureCost:
		lines = p.cost(f, w, h)
	case PictureResource:
		lines = p.resource(f, w, h)
	case PictureGraph:
		lines = p.graph(f, w, h)
	case PictureSaid:
		lines = p.whatWasSaid(f, w)
	case PictureStores:
		lines = storesLines(f.Th, p.step.Stores, w)
	}
	return lines[:min(len(lines), max(0, h))]
}

// column is one of a table in the panel: its heading, and how wide it is. A figure stands
// at its right end.
type column struct {
	head   model.Message
	w      int
	figure bool
}

// cellsOf are the cells of a line, each in a style of its own.
func cellsOf(th *draw.Theme, columns []column, cells []draw.Span) []draw.Span {
	spans := []draw.Span{draw.Plain.Of("  ")}
	for i, c := range columns {
		text := th.Cut(cells[i].Text, c.w)
		blank := draw.Plain.Of(draw.Blank(c.w - draw.Width(text)))
		if c.figure {
			spans = append(spans, blank, cells[i].St.Of(text), draw.Plain.Of("  "))
		} else {
			spans = append(spans, cells[i].St.Of(text), blank, draw.Plain.Of("  "))
		}
	}
	return spans
}

func heading(th *draw.Theme, columns []column) []draw.Span {
	cells := make([]draw.Span, len(columns))
	for i, c := range columns {
		cells[i] = draw.Heading.Of(th.Message(c.head))
	}
	return cells
}

// saidColumns are of what programs say beside etcd.
var saidColumns = []column{{model.Say("tutor-who"), 10, false}, {model.Say("tutor-etcd-value"), 12, false}, {model.Say("tutor-said-last"), 50, false}}

// whatWasSaid is the value of each program's key, and what the program said last: an observer has no
// key. Where it is about all locks, only those are there that said more than that they want none.
func (p *Panel) whatWasSaid(f page.Frame, w int) []string {
	th := f.Th
	lines := []string{th.Line(w, cellsOf(th, saidColumns, heading(th, saidColumns)), nil)}
	for _, c := range f.S.Reports().Contenders() {
		idle := c.Belief.Text == "" && c.Belief.State == model.BeliefIdle
		if c.Proc == model.ProcEnded || p.step.About != "" && c.Lock != p.step.About || p.step.About == "" && idle {
			continue
		}
		l := f.S.Lock(c.Lock)
		value := draw.Dim.Of("-")
		for i := 0; l != nil && i < l.Len(); i++ {
			if k := l.At(i); k.KV.Lease == c.Belief.Lease && c.Belief.Lease != 0 {
				st := draw.Waiting
				if l.Holds(i) {
					st = draw.Good
				}
				value = st.Of(th.Clean(k.KV.Value))
			}
		}
		lines = append(lines, th.Line(w, cellsOf(th, saidColumns, []draw.Span{draw.Strong.Of(th.CutKey(c.Name, 10)), value,
			draw.Plain.Of(cmp.Or(th.Message(c.Belief.Says()), th.Word(c.Belief.State)))}), nil))
	}
	if len(lines) == 1 {
		return []string{th.Line(w, []draw.Span{draw.Dim.Of("  " + th.Say("tutor-nobody-said"))}, nil)}
	}
	return lines
}

func askedSoFar(s *store.View) requests {
	all := requests{}
	for _, c := range s.Reports().Contenders() {
		if !c.Asked.At.IsZero() {
			all[c.Name] = c.Asked
		}
	}
	return all
}

// askers are the programs of the lock with what they have asked since the last question, or
// text after something was done; those first that asked most in vain.
func (p *Panel) askers(s *store.View) []model.Asked {
	var all []model.Asked
	for _, c := range s.Reports().Contenders() {
		if c.Asked.At.IsZero() || p.step.About != "" && c.Lock != p.step.About {
			continue
		}
		if a := since(c.Asked, p.base[c.Name]); c.Proc != model.ProcEnded || a.Txns > 0 { // who is gone since long is no more
			all = append(all, a)
		}
	}
	slices.SortStableFunc(all, func(a, b model.Asked) int { return cmp.Or(b.Vain-a.Vain, b.Idle-a.Idle) })
	return all
}

// since is what was asked after that. A program that was started anew counts anew.
func since(a, was model.Asked) model.Asked {
	if d := plus(a, was, -1); min(d.Txns, d.Vain, d.Gets, d.Writes, d.Watches, d.Woken, d.Idle, d.Renewals, d.Others) >= 0 {
		return d
	}
	return a
}

func plus(a, b model.Asked, times int) model.Asked {
	for _, x := range []struct{ to, of *int }{{&a.Txns, &b.Txns}, {&a.Vain, &b.Vain}, {&a.Gets, &b.Gets}, {&a.Writes, &b.Writes}, {&a.Watches, &b.Watches},
		{&a.Woken, &b.Woken}, {&a.Idle, &b.Idle}, {&a.Renewals, &b.Renewals}, {&a.Others, &b.Others}} {
		*x.to += times * *x.of
	}
	return a
}

var costColumns = []column{{model.Say("tutor-who"), 10, false}, {model.Say("tutor-vain"), 8, true}, {model.Say("tutor-idle"), 17, true}, {model.Say("tutor-txns"), 5, true}, {model.Say("tutor-gets"), 5, true}, {model.Say("tutor-writes"), 5, true},
	{model.Say("tutor-watches"), 5, true}, {model.Say("tutor-renewals"), 5, true}}

// cost says who asked what, and what of that was for nothing.
func (p *Panel) cost(f page.Frame, w, h int) []string {
	all, th := p.askers(f.S), f.Th
	if len(all) == 0 {
		return []string{th.Line(w, []draw.Span{draw.Dim.Of("  " + th.Say("tutor-nobody-asked"))}, nil)}
	}
	row := func(name string, a model.Asked, st draw.Style) string {
		late := func(n int) draw.Span {
			if n == 0 {
				return draw.Dim.Of("0")
			}
			return draw.Late.Of(strconv.Itoa(n))
		}
		plain := func(n int) draw.Span { return draw.Plain.Of(strconv.Itoa(n)) }
		return th.Line(w, cellsOf(th, costColumns, []draw.Span{st.Of(name), late(a.Vain), late(a.Idle), plain(a.Txns), plain(a.Gets), plain(a.Writes), plain(a.Watches), plain(a.Renewals)}), nil)
	}
	var sum model.Asked
	for _, a := range all {
		sum = plus(sum, a, 1)
	}
	lines := []string{th.Line(w, cellsOf(th, costColumns, heading(th, costColumns)), nil), row(th.Say("tutor-all", len(all)), sum, draw.Strong)}
	for i, a := range all {
		if rest := len(all) - i; rest > 1 && len(lines) == h-1 {
			return append(lines, th.Line(w, []draw.Span{draw.Dim.Of("  " + th.Say("tutor-more-rows", rest))}, nil))
		}
		lines = append(lines, row(th.Clean(a.Name), a, draw.Plain))
	}
	return lines
}

var resourceColumns = []column{{model.Say("tutor-who"), 6, false}, {model.Say("tutor-does"), 6, false}, {model.Say("tutor-token"), 6, true}, {model.Say("tutor-seen"), 6, true}, {model.Say("tutor-gave"), 9, true}, {model.Say("tutor-resource"), 33, false}}

// resource lists the last accesses to what the lock guards: the highest token that the resource had
// seen before, by which it decides, and the newest that etcd had given, of which it learns by an
// access alone.
func (p *Panel) resource(f page.Frame, w, h int) []string {
	all, th := f.S.Reports().Accesses(p.step.About), f.Th
	if len(all) == 0 {
		return []string{th.Line(w, []draw.Span{draw.Dim.Of("  " + th.Say("tutor-no-access"))}, nil)}
	}
	lines := []string{th.Line(w, cellsOf(th, resourceColumns, heading(th, resourceColumns)), nil)}
	for _, a := range all[max(0, len(all)-max(1, h-1)):] {
		does, says, st, seen := th.Say("tutor-reads"), th.Say("tutor-accepted"), draw.Plain, "-"
		if a.Highest > 0 {
			seen = strconv.FormatInt(a.Highest, 10)
		}
		if a.Write {
			does = th.Say("tutor-writes-it")
		}
		switch {
		case a.Stale():
			says, st = th.Sign.Late+" "+th.Say("tutor-accepted-old"), draw.Late
		case !a.Accepted && a.Token < a.Highest:
			says, st = th.Sign.Bad+" "+th.Say("tutor-refused-old"), draw.Bad
		case !a.Accepted: // by a rule of the reader
			says, st = th.Sign.Bad+" "+th.Say("tutor-refused"), draw.Bad
		}
		lines = append(lines, th.Line(w, cellsOf(th, resourceColumns, []draw.Span{draw.Plain.Of(th.Clean(a.Contender)), draw.Plain.Of(does),
			draw.Plain.Of(strconv.FormatInt(a.Token, 10)), draw.Plain.Of(seen), draw.Dim.Of(strconv.FormatInt(max(a.Token, a.Newer), 10)), st.Of(says)}), nil))
	}
	return lines
}

var graphColumns = []column{{model.Say("tutor-who"), 10, false}, {model.Say("tutor-has"), 20, false}, {model.Say("tutor-wants"), 20, false}, {model.Say("tutor-of-whom"), 16, false}}

// graph says who waits for whom: as a ring, if it is one.
func (p *Panel) graph(f page.Frame, w, h int) []string {
	th := f.Th
	type edge struct{ has, wants, whose string }
	edges, names := map[string]*edge{}, []string(nil)
	of := func(c *locks.Claim) *edge {
		who := th.Who(f.S, c.Ref())
		if edges[who] == nil {
			edges[who] = &edge{}
			names = append(names, who)
		}
		return edges[who]
	}
	add := func(to *string, what string) {
		if *to != "" {
			what = *to + " " + what
		}
		*to = what
	}
	for _, l := range f.S.Locks() {
		if !l.Recipe().HasHolder || p.step.About != "" && l.Name != p.step.About {
			continue
		}
		if ring := timeline.RingOf(f.View, l); ring != nil {
			return ring.Lines(w, h)
		}
		name := th.CutPath(th.Clean(l.Name), graphColumns[1].w)
		for i := range l.Len() {
			c := l.At(i)
			switch {
			case !l.IsDirectChild(c): // that of a lock below, which wants nothing here
			case l.Holds(i):
				add(&of(c).has, name)
			case i <= edgesMost:
				e := of(c)
				add(&e.wants, name)
				if ahead := l.At(i - 1); ahead != nil {
					add(&e.whose, th.Who(f.S, ahead.Ref()))
				}
			}
		}
	}
	if len(names) == 0 {
		return []string{th.Line(w, []draw.Span{draw.Dim.Of("  " + th.Say("tutor-nobody-there"))}, nil)}
	}
	slices.Sort(names)
	lines := []string{th.Line(w, cellsOf(th, graphColumns, heading(th, graphColumns)), nil)}
	for _, who := range names {
		e := edges[who]
		lines = append(lines, th.Line(w, cellsOf(th, graphColumns, []draw.Span{draw.Strong.Of(th.CutKey(who, 10)), draw.Good.Of(cmp.Or(e.has, "-")),
			draw.Waiting.Of(cmp.Or(e.wants, "-")), draw.Plain.Of(cmp.Or(e.whose, "-"))}), nil))
	}
	return lines
}
