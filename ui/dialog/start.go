package dialog

import (
	"context"
	"errors"
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

// Start is for a cluster with more keys than should be watched without being asked.
type Start struct {
	// Keys is how many there are.
	Keys int64
	// Scan looks at them and says which prefixes look like locks. It tells how far it
	// has come. If ctx ends it returns what it found until then, with ctx's error.
	Scan func(ctx context.Context, progress func(done, total int64)) (FoundPrefix, error)
}

// FoundPrefix is what a scan found.
type FoundPrefix struct {
	// Keys is how many keys were looked at, Partial why not all were, "" if they were.
	Keys    int64
	Partial string
	// Guesses are the prefixes that look like locks, the surest first.
	Guesses []discover.PrefixGuess
}

// StartPage asks what to watch.
type StartPage struct {
	s      *Start
	cancel context.CancelFunc
	busy   bool // the scan goes on
	done   int64
	total  int64
	found  FoundPrefix
	err    error // why the scan ended early

	table  table.Table
	pick   page.Selection
	chosen map[string]bool // prefixes
}

// What the scan tells the page.
type (
	// SearchProgress is how far it has come.
	SearchProgress struct {
		Done, Total int64
		more        tea.Cmd
	}
	// Scanned is how it ended.
	Scanned struct {
		Found FoundPrefix
		Err   error
	}
)

// guessCells are the columns of the prefixes that may be watched: a box, and the fields.
var guessCells = append(table.Cells[discover.PrefixGuess]{{Column: table.Column{Least: 3, Most: 3}, Fill: func(r *table.Row, g *discover.PrefixGuess) {
	if r.F.Marks[g.Prefix] {
		r.Add(draw.Accent, "[x]")
	} else {
		r.Add(draw.Dim, "[ ]")
	}
}}}, table.CellsOf(fields.Guesses, map[model.MessageID]func(*table.Row, *discover.PrefixGuess){
	"title-prefix": func(r *table.Row, g *discover.PrefixGuess) {
		r.Add(draw.Plain, r.F.Th.CutPath(r.F.Th.Clean(g.Prefix), r.Room()))
	},
	"title-recipe": func(r *table.Row, g *discover.PrefixGuess) {
		recipe := g.Recipe
		if len(g.Alternatives) > 0 {
			recipe = r.F.Th.Say("recipe-or", recipe, strings.Join(g.Alternatives, ", "))
		}
		r.Add(draw.Dim, r.F.Th.Cut(r.F.Th.Clean(recipe), r.Room()))
	},
	"title-sure": func(r *table.Row, g *discover.PrefixGuess) {
		st := draw.Plain
		if g.Confidence == model.Hint {
			st = draw.Dim
		}
		r.Add(st, r.F.Th.FormatConfidence(g.Confidence))
	},
	"title-locks":  func(r *table.Row, g *discover.PrefixGuess) { r.Add(draw.Plain, draw.Count(int64(g.Locks))) },
	"title-claims": func(r *table.Row, g *discover.PrefixGuess) { r.Add(draw.Plain, draw.Count(int64(g.Claims))) },
	"title-example": func(r *table.Row, g *discover.PrefixGuess) {
		r.Add(draw.Dim, r.F.Th.CutKey(r.F.Th.Clean(g.Example), r.Room()))
	},
}, nil)...)

// NewStartPage returns the page.
func NewStartPage(s *Start) *StartPage {
	return &StartPage{s: s, total: s.Keys, table: table.New(guessCells.Columns(), true), chosen: map[string]bool{}}
}

// Scan begins the look at the keys, and listens to how far it comes. The end of the program
// waits for it at the boots.
func (p *StartPage) Scan(ctx context.Context, boots *host.Boots) tea.Cmd {
	ctx, cancel := context.WithCancel(ctx)
	p.cancel, p.busy, p.err = cancel, true, nil
	lines, done := make(chan SearchProgress), make(chan struct{})
	run := func() tea.Msg {
		defer cancel()
		defer close(done)
		if !boots.Enter() {
			return nil
		}
		defer boots.Leave()
		found, err := p.s.Scan(ctx, func(n, total int64) {
			select {
			case lines <- SearchProgress{Done: n, Total: total}:
			case <-ctx.Done():
			}
		})
		return Scanned{found, err}
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

// Stop ends the look at the keys early; what was found stays.
func (p *StartPage) Stop() { p.cancel() }

// Progressed takes in how far the scan has come.
func (p *StartPage) Progressed(m SearchProgress) tea.Cmd {
	if p != nil {
		p.done, p.total = m.Done, m.Total
	}
	return m.more
}

// Scanned takes in how the scan ended.
func (p *StartPage) Scanned(m Scanned) {
	if p == nil {
		return
	}
	p.busy, p.found = false, m.Found
	if m.Err != nil && !errors.Is(m.Err, context.Canceled) {
		p.err = m.Err
	}
	p.pick.Follow(len(p.found.Guesses), func(string) int { return -1 }, p.id)
}

func (p *StartPage) id(i int) string { return p.found.Guesses[i].Prefix }

func (p *StartPage) move(n int) { p.pick.Move(p.pick.Place+n, len(p.found.Guesses), p.id) }

func (p *StartPage) whyNoScanToStop(v host.View) string {
	if !p.busy {
		return v.Th.Say("the-keys-have-been-looked-at")
	}
	return ""
}

func (p *StartPage) whyNothingToChoose(v host.View) string {
	switch {
	case p.busy:
		return v.Th.Say("the-keys-are-still-being-looked")
	case len(p.found.Guesses) == 0:
		return v.Th.Say("nothing-was-found-to-choose-from")
	}
	return ""
}

// watch watches what was chosen, or what is under the cursor.
func (p *StartPage) watch() []host.Intent {
	var prefixes []string
	for _, g := range p.found.Guesses {
		if p.chosen[g.Prefix] {
			prefixes = append(prefixes, g.Prefix)
		}
	}
	if prefixes == nil {
		prefixes = []string{p.pick.ID}
	}
	return []host.Intent{host.Watch(outermost(prefixes))}
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

// Lines are the page in h lines of w cells, without what stands at the bottom.
func (p *StartPage) Lines(v host.View, label string, w, h int) []string {
	th := v.Th
	say := func(st draw.Style, text string) string { return th.Line(w, []draw.Span{st.Of("  " + text)}, nil) }
	lines := []string{th.Line(w, []draw.Span{draw.Accent.Of("locktop"), draw.Plain.Of(" "), draw.Strong.Of(th.Cut(th.Clean(label), 40))}, nil), say(draw.Plain, th.Say("keys-choose-which-prefixes", draw.Counted(int(p.s.Keys))))}
	lines = append(lines, th.Line(w, p.progress(th), nil))
	if h >= blankFrom {
		lines = append(lines, string(draw.Pad(nil, w)))
	}
	switch {
	case p.busy:
		lines = append(lines, say(draw.Dim, th.Say("keys-are-listed-page-by-page")))
	case len(p.found.Guesses) == 0:
		lines = append(lines, say(draw.Strong, th.Say("none-of-them-looks-like-a")),
			say(draw.Dim, th.Say("a-lock-is-a-name-with")))
	default:
		lines = p.rows(v, lines, w, h-len(lines))
	}
	return draw.Fill(lines, w, max(0, h))
}

// blankFrom is the height from which there is room for a blank line.
const blankFrom = 16

// progress says how far the scan has come, or what it has looked at.
func (p *StartPage) progress(th *draw.Theme) []draw.Span {
	if p.busy {
		const cells = 30
		n := 0
		if p.total > 0 {
			n = int(min(cells, p.done*cells/p.total))
		}
		return []draw.Span{draw.Plain.Of("  " + th.Say("looking-at-the-keys") + "  "), draw.Good.Of(strings.Repeat(th.Sign.Full, n)), draw.Dim.Of(strings.Repeat(th.Sign.Empty, cells-n)),
			draw.Plain.Of("  " + th.Say("of", draw.Counted(int(p.done)), draw.Counted(int(p.total))))}
	}
	text := "  " + th.Say("looked-at-keys", draw.Counted(int(p.found.Keys)), draw.Counted(len(p.found.Guesses)))
	all := []draw.Span{draw.Plain.Of(text)}
	switch {
	case p.err != nil:
		all = append(all, draw.Late.Of("  "+th.Sign.Late+" "+th.Say("only-a-part", model.Verbatim(th.Clean(p.err.Error())))))
	case p.found.Partial != "":
		all = append(all, draw.Late.Of("  "+th.Sign.Late+" "+th.Say("only-a-part", model.Verbatim(th.Clean(p.found.Partial)))))
	}
	return all
}

// Note is about the guess under the cursor, in full.
func (p *StartPage) Note(v host.View, w int) []draw.Span {
	if p.busy || len(p.found.Guesses) == 0 {
		return nil
	}
	th, g := v.Th, &p.found.Guesses[p.pick.Place]
	text := "  " + th.Say("for-example", g.Example)
	if g.Leased < g.Claims {
		text += th.Say("so-many-without-a-lease", g.Claims-g.Leased)
	}
	return []draw.Span{draw.Dim.Of(th.Cut(text, w))}
}

func (p *StartPage) rows(v host.View, lines []string, w, h int) []string {
	th, list := v.Th, p.found.Guesses
	p.table.Fit(w, h, th)
	p.table.Reveal(p.pick.Place, len(list))
	lines = append(lines, p.table.Head(table.SortNone, false))
	return p.table.Paint(lines, len(list), table.Look{Cursor: p.pick.Place, Keys: true}, p.id, func(i int, r *table.Row) {
		guessCells.Row(table.View{Th: th, Marks: p.chosen}, list[i], r)
	})
}

// far is further than the list is long.
const far = 1 << 30

// StartKeys are those of the page; open is the one that is open.
func StartKeys(open func() *StartPage) []host.Key {
	row := func(short, what model.MessageID, do func(p *StartPage) []host.Intent, why func(p *StartPage, v host.View) string, keys ...string) host.Key {
		k := host.Key{Keys: keys, Where: host.InStart, Short: short, What: what, Do: func(host.View) []host.Intent { return do(open()) }}
		if why != nil {
			k.Why = func(v host.View) string { return why(open(), v) }
			k.Hidden = func(v host.View) bool { return k.Why(v) != "" }
		}
		return k
	}
	run := func(f func(p *StartPage)) func(p *StartPage) []host.Intent {
		return func(p *StartPage) []host.Intent { f(p); return nil }
	}
	move := func(what model.MessageID, n func(p *StartPage) int, keys ...string) host.Key {
		return row("", what, run(func(p *StartPage) { p.move(n(p)) }), nil, keys...)
	}
	step := func(p *StartPage) int { return max(1, p.table.H-1) }
	return []host.Key{
		row("key-watch", "watch-the-chosen-prefixes", (*StartPage).watch, (*StartPage).whyNothingToChoose, "enter"),
		row("key-choose", "choose-several-prefixes", run(func(p *StartPage) { p.chosen[p.pick.ID] = !p.chosen[p.pick.ID] }), (*StartPage).whyNothingToChoose, " "),
		row("key-all-keys", "watch-all-keys", func(*StartPage) []host.Intent { return []host.Intent{host.Watch{""}} }, nil, "a"),
		row("key-stop-looking", "end-the-look-at-the-keys", run((*StartPage).Stop), (*StartPage).whyNoScanToStop, "esc"),
		move("up", func(*StartPage) int { return -1 }, "up", "k"),
		move("down", func(*StartPage) int { return 1 }, "down", "j"),
		move("page-up", func(p *StartPage) int { return -step(p) }, "pgup"),
		move("page-down", step, "pgdown"),
		move("first-word", func(*StartPage) int { return -far }, "home", "g"),
		move("last", func(*StartPage) int { return far }, "end", "G"),
	}
}
