package page

import (
	"locktop/model"
	"locktop/model/locks"
	"locktop/model/status"
	"locktop/ui/draw"
	"locktop/ui/fields"
	"locktop/ui/table"
)

func waitingText(th *draw.Theme, who string, room int) string {
	if text := th.Say("behind", model.Verbatim(who)); draw.Width(text) <= room {
		return text
	}
	return th.CutKey(who, room)
}

// noteLeast is how many cells the column of notes has in any case, noteCells how many are its own at
// most where one says more.
const (
	noteLeast = 20
	noteCells = 32
)

// noteIn is what there is to say of a claim besides, in so many cells: a finding about it, and the other
// locks in which its lease stands. Where both have no room there is only a sign of the finding, which
// stands above.
func noteIn(th *draw.Theme, f table.View, c *fields.Claim, room int) (draw.Style, string) {
	x := status.Worst(f.S, c.L, c.Claim)
	if x == nil || x.Severity == model.SevInfo {
		return draw.Dim, sideNote(th, c.L, c.Claim)
	}
	st, sign := th.Severity(x.Severity)
	text := sign + " " + th.Problem(x)
	if left, ok := c.LeaseInfo().Remaining(f.Now); ok && x.Code == model.CodeDeadWaiter && c.Role != model.RoleHolds {
		text += th.Say("idles-up-to", left)
	}
	if also := sideNote(th, c.L, c.Claim); also != "" {
		if whole := text + th.Say("comma") + also; draw.Width(whole) <= room || draw.Width(sign+" "+also) > room {
			text = whole
		} else {
			text = sign + " " + also
		}
	}
	return st, text
}

// sideNote names the other locks in which the lease of a claim stands.
func sideNote(th *draw.Theme, l *locks.Lock, c *locks.Claim) string {
	lease := c.LeaseInfo()
	if lease == nil {
		return ""
	}
	all := lease.Claims()
	var said []model.Message
	for _, o := range all[:min(len(all), alsoMax)] {
		other := o.Lock()
		if o == c || other == nil || other == l {
			continue
		}
		if len(said) == 2 {
			break
		}
		name := model.Verbatim(th.CutPath(th.Clean(other.Name), 24))
		switch status.Role(other, o) {
		case model.RoleMember:
			said = append(said, model.Say("stands-in", name))
		case model.RoleHolds:
			said = append(said, model.Say("holds-lock", name))
		default:
			said = append(said, model.Say("waits-for", name))
		}
	}
	if len(said) == 0 {
		return ""
	}
	if more := len(all) - 1 - len(said); more > 0 {
		return th.Say("also-more", said, more)
	}
	return th.Say("also", said)
}
