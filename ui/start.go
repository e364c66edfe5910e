package ui

import (
	"context"
	"errors"
	"strconv"
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"locktop/model"
	"locktop/model/discover"
	"locktop/ui/draw"
	"locktop/ui/fields"
	"locktop/ui/host"
	"locktop/ui/page"
	"locktop/ui/table"
)

// startPage asks what to watch where there are too many keys to watch all of them
// unasked: it shows how far the scan has come, then the prefixes that look like locks.
type startPage struct {
	s      *Start
	cancel context.CancelFunc
	busy   bool // the scan goes on
	done   int64
	total  int64
	found  Found
	err    error // why the scan ended early

	table  table.Table
	pick   page.Selection
	chosen map[string]bool // prefixes
}

// Messages of the start page.
type (
	scanLineMsg struct {
		done, total int64
		more        tea.Cmd
	}
	scannedMsg struct {
		found Found
		err   error
	}
	watchedMsg struct {
		prefixes []string
		live     Live
		err      error
	}
)

// guessCells are the columns of the prefixes that may be watched: a box, and the fields.
var guessCells = append(table.Cells[discover.PrefixGuess]{{Column: table.Column{Least: 3, Most: 3}, Fill: func(r *table.Row, g *discover.PrefixGuess) {
	if r.F.Marks[g.Prefix] {
		r.Add(draw.Accent, "[x]")
	} else {
		r.Add(draw.Dim, "[ ]")
	}
}}}, table.CellsOf(fields.Guesses, map[string]func(*table.Row, *discover.PrefixGuess){
	"PREFIX": func(r *table.Row, g *discover.PrefixGuess) {
		r.Add(draw.Plain, r.F.Th.CutPath(r.F.Th.Clean(g.Prefix), r.Room()))
	},
	"RECIPE": func(r *table.Row, g *discover.PrefixGuess) {
		recipe := g.Recipe
		if len(g.Alternatives) > 0 {
			recipe += " or " + strings.Join(g.Alternatives, ", ")
		}
		r.Add(draw.Dim, r.F.Th.Cut(r.F.Th.Clean(recipe), r.Room()))
	},
	"SURE": func(r *table.Row, g *discover.PrefixGuess) {
		st := draw.Plain
		if g.Confidence == model.Hint {
			st = draw.Dim
		}
		r.Add(st, string(g.Confidence))
	},
	"LOCKS":  func(r *table.Row, g *discover.PrefixGuess) { r.Add(draw.Plain, draw.Count(int64(g.Locks))) },
	"CLAIMS": func(r *table.Row, g *discover.PrefixGuess) { r.Add(draw.Plain, draw.Count(int64(g.Claims))) },
	"EXAMPLE": func(r *table.Row, g *discover.PrefixGuess) {
		r.Add(draw.Dim, r.F.Th.CutKey(r.F.Th.Clean(g.Example), r.Room()))
	},
}, nil)...)

func newStartPage(s *Start) *startPage {
	return &startPage{s: s, total: s.Keys, table: table.New(guessCells.Columns(), true), chosen: map[string]bool{}}
}

// scan begins the look at the keys, and listens to how far it comes.
func (a *App) scan() tea.Cmd {
	p := a.start
	ctx, cancel := context.WithCancel(a.ctx)
	p.cancel, p.busy, p.err = cancel, true, nil
	lines, done := make(chan scanLineMsg), make(chan struct{})
	run := func() tea.Msg {
		defer cancel()
		defer close(done)
		if !a.boots.enter() {
			return nil
		}
		defer a.boots.leave()
		found, err := p.s.Scan(ctx, func(n, total int64) {
			select {
			case lines <- scanLineMsg{done: n, total: total}:
			case <-ctx.Done():
			}
		})
		return scannedMsg{found, err}
	}
	var listen tea.Cmd
	listen = func() tea.Msg {
		select {
		case m := <-lines:
			m.more = listen
			return m
		case <-done:
			return nil
		}
	}
	return tea.Batch(run, listen)
}

func (a *App) scanLine(m scanLineMsg) tea.Cmd {
	if a.start != nil {
		a.start.done, a.start.total = m.done, m.total
	}
	return m.more
}

func (a *App) scanned(m scannedMsg) tea.Cmd {
	p := a.start
	if p == nil {
		return nil
	}
	p.busy, p.found = false, m.found
	if m.err != nil && !errors.Is(m.err, context.Canceled) {
		p.err = m.err
	}
	p.pick.Follow(len(m.found.Guesses), func(string) int { return -1 }, p.id)
	return nil
}

