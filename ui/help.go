package ui

import (
	"slices"
	"strconv"
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"locktop/model"
)

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
	for i := range a.keys.rows {
		if b := &a.keys.rows[i]; b.in&on != 0 && b.asks != nil {
			if list, why := b.asks(a); why == "" {
				acts[b.what] = list
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
			if whys := whysNot(hands, list); !slices.Contains(whys, "") {
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
	add := func(spans ...span) { all = append(all, th.line(w, spans, nil)) }
	on := a.pageWhere()
	for i := range a.keys.rows {
		b := &a.keys.rows[i]
		if b.in&on == 0 {
			continue
		}
		names := keyNames(b.keys)
		key := span{accent, "  " + names + blanks[:max(1, 14-len(names))]}
		reason := b.closed(a)
		if reason == "" {
			reason = a.th.clean(a.cannot[b.what])
		}
		if reason != "" {
			what, why := span{dim, key.text + b.what}, "  not now: "+reason
			if width(what.text)+width(why) <= w {
				add(what, span{late, why})
				continue
			}
			add(what)
			all = append(all, th.paragraph(paragraph{late, blanks[:16], strings.TrimSpace(why)}, w)...)
			continue
		}
		add(key, span{plain, b.what})
	}
	all = append(all, th.ruler(w, span{strong, "signs"}))
	for _, l := range a.legend() {
		add(l...)
	}
	if a.live.JournalPath != "" {
		add(span{dim, "  actions are written to "}, span{plain, th.clean(a.live.JournalPath)})
	}
	if a.o.LogPath != "" {
		add(span{dim, "  the log is "}, span{plain, th.clean(a.o.LogPath)})
	}
	a.helpTop = max(0, min(a.helpTop, len(all)-(h-1)))
	title := []span{{strong, "help for " + placesOf(a.pages).words(on)}}
	if below := len(all) - a.helpTop - (h - 1); below > 0 {
		title = append(title, span{dim, " " + strconv.Itoa(below) + " more lines below"})
	}
	return fill(append([]string{th.ruler(w, title...)}, all[a.helpTop:]...), w, h)
}

// legendLead is the width of what the legend explains.
const legendLead = 18

func (a *App) legend() [][]span {
	s := a.th.sign
	var all [][]span
	add := func(st style, lead, text string) {
		all = append(all, []span{{st, "  " + lead + blanks[:max(0, legendLead-2-width(lead))]}, {plain, text}})
	}
	for _, c := range model.Conditions() {
		says := a.th.says(c)
		add(says.st, says.text, c.Sentence())
	}
	add(bad, s.bad+" error", "a finding: blocks or lets two hold, and does not end by itself")
	add(late, s.late+" warning", "a finding: it will end, or may harm")
	add(waiting, s.info+" info", "a finding: worth knowing")
	add(plain, "?", "waiting leaves no trace in etcd: how many wait is not known")
	add(plain, "39/60s "+s.renewed+"12s", "seconds left of the TTL, and how long ago it was renewed")
	add(plain, "39/60s "+s.stale+"12s", "as read 12 s ago: healthy then, not asked since")
	add(plain, "c2 (proxy)", "who, and what says so: the proxy, the key's value, a sibling key of its lease")
	add(plain, "p50 p99", "half of the waits, or of the holds, were shorter; of a hundred all but one")
	add(accent, s.mark, "bookmarked: b marks, ' goes to the next")
	add(plain, "12m+", "at least: it began before we looked")
	return all
}
