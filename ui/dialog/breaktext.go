package dialog

import (
	"slices"
	"strings"

	"locktop/model"
	"locktop/model/findings"

	"locktop/model/locks"
	"locktop/model/status"
	"locktop/ui/draw"
	"locktop/ui/host"
	"locktop/ui/page"
	"locktop/ui/table"
)

// breakLine is a line of the dialog; where room is short the highest rank goes.
type breakLine struct {
	rank  int
	spans []draw.Span
}

const (
	ranked  = iota // stays
	detail         // goes third
	command        // second
	spacing        // first
)

// leastKeys is how many of the keys that go are shown before anything that can be
// spared.
const leastKeys = 3

// lines are what the dialog says, in at most h lines of w cells.
func (b *Break) lines(v host.View, w, h int) [][]draw.Span {
	var all []breakLine
	add := func(rank int, spans ...draw.Span) { all = append(all, breakLine{rank, spans}) }
	b.cure(v, w, add)
	b.subject(v, w, add)
	add(spacing)
	keys := b.goesLines(v, w)
	if len(keys) > 0 {
		add(detail, keys[0]...)
		keys = keys[1:]
	}
	goes := len(all)
	if !b.claimGone(v) {
		if len(keys) > 0 {
			add(spacing)
		}
		b.wayLines(v, w, &b.revoke, "R", b.revokeWords(v), v.Th.Say("ends-the-session-and-all-its-keys"), add)
		b.commandLine(v, w, &b.revoke, add)
		add(spacing)
		b.wayLines(v, w, &b.delete, "D", v.Th.Say("delete-this-claim"), v.Th.Say("this-lock-only-its-owner-is-not"), add)
		b.commandLine(v, w, &b.delete, add)
		add(spacing)
	}
	if l := b.t.Lock; l != nil && !b.claimGone(v) && !l.Unsure().IsZero() {
		for _, line := range v.Th.Hang(draw.Late.Of(v.Th.Sign.Late+" "), draw.Late, v.Th.Message(l.Unsure()), w, 2) {
			add(detail, line...)
		}
	}
	if text := b.warning(v); text != "" {
		add(ranked, draw.Late.Of(v.Th.Sign.Late+" "+text))
		add(spacing)
	}
	all = append(all, b.prompt(v, w)...)
	all = trim(all, h-min(len(keys), leastKeys), &goes)
	room := h - len(all)
	var out [][]draw.Span
	for i, l := range all {
		if i == goes {
			out = append(out, b.window(v, keys, room)...)
		}
		out = append(out, l.spans)
	}
	return out
}

// warning is what no way of breaking changes, "" for a claim that is gone.
func (b *Break) warning(v host.View) string {
	if b.claimGone(v) || b.t.Lock == nil {
		return ""
	}
	return v.Th.Message(status.Role(b.t.Lock, v.S.Claim(b.t.Action.Key)).Remains())
}

// cure says first whether breaking is a cure of what is found.
func (b *Break) cure(v host.View, w int, add func(int, ...draw.Span)) {
	f := b.t.Finding
	if f == nil && b.t.Lock != nil {
		f = findings.BeforeBreak(v.S, b.t.Lock, v.S.Claim(b.t.Action.Key))
	}
	if f == nil || b.claimGone(v) {
		return
	}
	rank, st, sign := detail, draw.Dim, v.Th.Sign.Fact
	if findings.BreakingOf(f.Code).Effect == findings.BreakWrong {
		rank, st, sign = ranked, draw.Late, v.Th.Sign.Late
	}
	words := v.Th.Message(model.Say("about-code", model.Verbatim(v.Th.Problem(f)), findings.CureWords(f)))
	for _, line := range v.Th.Hang(st.Of(sign+" "), st, words, w, 4) {
		add(rank, line...)
	}
	add(spacing)
}

