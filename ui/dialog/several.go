package dialog

import (
	"slices"
	"strconv"

	tea "github.com/charmbracelet/bubbletea"

	"locktop/model"
	"locktop/model/findings"
	"locktop/model/text"

	"locktop/model/status"
	"locktop/ui/draw"
	"locktop/ui/host"
	"locktop/ui/page"
)

// Several breaks the locks that are marked: it deletes the claim that holds each, guarded as
// it was shown. It revokes no lease, which nothing can guard.
type Several struct {
	size
	items  []*item
	grace  grace
	typing bool
	typed  host.Field
	top    int
	hint   string
	doing  bool
	done   bool
}

// item is one of the locks, with the way to break it and what came of that.
type item struct {
	way
	outcome *model.Outcome
}

// reason says why nothing is known to be done.
func (x *item) reason() model.Message {
	if !x.outcome.Why.IsZero() {
		return x.outcome.Why
	}
	return model.Say("quote", x.outcome.Err)
}

// SeveralMost bounds how many locks are broken at once: each is read by a person first.
const SeveralMost = 20

// OpenSeveral opens the dialog on claims of several locks and reads the plans. Of the locks
// without such a claim it says that they have none.
func OpenSeveral(v host.View, said host.Said, locks []string) []host.Intent {
	d := &Several{}
	wants := []host.Intent{host.Open{Dialog: d, AboutLock: true}, d.grace.start(d)}
	for i, act := range said.Acts {
		x := &item{way: way{action: act, why: said.Whys[i]}}
		d.items = append(d.items, x)
		if x.why == "" {
			wants = append(wants, host.Plan{To: d, Act: act, Then: func(p model.Plan, why string) { x.plan, x.ready, x.why = p, true, why }})
		}
	}
	for _, name := range locks {
		if !slices.ContainsFunc(said.Acts, func(a model.Action) bool { return a.Lock == name }) {
			d.items = append(d.items, &item{way: way{action: model.Action{Lock: name}, why: v.Th.Say("nobody-holds-it-by-a-key")}})
		}
	}
	return wants
}

// open are the items that can be done, and whether all have been read.
func (s *Several) open() (open []*item, read bool) {
	read = true
	for _, x := range s.items {
		switch {
		case x.why != "":
		case !x.ready:
			read = false
		default:
			open = append(open, x)
		}
	}
	return open, read
}

// confirm deletes the claims, or asks for their number on a cluster that is not ours.
func (s *Several) confirm(v host.View) []host.Intent {
	open, read := s.open()
	switch {
	case !s.grace.elapsed || s.doing || s.done:
	case !read:
		s.hint = v.Th.Say("wait-still-reading-what-it-would")
	case len(open) == 0:
		s.hint = v.Th.Say("none-of-them-can-be-deleted")
	case !v.Lab:
		s.typing, s.typed, s.hint = true, host.Field{}, ""
	default:
		return s.carryOut(v)
	}
	return nil
}

// word is what is typed to confirm.
func (s *Several) word(v host.View) string {
	open, _ := s.open()
	return v.Th.Say("locks-counted", draw.Counted(len(open)))
}

func (s *Several) confirmTyped(v host.View) []host.Intent {
	if s.typed.Text != s.word(v) {
		s.hint = v.Th.Say("that-is-not", model.Verbatim(strconv.Quote(s.word(v))))
		return nil
	}
	s.typing = false
	return s.carryOut(v)
}

// carryOut deletes the claims one after another. One that is not any more as it was shown
// stays.
func (s *Several) carryOut(v host.View) []host.Intent {
	open, _ := s.open()
	var todo []*item
	var plans []model.Plan
	for _, x := range open {
		c := v.S.Claim(x.action.Key)
		changed := status.Outruns(c, x.plan)
		if c == nil || c.CreateRev != x.action.CreateRev {
			changed = model.Say("already-released")
		}
		if !changed.IsZero() {
			x.outcome = &model.Outcome{Action: x.action, Err: text.English(changed), Changed: text.English(changed), Why: changed}
		} else {
			todo, plans = append(todo, x), append(plans, x.plan)
		}
	}
	s.doing, s.hint = true, ""
	return []host.Intent{host.Do{Plans: plans, Within: host.PlanTimeout, To: s, Then: func(v host.View, outs []model.Outcome) { s.take(v, todo, outs) }}}
}

