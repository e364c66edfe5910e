package drill

import (
	"regexp"
	"slices"
	"strconv"

	"locktop/model"
)

// Phrase is a target in words: whom it means is decided when the fault is done.
type Phrase struct {
	// Place is 1 for "holder", 2 for "waiter 1", ...; 0: no such phrase.
	Place int
	Lock  string
	// LeaseOf and MemberOf are a contender's names.
	LeaseOf, MemberOf string
	// Leader and Follower are members by what they are now.
	Leader, Follower bool
	// Name is anything else, as it stands.
	Name string
}

var (
	placePhrase  = regexp.MustCompile(`^(?:holder|waiter ([1-9][0-9]?))(?: of (\S+))?$`)
	leasePhrase  = regexp.MustCompile(`^lease of (\S+)$`)
	memberPhrase = regexp.MustCompile(`^member of (\S+)$`)
)

// ParsePhrase reads what a target says. A lock that is not named is "".
func ParsePhrase(s string) Phrase {
	if m := placePhrase.FindStringSubmatch(s); m != nil {
		n, _ := strconv.Atoi(m[1]) // 0 for the holder
		p := Phrase{Place: n + 1}
		if m[2] != "" {
			p.Lock = lockName(m[2])
		}
		return p
	}
	if m := leasePhrase.FindStringSubmatch(s); m != nil {
		return Phrase{LeaseOf: m[1]}
	}
	if m := memberPhrase.FindStringSubmatch(s); m != nil {
		return Phrase{MemberOf: m[1]}
	}
	return Phrase{Leader: s == "leader", Follower: s == "a follower", Name: s}
}

// target checks a target, in words or by name, against what its kind is done to.
func (p *parser) target(line int, f model.Fault, info model.FaultInfo) {
	t := ParsePhrase(f.Target)
	switch info.Target {
	case model.TargetMember:
		p.memberPhrase(line, f.Target)
	case model.TargetProcess, model.TargetClaim:
		if t.LeaseOf != "" {
			p.fail(line, "%s is done to a contender, not to a lease: name it", f.Kind)
			return
		}
		p.contenderPhrase(line, t)
	case model.TargetClient:
		switch {
		case t.Name == "all":
		case t.LeaseOf != "" && f.Kind == model.FaultHoldKeepalives:
			p.knownContender(line, t.LeaseOf)
		case t.LeaseOf != "":
			p.fail(line, "only hold-keepalives can be done to a lease: name the contender")
		default:
			p.contenderPhrase(line, t)
		}
	}
}

func (p *parser) contenderPhrase(line int, t Phrase) {
	switch {
	case t.Place == 0:
		p.knownContender(line, t.Name)
	case t.Lock == "":
		p.onlyLock(line, "the place", "")
	case !slices.Contains(p.d.Lab.Locks(), t.Lock):
		p.fail(line, "nobody competes for the lock %s: want %s", t.Lock, orList(p.d.Lab.Locks()))
	}
}

// memberPhrase checks a member's name, "leader", "a follower" or "member of NAME".
func (p *parser) memberPhrase(line int, s string) {
	t := ParsePhrase(s)
	switch {
	case t.Leader || t.Follower || slices.Contains(p.d.Lab.MemberNames(), s):
	case t.MemberOf != "":
		p.knownContender(line, t.MemberOf)
		if c, ok := p.d.Lab.Contender(t.MemberOf); ok && c.Member == "" {
			p.fail(line, "%s knows every member: pin it, with member: m1", t.MemberOf)
		}
	default:
		p.fail(line, "there is no member %q: want %s, leader, a follower or member of NAME", s, orList(p.d.Lab.MemberNames()))
	}
}