// trim drops lines by rank until there are at most h, and keeps the place at
// where the keys go in.
func trim(all []breakLine, h int, at *int) []breakLine {
	for rank := spacing; rank > ranked; rank-- {
		for i := len(all) - 1; i >= 0 && len(all) > h; i-- {
			n := 0
			for i-n >= 0 && all[i-n].rank == rank && (n == 0 || rank == command) {
				n++ // half a command is worse than none
			}
			if n > 0 {
				all = append(all[:i-n+1], all[i+1:]...)
				if i < *at {
					*at -= n
				}
				i -= n - 1
			}
		}
	}
	if over := len(all) - h; over > 0 { // the prompt at the end matters most
		all = all[over:]
		*at = max(0, *at-over)
	}
	return all
}

// leaseMost is how many cells the figures of a lease take at most.
const leaseMost = 16

// factsOfGone is how many lines say what happened to a lock whose claim has gone.
const factsOfGone = 6

// labelCells is how much room the words have that stand before a fact.
const labelCells = 9

// subject says what would be broken.
func (b *Break) subject(v host.View, w int, add func(int, ...draw.Span)) {
	th, t := v.Th, b.t
	for _, line := range th.Hang(draw.Dim.Of(draw.PadTo(th.Say("lock-word"), labelCells)), draw.Strong, th.Clean(t.Action.Lock), w, 3) { // whole: it may have to be typed
		add(ranked, line...)
	}
	c := v.S.Claim(t.Action.Key)
	if b.claimGone(v) || t.Lock == nil {
		add(ranked, draw.Late.Of(th.Sign.Late+" "+th.Say("already-released-esc-closes")))
		if c := b.heir(v); c != nil {
			held, atLeast := v.S.Lock(t.Lock.Name).HeldFor(v.Now)
			add(spacing)
			add(ranked, draw.Dim.Of(draw.PadTo(th.Say("now"), labelCells)), draw.Strong.Of(th.WhoIn(v.S, c.Ref(), 40)),
				draw.Plain.Of(" "+th.Sign.Holds+" "+th.Say("holds-so-long", model.Verbatim(draw.Age(held, atLeast)))))
		}
		add(spacing)
		for _, e := range v.FactsOf(t.Action.Lock, factsOfGone) { // how it went
			sign, st := th.FactSign(e)
			add(detail, draw.Dim.Of(th.FactClock(e, labelCells-1)+" "), st.Of(sign), draw.Plain.Of(" "+th.Cut(th.SentenceHere(v.S, e), w-labelCells-2)))
		}
		return
	}
	place := t.Lock.Place(c)
	_, sign, word := page.RoleLook(v.Frame.View, t.Lock, c, place)
	d0, atLeast := c.Waited(v.Now)
	if place == 0 {
		d0, atLeast = t.Lock.HeldFor(v.Now)
	}
	line := []draw.Span{draw.Dim.Of(draw.PadTo(th.Say("claim"), labelCells)), draw.Strong.Of(th.WhoIn(v.S, c.Ref(), 40)),
		draw.Plain.Of(" " + sign + " " + th.Say("role-place-since", model.Verbatim(word), place+1, model.Verbatim(draw.Count(int64(t.Lock.Len()))), model.Verbatim(draw.Age(d0, atLeast))))}
	if l := c.LeaseInfo(); l != nil { // a healthy one is broken by mistake
		lease := append([]draw.Span{draw.Dim.Of("  " + th.Say("lease", model.Verbatim("")))}, table.LeaseBrief(th, l, v.Now, 0, leaseMost)...)
		if draw.WidthOf(line)+draw.WidthOf(lease) <= w {
			line = append(line, lease...)
		}
	}
	add(ranked, line...)
	via := ""
	if e := b.delete.plan.Endpoint; e != "" {
		via = th.Say("read-at", model.Verbatim(th.Clean(e)))
	} else if e := b.revoke.plan.Endpoint; e != "" {
		via = th.Say("read-at", model.Verbatim(th.Clean(e)))
	}
	add(detail, draw.Dim.Of(draw.PadTo(th.Say("key-word"), labelCells)), draw.Plain.Of(th.CutKey(th.Clean(c.Key), w-9)))
	add(detail, draw.Dim.Of(draw.PadTo(th.Say("created"), labelCells)), draw.Plain.Of(th.Say("rev")+" "+draw.Count(c.CreateRev)), draw.Dim.Of(via))
}