// take shows what came of it, and takes the marks from the locks that were broken.
func (s *Several) take(v host.View, todo []*item, outs []model.Outcome) {
	s.doing, s.done = false, true
	for i, x := range todo {
		x.outcome = &outs[i]
		if outs[i].Done {
			v.Picked.Drop(x.action.Lock)
		}
	}
}

// leave closes the dialog, but not while claims are being deleted: what came of that has to
// be seen.
func (s *Several) leave(v host.View) []host.Intent {
	if s.doing {
		s.hint = v.Th.Say("wait-the-claims-are-being-deleted")
		return nil
	}
	return closes(v)
}

// Place is the text field once the number has to be typed.
func (s *Several) Place() host.Where {
	if s.typing {
		return host.InCount
	}
	return host.InSeveral
}

// Type takes a key of the text field in.
func (s *Several) Type(msg tea.KeyMsg) { s.typed.Key(msg) }

// PaintOver paints the dialog over the lines of the screen.
func (s *Several) PaintOver(v host.View, lines []string) []string {
	return box(v, draw.Change, lines, &s.size, " "+v.Th.Say("break-marked-locks", draw.Counted(len(s.items)))+" ", s.lines)
}

// lines are what the dialog says, in at most h lines of w cells.
func (s *Several) lines(v host.View, w, h int) [][]draw.Span {
	th := v.Th
	head := [][]draw.Span{{draw.Change.Of("D"), draw.Strong.Of("  " + th.Say("delete-the-claim-of-each")), draw.Dim.Of("  " + th.Say("guarded-by-its-revision-lease-and"))}}
	if s.done {
		head = [][]draw.Span{{draw.Strong.Of(th.Say("what-came-of-it")), draw.Dim.Of("  " + th.Say("the-journal-tells-what-was-seen"))}}
	}
	var all [][]draw.Span
	for _, x := range s.items {
		all = append(all, s.item(v, x, w)...)
	}
	under := [][]draw.Span{}
	if !s.done {
		under = append(under, []draw.Span{draw.Late.Of(th.Cut(th.Sign.Late+" "+th.Say("the-owners-are-not-notified"), w))})
	}
	if s.hint != "" {
		under = append(under, []draw.Span{draw.Late.Of(th.Cut(th.Sign.Late+" "+s.hint, w))})
	}
	if s.typing {
		under = append(under, []draw.Span{draw.Plain.Of(th.Cut(th.Say("type-to-delete-their-claims", model.Verbatim(strconv.Quote(s.word(v)))), w))},
			[]draw.Span{draw.Accent.Of("> "), draw.Strong.Of(th.Clean(s.typed.Text)), draw.Accent.Of("_")})
	}
	under = append(under, v.Hints(s.Place(), w))
	room := max(1, h-len(head)-len(under))
	if len(all) > room {
		s.top = max(0, min(s.top, len(all)-(room-1)))
		rest := draw.Late.Of(th.Say("locks-in-all", draw.Counted(len(s.items))))
		all = append(all[s.top:s.top+room-1:s.top+room-1], []draw.Span{rest, draw.Dim.Of(th.Say("up-and-down-show-them"))})
	}
	return append(append(head, all...), under...)
}

