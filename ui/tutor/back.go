package tutor

import (
	"locktop/ui/draw"
	"locktop/ui/host"
)

// toldMost bounds how many texts one can go back.
const toldMost = 200

// leave keeps what stands there as something that was read. While a text stands the world
// waits, so the moment at which it was left shows what it spoke of.
func (p *Panel) leave(v host.View) {
	then := *p
	then.readSteps, then.back, then.log, then.body = nil, 0, append([]string(nil), p.log...), nil
	then.has, then.plays, then.page = false, false, 0
	at := v.S.Now()
	if p.guides() && p.phase == seen { // the world went on
		at = p.seenAt
	}
	p.readSteps = append(p.readSteps[max(0, len(p.readSteps)-toldMost+1):], read{&then, at})
}

// visible is the panel that is shown: as it is now, or as it was.
func (p *Panel) visible() *Panel {
	if p.back == 0 {
		return p
	}
	return p.readSteps[len(p.readSteps)-p.back].panel
}

// IsBack says whether the person has gone back: then nothing goes on.
func (p *Panel) IsBack() bool { return p.Showing() && p.back > 0 }

// Now says that the console shows now again, by whatever way: so does the lesson.
func (p *Panel) Now() []host.Intent {
	if p == nil {
		return nil
	}
	p.back = 0
	return p.Turned()
}

// whyNotBack says why one cannot go back a step, "" if one can.
func (p *Panel) whyNotBack(v host.View) string {
	switch {
	case !p.Showing():
		return p.gone(v)
	case p.visible().page > 0:
		return ""
	case p.back == 0 && (p.acts() || p.begun && p.step.Kind == "" && p.err == nil):
		return v.Th.Say("tutor-busy-back")
	case p.back == len(p.readSteps):
		return v.Th.Say("tutor-first")
	}
	return ""
}

// goBack shows the part of the text before this one, or the step before, with the screen as it
// was then.
func (p *Panel) goBack(host.View) []host.Intent {
	p.folded, p.has = false, false
	if s := p.visible(); s.page > 0 {
		s.page--
		return nil
	}
	p.back++
	return p.look()
}

// forward shows the next part of a text that was read, or the next step, up to now.
func (p *Panel) forward() []host.Intent {
	if s := p.visible(); s.page < s.pages-1 {
		s.page++
		return nil
	}
	p.back--
	return p.look()
}

// look moves the screen to the moment of what is shown.
func (p *Panel) look() []host.Intent {
	if p.back == 0 {
		return []host.Intent{host.Rewind{}}
	}
	was := p.readSteps[len(p.readSteps)-p.back]
	was.panel.page = 0
	return []host.Intent{host.Rewind(was.at)}
}

// Turned selects the lock of what is shown once the screen shows its moment.
func (p *Panel) Turned() []host.Intent {
	if p.Showing() && p.visible().lock != "" {
		return []host.Intent{host.Select(p.visible().lock)}
	}
	return nil
}

// Texts is the line under the page while the person has gone back.
func (p *Panel) Texts(v host.View) []draw.Span {
	as := v.Th.Say("tutor-as-then")
	if p.guides() {
		as = v.Th.Say("tutor-as-then-guide")
	}
	return []draw.Span{draw.Armed.Of(" " + v.Th.Say("tutor-past") + " "), draw.Plain.Of(" " + as + "   "),
		draw.Accent.Of("esc"), draw.Plain.Of(" " + v.Th.Say("tutor-to-now"))}
}

// hintBack stands in the title while the person has gone back.
func (p *Panel) hintBack(th *draw.Theme) []draw.Span {
	n := len(p.readSteps) + 1
	what := th.Say("tutor-forward")
	if s := p.visible(); s.page < s.pages-1 {
		what = th.Say("tutor-more")
	}
	return []draw.Span{draw.Dim.Of(th.Say("tutor-step", n-p.back, n) + "  "), draw.Accent.Of("n"), draw.Plain.Of(" " + what + "  "),
		draw.Accent.Of("u"), draw.Plain.Of(" " + th.Say("tutor-back"))}
}

// backKeys are those by which one goes back a step.
func (p *Panel) backKeys(on host.Where) []host.Key {
	return []host.Key{{Keys: []string{"u", "backspace"}, Where: on | host.InLesson, What: "back-a-step-of-the-lesson",
		Needs: host.NeedsLesson, Frozen: true, Why: func(v host.View) string {
			if p.erases(v) {
				return ""
			}
			return p.whyNotBack(v)
		}, Do: func(v host.View) []host.Intent {
			if p.erases(v) {
				p.erase()
				return nil
			}
			return p.goBack(v)
		}}}
}