// revokeWords name the way that ends the lease.
func (b *Break) revokeWords(v host.View) string {
	if b.revoke.action.Lease == 0 {
		return v.Th.Say("revoke-the-lease-word")
	}
	return v.Th.Say("revoke-the-lease", b.revoke.action.Lease)
}

// wayLines name a way and what it means.
func (b *Break) wayLines(v host.View, w int, x *way, key, name, what string, add func(int, ...draw.Span)) {
	if names := max(draw.Width(b.revokeWords(v)), draw.Width(name)); 3+names+2+draw.Width(what) <= w { // both ways in the same columns
		name = draw.PadTo(name, names)
	}
	add(ranked, draw.Change.Of(key), draw.Strong.Of("  "+name), draw.Dim.Of("  "+what))
	why := b.whyNot(v, x)
	switch {
	case why != "":
		add(ranked, draw.Bad.Of("   "+v.Th.Sign.Bad+" "+v.Th.Cut(v.Th.Say("not-possible", model.Verbatim(why)), w-5)))
		return
	case !x.ready:
		add(ranked, draw.Dim.Of("   "+v.Th.Say("reading-what-it-would-touch")+" "+v.Th.Sign.Unread))
	case x == &b.delete && b.next(v, b.t.Action.Key, 0) != b.next(v, b.t.Action.Key, b.revoke.action.Lease): // else the list above says so
		add(ranked, draw.Plain.Of("   "+v.Th.Cut(b.next(v, b.t.Action.Key, 0), w-3)))
	}
	if !x.plan.Unknown.IsZero() {
		add(ranked, draw.Late.Of("   "+v.Th.Sign.Late+" "+v.Th.Cut(v.Th.Say("not-all-of-it-is-known", x.plan.Unknown), w-5)))
	}
	if n := b.unwatched(v, x.plan.Goes); x == &b.revoke && n > 0 {
		add(ranked, draw.Late.Of("   "+v.Th.Sign.Late+" "+v.Th.Cut(v.Th.Say("of-its-keys-not-watched", draw.Counted(n)), w-5)))
	}
	if x.plan.DryRun {
		add(ranked, draw.Late.Of("   "+v.Th.Say("dry-run-shows-what-would-be")))
	}
}

func (b *Break) commandLine(v host.View, w int, x *way, add func(int, ...draw.Span)) {
	if cmd := x.plan.Action.Etcdctl(); cmd != "" && b.whyNot(v, x) == "" {
		for _, line := range v.Th.Hang(draw.Dim.Of("   $ "), draw.Dim, v.Th.Escape(cmd), w, 3) {
			add(command, line...)
		}
	}
}

// going are the keys that a revoke takes along, or the claim alone where its lease cannot be revoked.
func (b *Break) going(v host.View) []model.KV {
	switch {
	case b.claimGone(v):
		return nil
	case b.whyNot(v, &b.revoke) == "" && b.revoke.ready:
		return b.revoke.plan.Goes
	case b.whyNot(v, &b.revoke) != "" && b.whyNot(v, &b.delete) == "":
		return []model.KV{{Key: b.t.Action.Key}}
	}
	return nil
}

// goesLines are two columns, with a line of titles: the keys that go, and what becomes of each lock then.
func (b *Break) goesLines(v host.View, w int) [][]draw.Span {
	goes, th := b.going(v), v.Th
	if len(goes) == 0 {
		return nil
	}
	what, next := th.Say("what-goes"), th.Say("who-is-next")
	keys, cells := make([]string, len(goes)), draw.Width(what)-2
	for i, kv := range goes {
		keys[i] = th.CutKey(th.Clean(kv.Key), max(12, w/2-6))
		cells = max(cells, draw.Width(keys[i]))
	}
	lines := [][]draw.Span{{draw.Strong.Of(draw.PadTo(what, cells+2) + "  " + next)}}
	for i, kv := range goes {
		lines = append(lines, []draw.Span{draw.Bad.Of("- "), draw.Plain.Of(draw.PadTo(keys[i], cells) + "  "), draw.Dim.Of(th.Cut(b.next(v, kv.Key, kv.Lease), w-cells-4))})
	}
	return lines
}

