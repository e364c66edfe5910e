package page

import (
	"slices"

	"locktop/model"
	"locktop/model/locks"
	"locktop/model/reports"
	"locktop/ui/draw"
	"locktop/ui/table"
)

// claimsLeast is how many claims of a queue, if it has so many, are worth more than a line of who only believes.
const claimsLeast = 2

// believersOf are the contenders that say for long enough that they hold the lock, and have no key in its queue.
func believersOf(f Frame, l *locks.Lock) []reports.ContenderInfo {
	if f.Uncertain.Count(f.Now) == 0 {
		return nil
	}
	return slices.DeleteFunc(f.S.Reports().Contenders(), func(c reports.ContenderInfo) bool {
		_, place := f.S.Reports().Truth(c)
		return c.Lock != l.Name || place > 0 || !f.Uncertain.Alarming(c.Name, f.Now)
	})
}

// believerCell says of one of them what stands under a title of the queue: it is no claim, so most is empty.
func believerCell(f Frame, c reports.ContenderInfo, title model.MessageID, r *table.Row) {
	th := f.Th
	switch title {
	case "title-role":
		room := r.Room() - draw.Width(th.Sign.Bad) - 1
		r.Add(draw.Belief, th.Sign.Bad+" "+th.Fitting(room, model.Say("believes"), func() []model.Message { return []model.Message{model.Say("believes-falsely")} }))
	case "title-who":
		r.Add(draw.Plain, th.Cut(th.Escape(c.Name), r.Room()))
	case "title-key":
		r.Add(draw.Dim, th.Cut(th.Say("no-key"), r.Room()))
	case "title-lease":
		ago := model.Verbatim(draw.Age(f.Exact().Sub(f.Uncertain[c.Name]), false))
		r.Add(draw.Belief, th.Cut(th.Fitting(r.Room(), model.Say("lost-it-ago", ago), func() []model.Message { return []model.Message{model.Say("lost-it", ago)} }), r.Room()))
	case "title-waits-for":
		r.Add(draw.Dim, th.Cut(th.Fitting(r.Room(), model.Say("only-it-says-so"), func() []model.Message { return []model.Message{model.Say("its-word")} }), r.Room()))
	}
}
