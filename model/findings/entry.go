package findings

import "locktop/model"

// Needs says what has to be there to find something.
type Needs string

// What findings need.
const (
	NeedsEtcd        Needs = "etcd alone"
	NeedsProxy       Needs = "proxy in the path"
	NeedsVersion     Needs = "server version"
	NeedsClient      Needs = "the client's word"
	NeedsMetrics     Needs = "the members' own metrics"
	NeedsDeclaration Needs = "expected number of contenders"
)

// Message says what is needed.
func (n Needs) Message() model.Message {
	switch n {
	case NeedsProxy:
		return model.Say("needs-proxy")
	case NeedsVersion:
		return model.Say("needs-version")
	case NeedsClient:
		return model.Say("needs-client")
	case NeedsMetrics:
		return model.Say("needs-metrics")
	case NeedsDeclaration:
		return model.Say("needs-declaration")
	}
	return model.Say("needs-etcd")
}

// Entry is what is known of one kind of finding, for somebody who has to act on it.
type Entry struct {
	Code model.Code
	// Place is where it stands in the catalogue, which begins with what a diagnosis asks
	// first. Places are counted in tens, so that one more fits between two.
	Place int
	// Severity is the worst that it may be; NotFound says why no rule finds it yet, nothing where one does.
	Severity model.Severity
	NotFound model.Message
	Title    model.Message // one line, plain words
	// Word is the state of a lock that has it, in 14 cells at most. Story is the same as
	// the headline of a verdict, of [theLock].
	Word, Story model.Message
	// Mechanism is what happens, Looks how it shows, Do what to do first and what
	// not to do. One to four sentences each.
	Mechanism, Looks, Do model.Message
	// Threads are where it was reported or fixed: owner/repository#number, or only
	// repository#number.
	Threads []string
	// Needs is what it takes to find it: first what Confidence rests on, then what
	// makes it surer. If NeedsEtcd is not the first, etcd shows no sign of it that
	// would be worth a finding.
	Needs []Needs
	// Confidence is the most that may be claimed with the first of Needs.
	Confidence model.Confidence
	// Breaking says whether breaking the claim that it is about is a cure.
	Breaking Breaking
}

// Breaking says what comes of breaking the claim that a finding is about: of a delete,
// or of a revoke of its lease.
type Breaking struct {
	Effect BreakEffect
	// Why is said before anybody breaks it. Where the finding is about no claim, it says
	// what to do instead.
	Why model.Message
}

// BreakEffect is what breaking a claim does about a finding.
type BreakEffect string

// Effects of breaking.
const (
	BreakNone     BreakEffect = ""         // the finding is never about a claim
	BreakCures    BreakEffect = "cure"     // under the condition that Why names
	BreakHarmless BreakEffect = "harmless" // it takes nothing from anybody, and is not needed
	BreakWrong    BreakEffect = "wrong"    // it does not help, or it harms
)

// Words say what comes of breaking the claim, in one sentence.
func (b Breaking) Words() model.Message {
	switch b.Effect {
	case BreakCures:
		return model.Say("breaking-cures", b.Why)
	case BreakHarmless:
		return model.Say("breaking-harms-nobody", b.Why)
	case BreakWrong:
		return model.Say("breaking-is-wrong", b.Why)
	}
	return model.Say("no-claim-to-break", b.Why)
}

// theLock stands in a headline for the lock, or for how many there are.
const theLock model.Verbatim = "{lock}"

// What several findings have in common.
var (
	HolderDead  = model.Say("break-holder-dead")
	WriterGone  = model.Say("break-writer-gone")
	GhostAtWork = model.Say("break-ghost-at-work")
	GoneStopIt  = model.Say("break-gone-stop-it")
)