// window is the part of the keys that fits, the last line saying what does not.
func (b *Break) window(v host.View, keys [][]draw.Span, h int) [][]draw.Span {
	if len(keys) <= h || h < 1 {
		b.top = 0
		return keys[:min(len(keys), max(0, h))]
	}
	b.top = max(0, min(b.top, len(keys)-(h-1)))
	out := append([][]draw.Span(nil), keys[b.top:b.top+h-1]...)
	return append(out, []draw.Span{draw.Late.Of("   " + v.Th.Say("keys-in-all", draw.Counted(len(keys)))), draw.Dim.Of(v.Th.Say("up-and-down-show-them"))})
}

// unwatched counts the keys that no watched prefix tells of.
func (b *Break) unwatched(v host.View, keys []model.KV) (n int) {
	watches := v.S.Coverage().Watches()
	for _, kv := range keys {
		if !slices.ContainsFunc(watches, func(f *locks.Watch) bool { return strings.HasPrefix(kv.Key, f.Prefix) }) {
			n++
		}
	}
	return n
}

// next says what becomes of a lock when a key in its queue goes, and with it all
// keys of its lease if that is not 0.
func (b *Break) next(v host.View, key string, lease model.LeaseID) string {
	th, c := v.Th, v.S.Claim(key)
	if c == nil {
		if b.unwatched(v, []model.KV{{Key: key}}) > 0 {
			return th.Say("is-not-watched")
		}
		return th.Say("gone-or-not-seen")
	}
	l := c.Lock()
	if l == nil && b.t.Lock != nil && b.t.Lock.Place(c) >= 0 {
		l = b.t.Lock // it is none of its claims, and stands in its way
	}
	if l == nil {
		return th.Say("is-not-a-claim-of-a-lock")
	}
	name := model.Verbatim(th.CutPath(th.Clean(l.Name), 28))
	if !l.Recipe().HasHolder {
		return th.Say("goes-from", name)
	}
	if l.Head() != c && !l.Holds(l.Place(c)) {
		return th.Say("leaves-the-queue-of", name, l.Place(c)+1)
	}
	switch n, next := status.Without(l, c, lease); {
	case n > 0:
		return th.Say("stops-holding", name, n)
	case next != nil && !l.IsClaim(next):
		return th.Say("no-claim-of-it-blocks", model.Verbatim(th.CutKey(th.Clean(next.Key), 24)), name)
	case next != nil:
		waited, atLeast := next.Waited(v.Now)
		return th.Say("gets", model.Verbatim(th.Cut(th.Who(v.S, next.Ref()), 24)), name, model.Verbatim(draw.Age(waited, atLeast)))
	}
	return th.Say("is-free-then", name)
}

// prompt is the end of the dialog: what to press.
func (b *Break) prompt(v host.View, w int) []breakLine {
	var lines []breakLine
	if b.hint != "" && !b.claimGone(v) { // above it stands already that there is nothing left to do
		for _, line := range v.Th.Hang(draw.Late.Of(v.Th.Sign.Late+" "), draw.Late, b.hint, w, 3) {
			lines = append(lines, breakLine{ranked, line})
		}
	}
	if b.typing != "" {
		ask := v.Th.Say("type-the-name-to-delete")
		if b.typing == model.RevokeLease {
			ask = v.Th.Say("type-the-name-to-revoke")
		}
		name := v.Th.Clean(b.name.Text)
		if over := draw.Width(name) + len("> _") - w; over > 0 { // one sees what one types
			name, _ = draw.Tail(name, draw.Width(name)-over-1)
			name = v.Th.Sign.More + name
		}
		return append(lines, breakLine{ranked, []draw.Span{draw.Plain.Of(ask)}},
			breakLine{ranked, []draw.Span{draw.Accent.Of("> "), draw.Strong.Of(name), draw.Accent.Of("_")}}, breakLine{ranked, v.Hints(host.InTyped, w)})
	}
	return append(lines, breakLine{ranked, v.Hints(host.InBreak, w)})
}

// PaintOver paints the dialog over the lines of the screen.
func (b *Break) PaintOver(v host.View, lines []string) []string {
	return box(v, draw.Change, lines, &b.size, " "+v.Th.Say("break-a-lock")+" ", b.lines)
}
