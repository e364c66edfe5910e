package page

import (
	"strconv"
	"strings"
	"time"

	"locktop/model"
	"locktop/model/reports"
	"locktop/model/store"
	"locktop/ui/draw"
	"locktop/ui/table"
)

// stance is a contender, what is true of it, and what there is to say of the two.
type stance struct {
	reports.ContenderInfo
	place int // in the queue, from 1, 0 for none
	st    draw.Style
	note  string
	how   draw.Style // of the note, and of what it believes
}

func contenderRow(f Frame, c reports.ContenderInfo, r *table.Row) {
	claim, place := f.S.Reports().Truth(c)
	f.Sees(claim)
	x := stance{ContenderInfo: c, place: place, st: draw.Plain}
	if c.Proc == model.ProcEnded {
		x.st = draw.Dim
	}
	note, how := mismatch(f.Uncertain, f.S, c, place, f.Now)
	x.note, x.how = f.Th.Message(note), how
	ContenderCells.Row(f.View, x, r)
}

// titleOfNotes is that of what there is to say of a contender: its words say enough.
const titleOfNotes model.MessageID = ""

// noteworthy says whether there is something to say of a contender.
func noteworthy(f Frame, c reports.ContenderInfo) bool {
	_, place := f.S.Reports().Truth(c)
	note, _ := mismatch(f.Uncertain, f.S, c, place, f.Now)
	return c.Belief.Text != "" || !note.IsZero()
}

// ContenderCells are the columns of the contenders.
var ContenderCells = table.Cells[stance]{
	{Column: table.Column{Title: "title-name", Least: 5, Most: 10}, Fill: func(r *table.Row, x *stance) { r.Add(x.st, r.F.Th.Cut(r.F.Th.Clean(x.Name), r.Room())) }},
	{Column: table.Column{Title: "title-pid", Least: 7, Most: 8, Rank: 6, Right: true}, Fill: func(r *table.Row, x *stance) { r.Add(draw.Dim, strconv.Itoa(x.PID)) }},
	{Column: table.Column{Title: "title-process", Least: 8, Fair: 10, Most: 20, Rank: 3}, Fill: func(r *table.Row, x *stance) {
		proc, st := processLook(r.F.Th, r.F.S, x.ContenderInfo, r.Room())
		r.Add(st, r.F.Th.Cut(proc, r.Room()))
	}},
	{Column: table.Column{Title: "title-lock", Least: 12, Fair: 20, Most: 26, Rank: 2}, Fill: func(r *table.Row, x *stance) { r.Add(x.st, r.F.Th.CutPath(r.F.Th.Clean(x.Lock), r.Room())) }},
	{Column: table.Column{Title: "title-recipe", Least: 8, Most: 8, Rank: 8}, Fill: func(r *table.Row, x *stance) { r.Add(draw.Dim, r.F.Th.Cut(r.F.Th.Clean(x.Recipe), r.Room())) }},
	{Column: table.Column{Title: "title-client-says", Least: 11, Most: 11}, Fill: func(r *table.Row, x *stance) { r.Add(x.how, believes(r.F.Th, x.ContenderInfo)) }},
	{Column: table.Column{Title: "title-etcd-says", Least: 9, Most: 9}, Fill: func(r *table.Row, x *stance) { r.Add(x.how, TruthWord(r.F.Th, r.F.S, x.ContenderInfo, x.place)) }},
	{Column: table.Column{Title: "title-lease", Least: 12, Most: 25, Rank: 5}, Fill: func(r *table.Row, x *stance) {
		if x.Lease == 0 {
			r.Add(draw.Dim, r.F.Th.Say("no-lease-yet"))
		} else if Unknown(r.F.S, x.ContenderInfo) {
			r.Add(draw.Dim, "?")
		} else if lease := r.F.S.Lease(x.Lease); lease == nil {
			r.Add(draw.Dim, r.F.Th.Say("no-key-on-it")) // whether the lease lives is not known then
		} else {
			r.Lease(lease, r.F.Now)
		}
	}},
	{Column: table.Column{Title: "title-last-access", Least: 15, Fair: 15, Most: 34, Rank: 4}, Fill: accessCell},
	{Column: table.Column{Title: titleOfNotes, Least: 26, Fair: 28, Most: 48, Rank: 1}, Fill: func(r *table.Row, x *stance) {
		note, how := x.note, x.how
		if how == draw.Alarm {
			note = besideWords(r.F, x.ContenderInfo, note, r.Room())
		} else if x.Belief.Text != "" && x.Proc != model.ProcPaused {
			note, how = r.F.Th.Message(x.Belief.Says()), draw.Dim
		}
		r.Add(how, r.F.Th.Cut(note, r.Room()))
	}},
}

// accessCell says what the guarded resource last said to a contender.
func accessCell(r *table.Row, c *stance) {
	x := c.LastAccess
	if x.At.IsZero() {
		r.Add(draw.Dim, r.F.Th.Say("none"))
		return
	}
	th := r.F.Th
	age := draw.Age(r.F.Now.Sub(x.At), false)
	ago := " " + th.Say("ago", model.Verbatim(age))
	if n := c.Accepted + c.Refused; r.Room() >= 30 {
		ago += "  " + th.Say("accesses-ok", c.Accepted, n)
	}
	st, what := draw.Dim, th.Say("read-ok")
	switch {
	case unfenced(r.F.S, &c.ContenderInfo):
		st, what = draw.Bad, th.Sign.Bad+" "+th.Say("not-fenced")
	case x.Accepted && x.Write:
		what = th.Say("write-ok")
	case x.Write:
		st, what = draw.Bad, th.Sign.Bad+" "+th.Say("write-refused")
	case !x.Accepted:
		st, what = draw.Bad, th.Sign.Bad+" "+th.Say("read-refused")
	}
	const leastAgo = 16 // "write ok 18s ago": or the word stands in some rows alone
	switch {
	case r.Room() >= leastAgo && draw.Width(what+ago) <= r.Room():
		what += ago
	case draw.Width(what)+1+draw.Width(age) <= r.Room():
		what += " " + age
	}
	r.Add(st, what)
}

