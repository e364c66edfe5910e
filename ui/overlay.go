package ui

import (
	"cmp"
	"slices"
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"locktop/model"
	"locktop/model/findings"
	"locktop/model/text"

	"locktop/ui/draw"
	"locktop/ui/host"
	"locktop/ui/page"
)

func (o *overlay) render(th *draw.Theme, w, h int) []string {
	if o.rows != nil {
		return o.renderList(th, w, h)
	}
	all := o.lines(w)
	o.top = max(0, min(o.top, len(all)-(h-1)))
	title := []draw.Span{draw.Strong.Of(o.title)}
	if below := len(all) - o.top - (h - 1); below > 0 {
		title = append(title, draw.Dim.Of(" "+th.Say("more-lines-below", below)))
	}
	return draw.Fill(append([]string{th.Ruler(w, title...)}, all[o.top:]...), w, h)
}

// renderList paints rows with a cursor, and below them how many more there are.
func (o *overlay) renderList(th *draw.Theme, w, h int) []string {
	all := o.rows()
	o.moveTo(all, o.at, 1)
	room := max(1, h-1)
	if len(all) > room {
		room = max(1, room-1) // the last line says how many more there are
	}
	o.top = max(0, min(o.top, o.at, len(all)-room))
	o.top = max(o.top, o.at-room+1)
	o.shown = room
	hint := []draw.Span{draw.Accent.Of(":"), draw.Dim.Of(" " + th.Say("find-a-key") + "   "), draw.Accent.Of("esc"), draw.Dim.Of(" " + th.Say("key-close"))}
	lines := []string{th.RulerWith(w, hint, draw.Strong.Of(o.title), draw.Dim.Of("  "+th.Say("the-most-used-first")))}
	for i := o.top; i < min(len(all), o.top+room); i++ {
		if i == o.at {
			lines = append(lines, th.ChosenLine(w, append([]draw.Span{draw.Accent.Of(th.Sign.Cursor)}, all[i].Line...)))
		} else {
			lines = append(lines, th.Line(w, append([]draw.Span{draw.Plain.Of(" ")}, all[i].Line...), nil))
		}
	}
	if below := len(all) - o.top - room; below > 0 {
		lines = append(lines, th.RulerWith(w, []draw.Span{draw.Dim.Of(th.Sign.Dwn + " " + th.Say("more-lines-below", below) + "   "), draw.Accent.Of(host.Names([]string{"pgdown"}))}))
	}
	return draw.Fill(lines, w, h)
}

// moveTo puts the cursor on a row, or on the next one that way that is not blank.
func (o *overlay) moveTo(all []host.HelpRow, to, by int) {
	to = max(0, min(to, len(all)-1))
	for to+by >= 0 && to+by < len(all) && all[to].Line == nil {
		to += by
	}
	o.at = to
}

// move moves the cursor of a list, or what is seen of a text.
func (o *overlay) move(n int) {
	if o.rows == nil {
		o.top = max(0, o.top+n)
		return
	}
	by := 1
	if n < 0 {
		by = -1
	}
	all := o.rows()
	o.moveTo(all, max(0, min(o.at+n, len(all)-1)), by)
}

// prose is a text of paragraphs.
type prose struct {
	th   *draw.Theme
	body []draw.Paragraph
}

func (p *prose) add(st draw.Style, lead, text string) {
	p.body = append(p.body, draw.Paragraph{St: st, Lead: lead, Text: p.th.FormatSentence(text)})
}

func (p *prose) blank() { p.add(draw.Plain, "", "") }

// overlay is the text under a title, with lines that can be copied.
func (p *prose) overlay(title string, copied []string) *overlay {
	return &overlay{where: host.InText, title: title, copy: copied, lines: func(w int) []string {
		var all []string
		for _, x := range p.body {
			all = append(all, p.th.Paragraph(x, w)...)
		}
		return all
	}}
}

// howLockIs says how the selected lock is, where nothing is found about it; nil for no lock.
func howLockIs(p page.Page, f page.Frame) *overlay {
	l := p.Target(f).Lock
	if l == nil {
		l = f.S.Lock(p.Lock(f).Lock)
	}
	if l == nil {
		return nil
	}
	s := &prose{th: f.Th}
	for _, line := range f.Th.Messages(f.S.QuietWords(l)) {
		s.add(draw.Plain, "  ", line)
	}
	if quirks := text.Quirks(l.Recipe().Name); !quirks.IsZero() {
		s.blank()
		s.add(draw.Accent, "  ", f.Th.Say("recipe-and-how-sure", l.Recipe().Name, l.RecipeConfidence()))
		seen := l.Seen()
		if only := l.ByPath(); !only.IsZero() {
			seen = append(seen, only)
		}
		for _, line := range f.Th.Messages(seen) {
			s.add(draw.Plain, "  ", line)
		}
		s.add(draw.Plain, "  ", f.Th.Message(quirks))
	}
	return s.overlay(f.Th.Clean(l.Name), l.Etcdctl())
}