func (p *startPage) id(i int) string { return p.found.Guesses[i].Prefix }

func (p *startPage) move(n int) { p.pick.Move(p.pick.Place+n, len(p.found.Guesses), p.id) }

// stopScan ends the look at the keys early; what was found stays.
func (a *App) stopScan() { a.start.cancel() }

func (a *App) whyNoScanToStop() string {
	if !a.start.busy {
		return "the keys have been looked at"
	}
	return ""
}

func (a *App) whyNothingToChoose() string {
	switch {
	case a.start.busy:
		return "the keys are still being looked at: esc ends that, a watches all keys"
	case len(a.start.found.Guesses) == 0:
		return "nothing was found to choose from: a watches all keys, :prefix the keys under a prefix"
	}
	return ""
}

func (a *App) choosePrefix() {
	id := a.start.pick.ID
	a.start.chosen[id] = !a.start.chosen[id]
}

// watchChosen watches what was chosen, or what is under the cursor.
func (a *App) watchChosen() tea.Cmd {
	p := a.start
	var prefixes []string
	for _, g := range p.found.Guesses {
		if p.chosen[g.Prefix] {
			prefixes = append(prefixes, g.Prefix)
		}
	}
	if prefixes == nil {
		prefixes = []string{p.pick.ID}
	}
	return a.watch(outermost(prefixes))
}

// outermost leaves those away that lie under another one.
func outermost(prefixes []string) []string {
	var out []string
	for i, p := range prefixes {
		under := false
		for j, q := range prefixes {
			under = under || i != j && strings.HasPrefix(p, q)
		}
		if !under {
			out = append(out, p)
		}
	}
	return out
}

// watch opens another source, beside the screen.
func (a *App) watch(prefixes []string) tea.Cmd {
	if a.opening {
		a.say(draw.Late, "wait: what was asked for before is still being opened")
		return nil
	}
	a.opening = true
	if a.start != nil {
		a.start.cancel()
	}
	open, ctx := a.o.Watch, a.ctx
	return func() tea.Msg {
		if !a.boots.enter() {
			return nil
		}
		defer a.boots.leave()
		live, err := open(ctx, prefixes)
		return watchedMsg{prefixes, live, err}
	}
}

// watched goes on with another source. Nothing of what was seen before stays, but
// what a person has set.
func (a *App) watched(m watchedMsg) tea.Cmd {
	a.opening = false
	if m.err != nil {
		a.say(draw.Bad, "cannot watch that: "+a.th.Clean(m.err.Error()))
		return nil
	}
	set := a.settings()
	a.live, a.start, a.o.Prefixes = m.live, nil, m.prefixes
	a.sources++
	a.dialog = nil
	a.sheet, a.field = nil, nil
	a.thaw()
	a.reset(set)
	a.goTo(0)
	a.say(draw.Plain, "watching the keys under "+a.frame().Watched())
	return a.pull()
}

// startScreen is the page in full.
func (a *App) startScreen() []string {
	p, th := a.start, a.th
	say := func(st draw.Style, text string) string { return th.Line(a.w, []draw.Span{st.Of("  " + text)}, nil) }
	lines := []string{th.Line(a.w, []draw.Span{draw.Accent.Of("locktop"), draw.Plain.Of(" "), draw.Strong.Of(th.Cut(th.Clean(a.o.Label), 40)),
		draw.Dim.Of("  " + draw.Count(p.s.Keys) + " keys")}, nil), say(draw.Plain, "Too many to watch all of them unasked. What is to be watched?")}
	lines = append(lines, th.Line(a.w, a.scanSpans(), nil))
	if a.h >= noticeFrom {
		lines = append(lines, string(draw.Pad(nil, a.w)))
	}
	room := a.h - len(lines) - 2
	switch {
	case p.busy:
		lines = append(lines, say(draw.Dim, "Keys are listed page by page, without their values, few requests a second."))
	case len(p.found.Guesses) == 0:
		lines = append(lines, say(draw.Strong, "none of them looks like a lock"),
			say(draw.Dim, "A lock is a name with keys <name>/<lease id in hex> below it, as etcdctl lock makes them."))
	default:
		lines = a.guessRows(lines, room)
	}
	lines = draw.Fill(lines, a.w, max(0, a.h-2))
	note := a.noticeSpans(th)
	if a.notice.text == "" {
		note = a.startNote()
	}
	lines = append(lines, th.Line(a.w, note, nil), a.startFooter())
	return draw.Fill(lines, a.w, a.h)
}

