package dialog

import (
	"slices"

	"locktop/model"
	"locktop/ui/draw"
	"locktop/ui/host"
	"locktop/ui/page"
)

// targetOf returns what a kind of fault would be done to, false if it cannot be done
// to such a subject.
func targetOf(s page.Subject, t model.FaultTarget) (string, bool) {
	switch t {
	case model.TargetProcess, model.TargetClaim:
		return s.Name, s.Kind == model.TargetProcess
	case model.TargetClient:
		return s.Name, s.Kind == model.TargetProcess || s.Kind == model.TargetClient
	case model.TargetKey:
		return s.Lock + "/by-hand", s.Kind == model.TargetProcess && s.Lock != ""
	case model.TargetMember:
		return s.Name, s.Kind == model.TargetMember
	}
	return "", true // the cluster is always there
}

// cluster is 1 for what is done to the cluster, which stands under what is done to the subject.
func cluster(info model.FaultInfo) int {
	if info.Target == model.TargetCluster {
		return 1
	}
	return 0
}

// subject returns what the person points at.
func subject(t page.Target) page.Subject {
	if t.Other.Kind != "" {
		return t.Other
	}
	if t.Action.Contender == "" {
		return page.Subject{Kind: model.TargetCluster, Why: t.Why}
	}
	return page.Subject{Kind: model.TargetProcess, Name: t.Action.Contender, Lock: t.Action.Lock}
}

// faultsOf is the title of the dialog, which names the subject.
func faultsOf(th *draw.Theme, s page.Subject) string {
	name := model.Verbatim(th.Clean(s.Name))
	switch s.Kind {
	case model.TargetProcess:
		return th.Say("faults-of-contender", name)
	case model.TargetClient:
		return th.Say("faults-of-client", name)
	case model.TargetMember:
		return th.Say("faults-of-member", name)
	}
	return th.Say("faults-of-cluster")
}

// Faults is the dialog of the faults that can be done to a subject.
type Faults struct {
	size
	grace   grace
	subject page.Subject
	rows    []faultChoice
	at      int // the row under the cursor
	top     int // the first row that is shown
	choice  *choice
	hint    string
	asks    bool // the actions are being asked what can be done
	doing   bool // and whether the fault that was chosen can
}

// faultChoice is a kind of fault in the menu.
type faultChoice struct {
	info  model.FaultInfo
	fault model.Fault
	why   string // why it cannot be done now, "" if it can
}

// OpenFaults opens the menu on what is selected.
func OpenFaults(v host.View, on page.Target) []host.Intent {
	m := &Faults{subject: subject(on)}
	for _, info := range model.FaultKinds() {
		if name, ok := targetOf(m.subject, info.Target); ok {
			m.rows = append(m.rows, faultChoice{info: info, fault: model.Fault{Kind: info.Kind, Target: name}})
		}
	}
	slices.SortStableFunc(m.rows, func(a, b faultChoice) int { return cluster(a.info) - cluster(b.info) })
	return append([]host.Intent{host.Open{Dialog: m}, m.grace.start(m)}, m.Ask(v)...)
}

// Ask asks anew what can be done, beside the screen: a lab that takes its time to
// answer must not hold it up. One question at a time.
func (fs *Faults) Ask(v host.View) []host.Intent {
	if fs.asks {
		return nil
	}
	fs.asks = true
	acts := make([]model.Action, len(fs.rows))
	for i := range fs.rows {
		acts[i] = fs.action(fs.presets(v, &fs.rows[i]).fault())
	}
	return []host.Intent{host.Check{To: fs, Acts: acts, Then: func(_ host.View, whys []string) []host.Intent {
		fs.asks = false
		for i, why := range whys {
			fs.rows[i].why = why
		}
		return nil
	}}}
}

// presets are what there is to choose for a row.
func (fs *Faults) presets(v host.View, r *faultChoice) *choice {
	var members []string
	for _, x := range v.S.Cluster().Members {
		if x.Name != "" {
			members = append(members, x.Name)
		}
	}
	slices.Sort(members)
	return presets(r.info, r.fault, members)
}

// inForce says whether a fault like that of a row is in force.
func (fs *Faults) inForce(v host.View, r *faultChoice) bool {
	return slices.ContainsFunc(v.S.Reports().Faults(), func(x model.FaultOn) bool { return r.fault.Heals(x.Fault) })
}

func (fs *Faults) action(f model.Fault) model.Action {
	return model.Action{Kind: model.InjectFault, Lock: fs.subject.Lock, Fault: f}
}

func (fs *Faults) move(n int) {
	fs.at, fs.hint = (fs.at+n+len(fs.rows))%len(fs.rows), ""
}

// choose goes on with the fault under the cursor: to its choices, or it is done.
func (fs *Faults) choose(v host.View) []host.Intent {
	if !fs.grace.elapsed {
		return nil
	}
	r := &fs.rows[fs.at]
	switch {
	case r.why != "":
		fs.hint = fs.cannotNow(v, r.why)
		return nil
	case len(r.info.Takes) == 0 && fs.inForce(v, r):
		fs.hint = v.Th.Say("it-is-active-already-leave-this")
		return nil
	}
	c := fs.presets(v, r)
	if len(c.asks) == 0 {
		return fs.inject(c.fault())
	}
	fs.choice, fs.hint = c, ""
	return []host.Intent{fs.grace.start(fs)} // a second enter must be meant
}