// explain opens what is known of the mechanism behind a finding.
func (sh *Shell) explain() {
	f, about := sh.current().Finding(sh.Frame())
	if f == nil {
		if sh.overlay = howLockIs(sh.current(), sh.Frame()); sh.overlay == nil {
			sh.refuse(sh.th.Say("nothing-to-explain", model.Verbatim(about)))
		}
		return
	}
	th := sh.th
	s := &prose{th: th}
	add, blank := s.add, s.blank
	e, ok := findings.Explain(f.Code)
	if !ok {
		add(draw.Plain, "  ", th.Say("there-is-no-entry-about", f.Code))
	}
	add(draw.Strong, "  ", th.Message(e.Title))
	for _, part := range []struct{ head, text string }{{th.Say("what-happens"), th.Message(e.Mechanism)}, {th.Say("how-it-looks"), th.Message(e.Looks)}, {th.Say("what-to-do"), th.Message(e.Do)}, {th.Say("to-break-it"), th.Message(e.Breaking.Words())}} {
		if part.text != "" {
			blank()
			add(draw.Accent, "  ", part.head)
			add(draw.Plain, "  ", part.text)
		}
	}
	blank()
	add(draw.Accent, "  ", th.Say("here"))
	s.body = append(s.body, page.ParagraphsOf(th, f)...)
	blank()
	if len(e.Needs) > 0 {
		sure := th.Say("at-most-so-sure", e.Confidence)
		if len(e.Needs) > 1 {
			sure = th.Say("at-most-so-sure-by-the-first", e.Confidence)
		}
		add(draw.Dim, "  "+th.Say("found-with")+" ", needsWords(th, e.Needs)+sure)
	}
	if len(e.Threads) > 0 {
		add(draw.Dim, "  "+th.Say("reported-in")+" ", strings.Join(e.Threads, ", "))
	}
	add(draw.Dim, "  ", th.Say("its-code-is", f.Code))
	sh.overlay = s.overlay(th.Problem(f), f.Etcdctl)
}

func needsWords(th *draw.Theme, list []findings.Needs) string {
	words := make([]string, len(list))
	for i, n := range list {
		words[i] = th.Message(n.Message())
	}
	return strings.Join(words, th.Say("comma"))
}

// byHand opens the lines of etcdctl that show the same as the page.
func (sh *Shell) byHand() {
	th := sh.th
	about, lines := sh.current().Commands(sh.Frame())
	s := &prose{th: th}
	if len(sh.live.Endpoints) > 0 {
		lines = append([]string{"export ETCDCTL_ENDPOINTS=" + strings.Join(sh.live.Endpoints, ",")}, lines...)
	}
	for _, l := range lines {
		s.add(draw.Plain, "  $ ", l)
	}
	if grants := page.Fresh(sh.state.View).Grants(); len(grants) > 0 {
		s.blank()
		s.add(draw.Late, "  ", th.Say("no-permission-to-read-some-of"))
		for _, l := range grants {
			s.add(draw.Plain, "  $ ", l)
		}
		lines = append(lines, grants...)
	}
	s.blank()
	s.add(draw.Dim, "  ", th.Say("y-copies-these-lines-osc-52"))
	sh.overlay = s.overlay(th.Say("by-hand-about", model.Verbatim(about)), lines)
}

// copyOverlay puts the commands of the overlay into the clipboard.
func (sh *Shell) copyOverlay() tea.Cmd {
	if len(sh.overlay.copy) == 0 {
		sh.refuse(sh.th.Say("there-are-no-commands-on-this"))
		return nil
	}
	text := ""
	for _, line := range sh.overlay.copy {
		text += model.PrintableIfNeeded(line) + "\n"
	}
	sh.say(draw.Plain, sh.th.Say("copied-lines", draw.Counted(len(sh.overlay.copy))))
	put := sh.copy
	return func() tea.Msg { put(text); return nil }
}

// helpMsg is what the actions cannot do now, by what the key does.
type helpMsg struct {
	overlay *overlay
	whys    map[model.MessageID]string
}

func (sh *Shell) openHelp() tea.Cmd {
	sh.thaw()
	on := sh.pageWhere()
	sh.overlay = &overlay{where: host.InHelp, title: sh.th.Say("help-for", model.Verbatim(sh.placeWords())), rows: func() []host.HelpRow { return sh.helpRows(on) }}
	return sh.askForHelp()
}