// unfenced says whether the resource accepted the last access of a contender although its claim had gone.
func unfenced(s *store.View, c *reports.ContenderInfo) bool {
	ll := s.Reports().Lock(c.LastAccess.Lock)
	return ll != nil && ll.Unfenced(c.LastAccess, c.Belief) != nil
}

// besideWords say that a belief is false and for how long beside who holds, as far
// as there is room. Belief and truth stand there in words of their own, so how long
// and beside whom is worth more than to say it at length.
func besideWords(f table.View, c reports.ContenderInfo, note string, room int) string {
	over := f.S.Reports().Overlaps(c.Lock)
	for _, o := range over {
		if o.Believer != c.Name || !o.To.IsZero() {
			continue
		}
		ago := model.Verbatim(draw.Tenths(reports.Together(o.OfTheSame(over), f.Exact())))
		who := model.Verbatim(f.Th.Cut(f.Th.Escape(o.Client), 10))
		for _, words := range []string{f.Th.Say("says-it-holds-beside", ago, who), f.Th.Say("wrong-for-beside", ago, who), f.Th.Say("wrong-for", ago)} {
			if draw.Width(words) <= room {
				return words
			}
		}
	}
	return note
}

// processLook says how a contender's process is, and what is done to it.
func processLook(th *draw.Theme, s *store.View, c reports.ContenderInfo, room int) (string, draw.Style) {
	if c.Proc == model.ProcEnded {
		ended := th.Message(c.HowEnded())
		if draw.Width(ended)+2 > room {
			ended = th.Word(model.ProcEnded)
		}
		return th.Sign.Bad + " " + ended, draw.Dim
	}
	var words []string
	if c.Proc == model.ProcPaused {
		words = append(words, th.Say("paused"))
	}
	for _, x := range s.Reports().Faults() {
		info, _ := x.Fault.Kind.Info()
		if x.Fault.Target != c.Name || info.Target == model.TargetProcess {
			continue // a process that is paused says so itself
		}
		words = append(words, th.Message(info.State))
	}
	if len(words) == 0 {
		return th.Sign.Holds + " " + th.Say("runs"), draw.Good
	}
	if text := strings.Join(words, "+"); draw.Width(text)+2 <= room || len(words) == 1 {
		return th.Sign.Late + " " + text, draw.Late
	}
	return th.Sign.Late + " " + th.Say("faults-counted", len(words)), draw.Late
}

func believes(th *draw.Theme, c reports.ContenderInfo) string {
	switch c.Belief.State {
	case model.BeliefHolding:
		return th.Say("i-hold")
	case model.BeliefWaiting:
		return th.Say("i-wait")
	case model.BeliefLost:
		return th.Say("i-lost")
	case model.BeliefLeaving:
		return th.Say("leaving")
	case model.BeliefIdle:
		return th.Say("idle")
	}
	return "?"
}

// TruthWord says what etcd says of a contender at that place of its queue, from 1.
func TruthWord(th *draw.Theme, s *store.View, c reports.ContenderInfo, place int) string {
	switch {
	case Unknown(s, c):
		return "?"
	case place == 0:
		return th.Say("no-key")
	case Holds(s, c, place):
		return th.Say("holds")
	}
	return th.Say("place", place)
}

// mismatch says where belief and truth lie apart. Only one of the ways
// is dangerous: to believe that one holds.
func mismatch(d Uncertain, s *store.View, c reports.ContenderInfo, place int, now time.Time) (model.Message, draw.Style) {
	alive := c.Proc != model.ProcEnded
	known := !Unknown(s, c)
	switch {
	case d.Alarming(c.Name, now):
		return model.Say("says-it-holds"), draw.Alarm
	case alive && known && c.Belief.State == model.BeliefHolding && !Holds(s, c, place):
		return model.Say("not-noticed-lost"), draw.Late
	case alive && c.Belief.State == model.BeliefWaiting && Holds(s, c, place):
		return model.Say("not-noticed-holds"), draw.Late
	case !alive && place > 0:
		return model.Say("ended-key-still-there"), draw.Late
	case alive && known && c.Belief.State == model.BeliefWaiting && c.Belief.Key != "" && place == 0 && now.Sub(c.Belief.At) >= doubtAfter:
		return model.Say("not-noticed-key-gone"), draw.Late
	case alive && c.Proc == model.ProcPaused && !c.Belief.At.IsZero():
		return model.Say("paused-said-so", model.Verbatim(draw.Age(now.Sub(c.Belief.At), false))), draw.Late
	case alive && c.Belief.State == model.BeliefLeaving && place > 0:
		return model.Say("asked-to-let-go"), draw.Dim
	case alive && known && c.Belief.State == model.BeliefLeaving:
		return model.Say("let-go-not-told"), draw.Dim
	}
	if !alive { // its last word binds nobody
		return model.Message{}, draw.Dim
	}
	return model.Message{}, draw.Plain
}
