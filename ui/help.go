package ui

import (
	"slices"
	"strconv"
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"locktop/model"
	"locktop/ui/draw"
	"locktop/ui/host"
)

// help is the help that is shown in the place of the page.
type help struct {
	helping bool
	helpTop int
	cannot  map[string]string // what the actions cannot do, by what the key does
	asking  bool              // the actions are being asked for help's sake
}

// helpMsg is what the actions cannot do now, by what the key does.
type helpMsg struct{ whys map[string]string }

func (a *App) openHelp() tea.Cmd {
	a.thaw()
	a.helping, a.helpTop, a.cannot = true, 0, nil
	return a.askForHelp()
}

// askForHelp asks the actions which keys of the page would be refused. One question
// at a time.
func (a *App) askForHelp() tea.Cmd {
	if !a.helping || a.asking {
		return nil
	}
	on, hands, acts := a.pageWhere(), a.live.Actions, map[string][]model.Action{}
	for i := range a.keys.Rows {
		if b := &a.keys.Rows[i]; b.In&on != 0 && b.Asks != nil {
			if list, why := b.Asks(); why == "" {
				acts[b.What] = list
			}
		}
	}
	if len(acts) == 0 {
		return nil
	}
	a.asking = true
	return func() tea.Msg {
		refused := map[string]string{}
		for what, list := range acts {
			if whys := host.WhysNot(hands, list); !slices.Contains(whys, "") {
				refused[what] = whys[0]
			}
		}
		return helpMsg{refused}
	}
}

// helpLines explain the screen under the help: its keys, which of them work now
// and why the others do not, and its signs.
func (a *App) helpLines(w, h int) []string {
	th := a.th
	all := []string{}
	add := func(spans ...draw.Span) { all = append(all, th.Line(w, spans, nil)) }
	on := a.pageWhere()
	for i := range a.keys.Rows {
		b := &a.keys.Rows[i]
		if b.In&on == 0 {
			continue
		}
		names := host.Names(b.Keys)
		key := draw.Accent.Of("  " + names + draw.Blanks[:max(1, 14-len(names))])
		reason := b.Closed()
		if reason == "" {
			reason = a.th.Clean(a.cannot[b.What])
		}
		if reason != "" {
			what, why := draw.Dim.Of(key.Text+b.What), "  not now: "+reason
			if draw.Width(what.Text)+draw.Width(why) <= w {
				add(what, draw.Late.Of(why))
				continue
			}
			add(what)
			all = append(all, th.Paragraph(draw.Paragraph{St: draw.Late, Lead: draw.Blanks[:16], Text: strings.TrimSpace(why)}, w)...)
			continue
		}
		add(key, draw.Plain.Of(b.What))
	}
	all = append(all, th.Ruler(w, draw.Strong.Of("signs")))
	for _, l := range a.legend() {
		add(l...)
	}
	if a.live.JournalPath != "" {
		add(draw.Dim.Of("  actions are written to "), draw.Plain.Of(th.Clean(a.live.JournalPath)))
	}
	if a.o.LogPath != "" {
		add(draw.Dim.Of("  the log is "), draw.Plain.Of(th.Clean(a.o.LogPath)))
	}
	a.helpTop = max(0, min(a.helpTop, len(all)-(h-1)))
	title := []draw.Span{draw.Strong.Of("help for " + on.Words(titles(a.pages)))}
	if below := len(all) - a.helpTop - (h - 1); below > 0 {
		title = append(title, draw.Dim.Of(" "+strconv.Itoa(below)+" more lines below"))
	}
	return draw.Fill(append([]string{th.Ruler(w, title...)}, all[a.helpTop:]...), w, h)
}

// legendLead is the width of what the legend explains.
const legendLead = 18

func (a *App) legend() [][]draw.Span {
	s := a.th.Sign
	var all [][]draw.Span
	add := func(st draw.Style, lead, text string) {
		all = append(all, []draw.Span{st.Of("  " + lead + draw.Blanks[:max(0, legendLead-2-draw.Width(lead))]), draw.Plain.Of(text)})
	}
	for _, c := range model.Conditions() {
		says := a.th.Says(c)
		add(says.St, says.Text, c.Sentence())
	}
	add(draw.Bad, s.Bad+" error", "a finding: blocks or lets two hold, and does not end by itself")
	add(draw.Late, s.Late+" warning", "a finding: it will end, or may harm")
	add(draw.Waiting, s.Info+" info", "a finding: worth knowing")
	add(draw.Plain, "?", "waiting leaves no trace in etcd: how many wait is not known")
	add(draw.Plain, "39/60s "+s.Renewed+"12s", "seconds left of the TTL, and how long ago it was renewed")
	add(draw.Plain, "39/60s "+s.Stale+"12s", "as read 12 s ago: healthy then, not asked since")
	add(draw.Plain, "c2 (proxy)", "who, and what says so: the proxy, the key's value, a sibling key of its lease")
	add(draw.Plain, "p50 p99", "half of the waits, or of the holds, were shorter; of a hundred all but one")
	add(draw.Accent, s.Mark, "bookmarked: b marks, ' goes to the next")
	add(draw.Plain, "12m+", "at least: it began before we looked")
	return all
}