// scanSpans say how far the scan has come, or what it has looked at.
func (a *App) scanSpans() []draw.Span {
	p, th := a.start, a.th
	if p.busy {
		const cells = 30
		n := 0
		if p.total > 0 {
			n = int(min(cells, p.done*cells/p.total))
		}
		return []draw.Span{draw.Plain.Of("  looking at the keys  "), draw.Good.Of(strings.Repeat(th.Sign.Full, n)), draw.Dim.Of(strings.Repeat(th.Sign.Empty, cells-n)),
			draw.Plain.Of("  " + draw.Count(p.done) + " of " + draw.Count(p.total))}
	}
	text := "  looked at " + draw.Plural(int(p.found.Keys), "key") + ": " + draw.Plural(len(p.found.Guesses), "place") + " with locks"
	all := []draw.Span{draw.Plain.Of(text)}
	switch {
	case p.err != nil:
		all = append(all, draw.Late.Of("  "+th.Sign.Late+" only a part: "+th.Clean(p.err.Error())))
	case p.found.Partial != "":
		all = append(all, draw.Late.Of("  "+th.Sign.Late+" only a part: "+th.Clean(p.found.Partial)))
	}
	return all
}

// startNote is about the guess under the cursor, in full.
func (a *App) startNote() []draw.Span {
	p := a.start
	switch {
	case a.opening:
		return []draw.Span{draw.Plain.Of("  opening " + a.th.Sign.Unread)}
	case p.busy || len(p.found.Guesses) == 0:
		return nil
	}
	g := &p.found.Guesses[p.pick.Place]
	text := "  for example " + a.th.Clean(g.Example)
	if g.Leased < g.Claims {
		text += "; " + strconv.Itoa(g.Claims-g.Leased) + " without a lease"
	}
	return []draw.Span{draw.Dim.Of(a.th.Cut(text, a.w))}
}

func (a *App) startFooter() string {
	if a.palette != nil {
		return a.paletteLine(a.th, a.w)
	}
	return a.th.Line(a.w, a.hints(host.InStart, a.w), nil)
}

func (a *App) guessRows(lines []string, h int) []string {
	p, th := a.start, a.th
	list := p.found.Guesses
	p.table.Fit(a.w, h, th)
	p.table.Reveal(p.pick.Place, len(list))
	lines = append(lines, p.table.Head(table.SortNone, false))
	return p.table.Paint(lines, len(list), table.Look{Cursor: p.pick.Place, Keys: true}, p.id, func(i int, r *table.Row) {
		guessCells.Row(table.View{Th: th, Marks: p.chosen}, list[i], r)
	})
}

func (on places) startKeys() []host.Key {
	a := on.a
	hidden := func(why func() string) func() bool { return func() bool { return why() != "" } }
	return []host.Key{
		{Keys: []string{"enter"}, In: host.InStart, Short: "watch", What: "watch the chosen prefixes, or the one under the cursor", Why: a.whyNothingToChoose, Hidden: hidden(a.whyNothingToChoose), Do: a.watchChosen},
		{Keys: []string{" "}, In: host.InStart, Short: "choose", What: "choose several prefixes", Why: a.whyNothingToChoose, Hidden: hidden(a.whyNothingToChoose), Do: host.Run(a.choosePrefix)},
		{Keys: []string{"a"}, In: host.InStart, Short: "all keys", What: "watch all keys", Do: func() tea.Cmd { return a.watch([]string{""}) }},
		{Keys: []string{"esc"}, In: host.InStart, Short: "stop looking", What: "end the look at the keys, and keep what was found", Why: a.whyNoScanToStop, Hidden: hidden(a.whyNoScanToStop), Do: host.Run(a.stopScan)},
		{Keys: []string{"up", "k"}, In: host.InStart, What: "up", Do: host.Run(func() { a.start.move(-1) })},
		{Keys: []string{"down", "j"}, In: host.InStart, What: "down", Do: host.Run(func() { a.start.move(1) })},
		{Keys: []string{"pgup"}, In: host.InStart, What: "page up", Do: host.Run(func() { a.start.move(-max(1, a.start.table.H-1)) })},
		{Keys: []string{"pgdown"}, In: host.InStart, What: "page down", Do: host.Run(func() { a.start.move(max(1, a.start.table.H-1)) })},
		{Keys: []string{"home", "g"}, In: host.InStart, What: "first", Do: host.Run(func() { a.start.move(-far) })},
		{Keys: []string{"end", "G"}, In: host.InStart, What: "last", Do: host.Run(func() { a.start.move(far) })},
	}
}