// askForHelp asks the actions which keys of the page would be refused. One question
// at a time.
func (sh *Shell) askForHelp() tea.Cmd {
	if sh.overlay == nil || sh.overlay.where != host.InHelp || sh.overlay.asking {
		return nil
	}
	on, hands, acts := sh.pageWhere(), sh.live.Actions, map[model.MessageID][]model.Action{}
	for i := range sh.keys.Rows {
		if b := &sh.keys.Rows[i]; b.Where&on != 0 && b.Asks != nil {
			if list, why := b.Asks(); why == "" {
				acts[b.What] = list
			}
		}
	}
	if len(acts) == 0 {
		return nil
	}
	of, lang := sh.overlay, sh.th.Lang
	of.asking = true
	return func() tea.Msg {
		refused := map[model.MessageID]string{}
		for what, list := range acts {
			if whys := host.WhysNot(lang, hands, list); !slices.Contains(whys, "") {
				refused[what] = whys[0]
			}
		}
		return helpMsg{of, refused}
	}
}

// helpRows explain the screen under the help: its keys, which of them work now
// and why the others do not, and its signs.
func (sh *Shell) helpRows(on host.Where) []host.HelpRow {
	th := sh.th
	h := host.Help{Th: th, Where: on, Pages: sh.all(), Why: func(k *host.Key) string {
		return cmp.Or(k.Closed(sh.look()), th.Clean(sh.overlay.cannot[k.What]))
	}}
	all := h.Rows(sh.keys.Rows)
	add := func(spans ...draw.Span) { all = append(all, host.HelpRow{Line: spans}) }
	add()
	add(draw.Plain.Of(" "), draw.Strong.Of(th.Say("signs")))
	for _, l := range legend(th) {
		add(l...)
	}
	if sh.live.AuditLogPath != "" {
		add(draw.Dim.Of("  "+th.Say("actions-are-written-to")+" "), draw.Plain.Of(th.Clean(sh.live.AuditLogPath)))
	}
	if sh.o.LogPath != "" {
		add(draw.Dim.Of("  "+th.Say("the-log-is")+" "), draw.Plain.Of(th.Clean(sh.o.LogPath)))
	}
	return all
}

// pressRow does the key under the cursor of help.
func (sh *Shell) pressRow() tea.Cmd {
	all := sh.overlay.rows()
	sh.overlay.moveTo(all, sh.overlay.at, 1)
	k := all[sh.overlay.at].Key
	if k == nil {
		sh.say(draw.Dim, sh.th.Say("no-key-in-this-line"))
		return nil
	}
	return sh.pressUnder(k.Keys[0])
}

// placeWords name the place that the help is about.
func (sh *Shell) placeWords() string {
	if sh.start != nil {
		return sh.th.Say("place-start")
	}
	return sh.th.Say(sh.current().About().Label)
}

// legendLead is the width of what the legend explains.
const legendLead = 20

func legend(th *draw.Theme) [][]draw.Span {
	s := th.Sign
	var all [][]draw.Span
	add := func(st draw.Style, lead, text string) {
		all = append(all, []draw.Span{st.Of("  " + lead + draw.Blanks[:max(0, legendLead-2-draw.Width(lead))]), draw.Plain.Of(text)})
	}
	for _, c := range model.Conditions() {
		says := th.FormatCondition(c)
		add(says.St, says.Text, th.Message(c.Message()))
	}
	add(draw.Bad, s.Bad+" "+th.Say("severity-error"), th.Say("a-finding-blocks-or-lets-two"))
	add(draw.Late, s.Late+" "+th.Say("severity-warning"), th.Say("a-finding-it-will-end-or"))
	add(draw.Waiting, s.Info+" "+th.Say("severity-info"), th.Say("a-finding-worth-knowing"))
	add(draw.Plain, "?", th.Say("waiting-leaves-no-trace-in-etcd"))
	add(draw.Plain, "39/60s "+s.Renewed+"12s", th.Say("seconds-left-of-the-ttl-and"))
	add(draw.Plain, "39/60s  12s", th.Say("the-same-and-no-renewal-was"))
	add(draw.Plain, "39/60s "+s.Stale+"12s", th.Say("as-read-12-s-ago-healthy"))
	add(draw.Plain, "c2 (proxy)", th.Say("who-and-what-says-so-the"))
	add(draw.Plain, th.Say("usual-word"), th.Say("half-of-the-holds-or-of"))
	add(draw.Accent, s.Mark, th.Say("bookmarked-b-marks-goes-to-the"))
	add(draw.Change, "M", th.Say("marked-m-marks-x-breaks-all"))
	add(draw.Plain, "12m+", th.Say("at-least-it-began-before-we"))
	return all
}
