package draw

import (
	"locktop/model"
	"locktop/model/findings"
	"locktop/model/journal"
	"locktop/model/locks"
	"locktop/model/text"
)

// Summary says what is found, in a sentence.
func (th *Theme) Summary(f *model.Finding) string { return th.Message(f.Summary) }

// Say says the message of that id about some arguments.
func (th *Theme) Say(id model.MessageID, args ...any) string {
	return th.Message(model.Message{ID: id, Args: args})
}

// Word says a role, a state or a verdict.
func (th *Theme) Word(value any) string { return text.Word(th.Lang, value) }

// sources are what can say who a claim belongs to.
var sources = map[string]model.MessageID{"proxy": "source-proxy", "value": "source-value", "sibling": "source-sibling", "uuid": "source-uuid"}

// SourceOf is where it is known from who somebody is, in brackets after a blank, "" for no source.
func (th *Theme) SourceOf(id locks.Identity) string {
	if source, known := sources[id.Source]; known {
		return " " + th.Say(source)
	}
	return ""
}

// kinds are those of entries.
var kinds = map[journal.Kind]model.MessageID{journal.Queued: "kind-queued", journal.Acquired: "kind-acquired", journal.Shared: "kind-shared", journal.Left: "kind-left",
	journal.Handover: "kind-handover", journal.First: "kind-first", journal.Blocked: "kind-blocked", journal.Together: "kind-together", journal.Finding: "kind-finding",
	journal.Gap: "kind-gap", journal.Member: "kind-member", journal.Action: "kind-action", journal.Drill: "kind-drill", journal.Lab: "kind-lab"}

// Kind is a kind of entry in a word.
func (th *Theme) Kind(k journal.Kind) string { return th.Say(kinds[k]) }

// tables are those of which a person chooses the columns, by name.
var tables = map[string]model.MessageID{"locks": "table-locks", "queue": "table-queue", "sessions": "table-sessions", "findings": "table-findings", "members": "table-members", "contenders": "table-contenders"}

// TableName is how a table is called.
func (th *Theme) TableName(name string) string { return th.Say(tables[name]) }

// Messages say each message of a list.
func (th *Theme) Messages(list []model.Message) (all []string) {
	for _, m := range list {
		all = append(all, th.Message(m))
	}
	return all
}

// Problem is what a finding is called, as the state of a lock calls it, with a capital.
func (th *Theme) Problem(f *model.Finding) string {
	return model.Capital(th.Message(findings.Problem(f)))
}

// How says how a verdict came.
func (th *Theme) How(v findings.Verdict) string { return th.FormatSentence(v.How(th.Lang)) }

// FormatConfidence says how sure something is.
func (th *Theme) FormatConfidence(c model.Confidence) string {
	return text.Word(th.Lang, c)
}

// FaultKind is what a kind of fault is called, does, and what healing it does.
func (th *Theme) FaultKind(info model.FaultInfo) (name, what, heal string) {
	if name = string(info.Kind); th.Lang != "" && th.Lang != "en" {
		name = th.Message(info.Name)
	}
	return name, th.Message(info.What), th.Message(info.Heal)
}

// Fault says what a fault is.
func (th *Theme) Fault(f model.Fault) string { return th.Message(f.Message()) }

// FormatOutcome says what was done, or why not.
func (th *Theme) FormatOutcome(o model.Outcome) string {
	return th.Message(o.Message())
}

// Message says a message in the language of the lesson.
func (th *Theme) Message(m model.Message) string {
	return th.FormatSentence(text.Render(th.Lang, m))
}