// chooseWord is what enter does with the fault under the cursor.
func (fs *Faults) chooseWord(v host.View) string {
	if r := &fs.rows[fs.at]; r.why == "" && len(fs.presets(v, r).asks) == 0 {
		name, _, _ := v.Th.FaultKind(r.info)
		return v.Th.Say("do-now", model.Verbatim(name))
	}
	return v.Th.Say("key-choose")
}

// cannotNow says why something cannot be done now.
func (fs *Faults) cannotNow(v host.View, why string) string {
	return v.Th.Say("cannot-be-done-now", model.Verbatim(why))
}

// inject does the fault that was chosen, unless it cannot be done or the menu is left
// meanwhile.
func (fs *Faults) inject(f model.Fault) []host.Intent {
	if !fs.grace.elapsed || fs.doing {
		return nil
	}
	fs.doing, fs.hint = true, ""
	act := fs.action(f)
	return []host.Intent{host.Check{To: fs, Acts: []model.Action{act}, Then: func(v host.View, whys []string) []host.Intent {
		fs.doing = false
		if whys[0] != "" {
			fs.hint = fs.cannotNow(v, whys[0])
			return nil
		}
		return []host.Intent{host.Close{}, host.Act{Action: act}}
	}}}
}

// Place is the menu's own, or that of its second step.
func (fs *Faults) Place() host.Where {
	if fs.choice != nil {
		return host.InChoice
	}
	return host.InFaults
}

// PaintOver paints the menu over the lines of the screen.
func (fs *Faults) PaintOver(v host.View, lines []string) []string {
	th := v.Th
	if fs.choice != nil {
		name, _, _ := th.FaultKind(fs.choice.info)
		return box(v, draw.Change, lines, &fs.size, " "+th.Say("fault-named", model.Verbatim(name))+" ", fs.choices)
	}
	return box(v, draw.Change, lines, &fs.size, " "+faultsOf(th, fs.subject)+" ", fs.list)
}

func faultKeys(top func() host.Dialog) []host.Key {
	on, run := onTop[*Faults](top), onTopAlone[*Faults](top)
	word := func(v host.View, _ int) string { return top().(*Faults).chooseWord(v) }
	return []host.Key{
		{Keys: []string{"up", "k"}, Where: host.InFaults, What: "up", Do: run(func(m *Faults) { m.move(-1) })},
		{Keys: []string{"down", "j"}, Where: host.InFaults, What: "down", Do: run(func(m *Faults) { m.move(1) })},
		{Keys: []string{"home", "g"}, Where: host.InFaults, What: "first-word", Do: run(func(m *Faults) { m.move(-m.at) })},
		{Keys: []string{"end", "G"}, Where: host.InFaults, What: "last", Do: run(func(m *Faults) { m.move(len(m.rows) - 1 - m.at) })},
		{Keys: []string{"enter"}, Where: host.InFaults, Short: "key-choose", Brief: word, What: "choose-how-or-do-it-if", Needs: page.NeedsLab, Act: model.InjectFault, Do: on((*Faults).choose)},
		{Keys: []string{"esc", "q"}, Where: host.InFaults, Short: "key-cancel", What: "do-nothing", Do: closes},
		{Keys: []string{"up", "k"}, Where: host.InChoice, What: "line-above", Do: run(func(m *Faults) { m.choice.move(-1) })},
		{Keys: []string{"down", "j"}, Where: host.InChoice, What: "line-below", Do: run(func(m *Faults) { m.choice.move(1) })},
		{Keys: []string{"home", "g"}, Where: host.InChoice, What: "first-word", Do: run(func(m *Faults) { m.choice.move(-m.choice.at) })},
		{Keys: []string{"end", "G"}, Where: host.InChoice, What: "last", Do: run(func(m *Faults) { m.choice.move(len(m.choice.asks)) })},
		{Keys: []string{"left"}, Where: host.InChoice, What: "value-to-the-left", Do: run(func(m *Faults) { m.choice.turn(-1) })},
		{Keys: []string{"right"}, Where: host.InChoice, What: "value-to-the-right", Do: run(func(m *Faults) { m.choice.turn(1) })},
		{Keys: []string{"esc"}, Where: host.InChoice, Short: "key-back", What: "back-to-the-kinds", Do: run(func(m *Faults) { m.choice, m.hint = nil, "" })},
		{Keys: []string{"enter"}, Where: host.InChoice, Short: "key-do-it", What: "do-what-the-dialog-says", Needs: page.NeedsLab, Act: model.InjectFault,
			Do: on(func(m *Faults, _ host.View) []host.Intent { return m.inject(m.choice.fault()) })},
	}
}

