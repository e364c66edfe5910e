package ui

import (
	"strconv"
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"locktop/model/diagnose"
	"locktop/ui/draw"
	"locktop/ui/page"
)

// textView is a text to read in the place of the page: what a finding means, or how
// to see the same by hand.
type textView struct {
	title string
	body  []draw.Paragraph
	lines []string // what is copied, for the one with commands
	top   int
}

func (s *textView) render(th *draw.Theme, w, h int) []string {
	var all []string
	for _, p := range s.body {
		all = append(all, th.Paragraph(p, w)...)
	}
	s.top = max(0, min(s.top, len(all)-(h-1)))
	title := []draw.Span{draw.Strong.Of(s.title)}
	if below := len(all) - s.top - (h - 1); below > 0 {
		title = append(title, draw.Dim.Of(" "+strconv.Itoa(below)+" more lines below"))
	}
	return draw.Fill(append([]string{th.Ruler(w, title...)}, all[s.top:]...), w, h)
}

// explain opens what is known of the mechanism behind a finding.
func (a *App) explain() {
	f, about := a.here().Finding(a.frame())
	if f == nil {
		a.say(draw.Late, "nothing to explain: "+about)
		return
	}
	th := a.th
	s := &textView{title: string(f.Code), lines: f.Etcdctl}
	add := func(st draw.Style, lead, text string) {
		s.body = append(s.body, draw.Paragraph{St: st, Lead: lead, Text: th.Prose(text)})
	}
	blank := func() { add(draw.Plain, "", "") }
	e, ok := diagnose.Explain(f.Code)
	if !ok {
		add(draw.Plain, "  ", "there is no entry about "+string(f.Code))
	}
	add(draw.Strong, "  ", e.Title)
	for _, part := range []struct{ head, text string }{{"what happens", e.Mechanism}, {"how it looks", e.Looks}, {"what to do", e.Do}, {"to break it", e.Breaking.Words()}} {
		if part.text != "" {
			blank()
			add(draw.Accent, "  ", part.head)
			add(draw.Plain, "  ", part.text)
		}
	}
	blank()
	add(draw.Accent, "  ", "here")
	s.body = append(s.body, page.ParagraphsOf(th, f)...)
	blank()
	if len(e.Needs) > 0 {
		sure := "; at most " + string(e.Confidence)
		if len(e.Needs) > 1 {
			sure += " by the first of these"
		}
		add(draw.Dim, "  found with: ", needsWords(e.Needs)+sure)
	}
	if len(e.Threads) > 0 {
		add(draw.Dim, "  reported in: ", strings.Join(e.Threads, ", "))
	}
	a.sheet = s
}

func needsWords(list []diagnose.Needs) string {
	words := make([]string, len(list))
	for i, n := range list {
		words[i] = string(n)
	}
	return strings.Join(words, ", ")
}

// byHand opens the lines of etcdctl that show the same as the page.
func (a *App) byHand() {
	th := a.th
	about, lines := a.here().Commands(a.frame())
	s := &textView{title: "by hand: " + about, lines: lines}
	add := func(st draw.Style, lead, text string) {
		s.body = append(s.body, draw.Paragraph{St: st, Lead: lead, Text: th.Prose(text)})
	}
	if len(a.live.Endpoints) > 0 {
		s.lines = append([]string{"export ETCDCTL_ENDPOINTS=" + strings.Join(a.live.Endpoints, ",")}, lines...)
	}
	for _, l := range s.lines {
		add(draw.Plain, "  $ ", l)
	}
	add(draw.Plain, "", "")
	add(draw.Dim, "  ", "y copies these lines (OSC 52), c or esc closes")
	a.sheet = s
}

// copySheet puts the commands of the sheet into the clipboard.
func (a *App) copySheet() tea.Cmd {
	if len(a.sheet.lines) == 0 {
		a.say(draw.Late, "there are no commands on this page: c shows them")
		return nil
	}
	text := strings.Join(a.sheet.lines, "\n") + "\n"
	a.say(draw.Plain, "copied "+draw.Plural(len(a.sheet.lines), "line")+" (if the terminal allows it)")
	put := a.copy
	return func() tea.Msg { put(text); return nil }
}
