package guide

import (
	tea "github.com/charmbracelet/bubbletea"

	"locktop/model"
	"locktop/ui/draw"
	"locktop/ui/host"
	"locktop/ui/page"
)

// Pane is the guide, and how far it has come.
type Pane struct {
	h host.Host
	scene

	at     int // the step, len(steps) after the last
	begun  bool
	phase  phase
	facts  facts // nil: there is no queue to speak of
	folded bool
	closed bool
}

// New returns the guide about the queue of a lock.
func New(h host.Host, lock string) *Pane { return &Pane{h: h, scene: scene{lock: lock}} }

// Showing says whether there is a pane.
func (p *Pane) Showing() bool { return p != nil && !p.closed }

// Has says that the keyboard is with a question: the guide asks none.
func (p *Pane) Has() bool { return false }

// ended says whether all steps are done.
func (p *Pane) ended() bool { return p.at == len(steps) }

// Look takes in what the model shows. A step that was done stays done, and a person who does
// the next one need not say so first.
func (p *Pane) Look() {
	f := p.h.Frame()
	if !p.Showing() || p.ended() || !f.S.Coverage().Loaded() {
		return
	}
	if !p.begun {
		p.begun = true
		steps[p.at].begin(&p.scene, f)
	}
	if p.phase == seen {
		if next := p.at + 1; next < len(steps) {
			if ph, facts := steps[next].look(&p.scene, f); ph != asked {
				p.at, p.phase, p.facts = next, ph, facts
				p.beginNext(f)
			}
		}
		return
	}
	p.phase, p.facts = steps[p.at].look(&p.scene, f)
	p.beginNext(f)
}

// beginNext lets the next step remember how all was, once this one is done.
func (p *Pane) beginNext(f page.Frame) {
	if p.phase == seen && p.at+1 < len(steps) {
		steps[p.at+1].begin(&p.scene, f)
	}
}

// WhyNot says why the guide does not go on by a key, "" if it does.
func (p *Pane) WhyNot() string {
	switch {
	case !p.Showing():
		return "the guide is closed"
	case p.phase == going && !p.folded && !p.ended():
		return "the guide goes on when the lab has done its part"
	}
	return ""
}

// GoOn shows the guide again, goes to the next step, or plays this one.
func (p *Pane) GoOn() tea.Cmd {
	switch {
	case p.folded:
		p.folded = false
	case p.ended():
		p.closed = true
	case p.phase == seen:
		p.at, p.phase, p.facts = p.at+1, asked, nil
		p.Look()
	default:
		return p.play()
	}
	return nil
}

// Fold hides the guide but for its title, or shows it again.
func (p *Pane) Fold() { p.folded = !p.folded }

// play does the step for the person, if the lab can.
func (p *Pane) play() tea.Cmd {
	a, why := steps[p.at].play(&p.scene, p.h.Frame())
	if why != "" {
		p.h.Say(draw.Late, p.h.Frame().Th.NotNow(why))
		return nil
	}
	return p.h.Ask(page.Target{}, []model.Action{a}, func(said host.Said) tea.Cmd { return p.h.Act(said.Acts[0]) })
}

// offers says whether nobody has pressed a key for so long that the guide offers to play the
// step.
func (p *Pane) offers() bool { return p.phase == asked && !p.ended() && p.h.Idle() >= offerAfter }