// item is one of the locks in lines: what would go, by its revision and lease, and what came
// of it.
func (s *Several) item(v host.View, x *item, w int) [][]draw.Span {
	th, l, c := v.Th, v.S.Lock(x.action.Lock), v.S.Claim(x.action.Key)
	name := draw.Strong.Of(th.CutPath(th.Clean(x.action.Lock), w/2))
	cut := func(text string) string { return th.Cut("   "+text, w) }
	switch {
	case x.outcome != nil && x.outcome.Done:
		return [][]draw.Span{{draw.Good.Of(th.Sign.Done + " "), name, draw.Plain.Of("  " + th.Cut(th.FormatOutcome(*x.outcome), w/2-4))}}
	case x.outcome != nil && x.outcome.Unknown:
		return [][]draw.Span{{draw.Late.Of(th.Sign.Late + " "), name}, {draw.Late.Of(cut(th.Say("unknown-whether-done", x.reason())))}}
	case x.outcome != nil:
		return [][]draw.Span{{draw.Bad.Of(th.Sign.Bad + " "), name}, {draw.Bad.Of(cut(th.Say("not-done", x.reason())))}}
	case x.why != "":
		return [][]draw.Span{{draw.Bad.Of(th.Sign.Bad + " "), name}, {draw.Bad.Of(cut(th.Say("not-possible", model.Verbatim(x.why))))}}
	case l == nil || c == nil || c.CreateRev != x.action.CreateRev:
		return [][]draw.Span{{draw.Late.Of(th.Sign.Late + " "), name}, {draw.Late.Of(cut(th.Say("already-released")))}}
	}
	held, atLeast := l.HeldFor(v.Now)
	_, sign, word := page.RoleLook(v.Frame.View, l, c, l.Place(c))
	lines := [][]draw.Span{{draw.Plain.Of(sign + " "), name, draw.Plain.Of(th.Cut("  "+th.Say("who-role-since-behind", model.Verbatim(th.Who(v.S, c.Ref())), model.Verbatim(word), model.Verbatim(draw.Age(held, atLeast)), l.Behind()), max(8, w/2-2)))},
		{draw.Dim.Of(cut(th.Say("key-rev-lease", model.Verbatim(th.CutKey(th.Clean(c.Key), w/3)), model.Verbatim(draw.Count(x.action.CreateRev)), model.OnLease(x.action.Lease))))}}
	if !x.ready {
		lines = append(lines, []draw.Span{draw.Dim.Of(cut(th.Say("reading-what-it-would-touch") + " " + th.Sign.Unread))})
	}
	if wrong := findings.BeforeBreak(v.S, l, c); wrong != nil && findings.BreakingOf(wrong.Code).Effect == findings.BreakWrong {
		lines = append(lines, []draw.Span{draw.Late.Of(cut(th.Sign.Late + " " + th.Message(findings.CureWords(wrong))))})
	}
	return lines
}

func severalKeys(top func() host.Dialog) []host.Key {
	on, run := onTop[*Several](top), onTopAlone[*Several](top)
	return []host.Key{
		{Keys: []string{"up"}, Where: host.InSeveral, What: "scroll-the-locks-that-are-marked", Do: run(func(d *Several) { d.top-- })},
		{Keys: []string{"down"}, Where: host.InSeveral, What: "scroll-the-locks-that-are-marked", Do: run(func(d *Several) { d.top++ })},
		{Keys: []string{"D"}, Where: host.InSeveral, Short: "key-delete-the-claim-of-each", Brief: ifRoom("key-delete-the-claim-of-each", "key-delete"), What: "delete-the-claim-of-each-marked", Needs: host.NeedsArmed,
			Act: model.DeleteClaim, Hidden: func(host.View) bool { return top().(*Several).done }, Do: on((*Several).confirm)},
		{Keys: []string{"esc", "q"}, Where: host.InSeveral, Short: "key-close", What: "leave-the-locks-alone", Do: on((*Several).leave)},
		{Keys: []string{"enter"}, Where: host.InSeveral, What: "nothing-d-confirms", Do: on(func(d *Several, v host.View) []host.Intent {
			d.hint = v.Th.Say("enter-does-not-confirm-d-does")
			return nil
		})},
		{Keys: []string{"enter"}, Where: host.InCount, Short: "key-do-it", What: "do-it-if-the-number-is", Needs: host.NeedsArmed, Do: on((*Several).confirmTyped)},
		{Keys: []string{"esc"}, Where: host.InCount, Short: "key-back", What: "back", Do: run(func(d *Several) { d.typing = false })},
	}
}