// list is the menu in at most h lines of w cells.
func (fs *Faults) list(v host.View, w, h int) [][]draw.Span {
	th := v.Th
	var under [][]draw.Span
	add := func(spans ...draw.Span) { under = append(under, spans) }
	r := &fs.rows[fs.at]
	_, does, heal := th.FaultKind(r.info)
	switch {
	case fs.hint != "":
		add(draw.Late.Of(th.Sign.Late + " " + fs.hint))
	case r.why != "":
		under = append(under, th.Hang(draw.Late.Of(th.Sign.Late+" "), draw.Late, fs.cannotNow(v, r.why), w, 3)...)
		add(draw.Dim.Of(th.Say("it-would") + " " + does))
	default:
		f := fs.presets(v, r).fault()
		f.For = 0
		add(draw.Dim.Of(th.Say("will")+" "), draw.Strong.Of(th.Fault(f)))
	}
	if heal != "" {
		add(draw.Dim.Of(th.Say("healing-it-will") + " " + heal))
	} else {
		add(draw.Dim.Of(th.Say("done-at-once-there-is-nothing")))
	}
	if fs.subject.Why != "" {
		add(draw.Dim.Of(th.Say("only-what-is-done-to-the-cluster", model.Verbatim(fs.subject.Why))))
	}
	add(v.Hints(host.InFaults, w)...)
	room := max(1, h-len(under)-1)
	if len(under) > h-2 {
		room, under = max(1, h-1), under[len(under)-1:]
	}
	out := fs.window(v, w, room)
	if len(out)+len(under) < h {
		out = append(out, nil)
	}
	return append(out, under...)
}

// window is the part of the rows that fits, the cursor in it.
func (fs *Faults) window(v host.View, w, h int) [][]draw.Span {
	th := v.Th
	h = min(h, len(fs.rows))
	fs.top = max(0, min(fs.top, fs.at, len(fs.rows)-h))
	fs.top = max(fs.top, fs.at-h+1)
	var out [][]draw.Span
	for i := fs.top; i < fs.top+h; i++ {
		r := &fs.rows[i]
		mark, name, what := "  ", draw.Strong, draw.Plain
		if i == fs.at {
			mark = th.Sign.Cursor + " "
		}
		if r.why != "" {
			name, what = draw.Dim, draw.Dim
		}
		kind, does, _ := th.FaultKind(r.info)
		line := []draw.Span{draw.Accent.Of(mark), name.Of(kind + draw.Blanks[:max(1, 16-draw.Width(kind))])}
		switch {
		case r.why != "":
			line = append(line, draw.Dim.Of(th.Say("not-now", model.Verbatim(r.why))))
		case fs.inForce(v, r):
			line = append(line, draw.Late.Of(th.Sign.Late+" "+th.Say("in-force")+"  "), what.Of(does))
		default:
			line = append(line, what.Of(does))
		}
		if i == fs.top && fs.top > 0 || i == fs.top+h-1 && i < len(fs.rows)-1 {
			line = cutSpans(th, line, w-2)
			arrow := th.Sign.Up
			if i > fs.top {
				arrow = th.Sign.Dwn
			}
			line = append(line, draw.Dim.Of(" "+arrow))
		}
		out = append(out, line)
	}
	return out
}

// cutSpans shortens a line to w cells.
func cutSpans(th *draw.Theme, spans []draw.Span, w int) []draw.Span {
	var out []draw.Span
	for _, sp := range spans {
		if w <= 0 {
			break
		}
		sp.Text = th.Cut(sp.Text, w)
		w -= draw.Width(sp.Text)
		out = append(out, sp)
	}
	return out
}

// choices is the second step in at most h lines of w cells.
func (fs *Faults) choices(v host.View, w, h int) [][]draw.Span {
	th, c := v.Th, fs.choice
	var top, under [][]draw.Span
	_, does, heal := th.FaultKind(c.info)
	top = append(top, []draw.Span{draw.Dim.Of(does)}, nil)
	for i := range c.asks {
		top = append(top, c.asks[i].line(th, w, i == c.at))
	}
	f := c.fault()
	under = append(under, th.Hang(draw.Dim.Of(th.Say("will")+" "), draw.Strong, th.Fault(f), w, 2)...)
	switch {
	case fs.hint != "":
		under = append(under, []draw.Span{draw.Late.Of(th.Sign.Late + " " + fs.hint)})
	case f.For > 0:
		under = append(under, []draw.Span{draw.Dim.Of(th.Say("then-or-when-healed-it-will") + " " + heal)})
	default:
		under = append(under, []draw.Span{draw.Dim.Of(th.Say("healing-it-will") + " " + heal)})
	}
	under = append(under, append([]draw.Span{draw.Accent.Of("up down"), draw.Dim.Of(" " + th.Say("line") + "  "), draw.Accent.Of("left right"), draw.Dim.Of(" " + th.Say("value") + "  ")}, v.Hints(host.InChoice, w)...))
	if len(top)+1+len(under) <= h {
		top = append(top, nil)
	}
	if over := len(top) + len(under) - h; over > 0 { // what is chosen, and what it does, matter most
		from := max(0, min(over, 2+c.at))
		top = top[from:max(from, min(len(top), from+h-len(under)))]
	}
	all := append(top, under...)
	return all[max(0, len(all)-max(1, h)):]
}
