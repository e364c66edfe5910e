package page

import (
	"locktop/model"
	"locktop/ui/table"
)

// labFirst are the keys with which one acts.
var labFirst = []string{"F", "U", "tab", "P", "H", "K", "N", "x", "enter", "T", "A"}

func (p *labPage) About() About {
	about := About{Title: "Lab", Label: "page-lab", Go: "go-to-lab", Targets: true, Shows: ShowContender, First: labFirst}
	if !p.lab {
		about.Label, about.Go = "page-cluster", "go-to-cluster"
	}
	return about
}

func (p *labPage) Keys() []Key {
	turn := func(by int) func(Frame) Request {
		return func(f Frame) Request {
			if !f.Lab {
				return Request{Why: f.WhyNoLab()}
			}
			was := p.focused()
			if p.turn(f, by); p.focused() == was {
				return Request{Why: f.Th.Say("no-other-list-has-anything-to")}
			}
			return Request{}
		}
	}
	return []Key{
		queueOf(p.Lock),
		{Keys: []string{"tab"}, Group: KeysOfParts, Short: "key-list", What: "to-the-next-list", Do: turn(1)},
		{Keys: []string{"shift+tab"}, Group: KeysOfParts, What: "to-the-list-before", Do: turn(-1)},
		{Keys: []string{"U"}, Group: KeysThatAct, Short: "key-heal-it", What: "heal-the-selected-fault", Needs: NeedsLab, Kind: model.HealFault, Act: p.heal},
	}
}

// Show puts the cursor on a contender.
func (p *labPage) Show(_ Frame, r Request) {
	p.has = partContenders
	p.parts[partContenders].pick = Selection{ID: r.Program, Pinned: true}
}

func (p *labPage) Step() int { return p.parts[p.focused()].table.Step() }

// heal is the action that ends the marked fault.
func (p *labPage) heal(f Frame) (model.Action, string) {
	x, ok := p.Fault(f)
	if !ok {
		return model.Action{Kind: model.HealFault}, f.Th.Say("no-active-faults-word")
	}
	return model.Action{Kind: model.HealFault, Fault: x.Fault}, ""
}

// Target is a contender with its claim, or a member or a client.
func (p *labPage) Target(f Frame) Target {
	p.look(f)
	var t Target
	switch part := p.focused(); part {
	case partMembers:
		t.Other = Subject{Kind: model.TargetMember, Name: p.parts[part].pick.ID}
		t.Why = f.Th.Say("a-member-is-selected-f-shows")
		return t
	case partClients:
		t.Other = Subject{Kind: model.TargetClient, Name: p.parts[part].pick.ID}
		t.Why = f.Th.Say("this-client-is-not-a-process")
		return t
	case partFaults:
		t.Why = f.Th.Say("a-fault-is-selected-u-heals")
		return t
	}
	c, ok := p.contender(f)
	if !ok {
		t.Why = f.Th.Say("no-contender-is-selected")
		return t
	}
	t.Action.Contender, t.Action.Lock, t.Action.Recipe, t.Action.Lease = c.Name, c.Lock, c.Recipe, c.Lease
	t.Lock = f.S.Lock(c.Lock)
	t.Claim, _ = f.S.Reports().Truth(c)
	return t
}

func (p *labPage) Lock(f Frame) Request {
	c, ok := p.contender(f)
	if !ok || f.S.Lock(c.Lock) == nil {
		return Request{Why: f.Th.Say("this-contender-has-no-lock-to")}
	}
	return Request{Show: ShowQueue, Lock: c.Lock}
}

func (p *labPage) Finding(f Frame) (*model.Finding, string) {
	return findingAbout(f, p.Target(f).Lock)
}

func (p *labPage) Commands(f Frame) (string, []string) {
	return p.Target(f).Commands(f, clusterCommands)
}

func (p *labPage) Tables() map[string]*table.Table {
	return map[string]*table.Table{"members": &p.parts[partMembers].table, "contenders": &p.parts[partContenders].table}
}

func (p *labPage) Focus(f Frame) (name, why string) {
	switch {
	case !f.Lab:
		return "", f.WhyNoLab()
	case p.focused() == partMembers:
		return "members", ""
	case p.focused() == partContenders:
		return "contenders", ""
	}
	return "", f.Th.Say("the-columns-of-this-list-stay")
}
