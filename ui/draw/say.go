package draw

import (
	"locktop/model"
	"locktop/model/findings"
	"locktop/model/text"
)

// Summary says what is found, in a sentence.
func (th *Theme) Summary(f *model.Finding) string { return th.Message(f.Summary) }

// Say says the message of that id about some arguments.
func (th *Theme) Say(id model.MessageID, args ...any) string {
	return th.Message(model.Message{ID: id, Args: args})
}

// Messages say each message of a list.
func (th *Theme) Messages(list []model.Message) (all []string) {
	for _, m := range list {
		all = append(all, th.Message(m))
	}
	return all
}

// How says how a verdict came.
func (th *Theme) How(v findings.Verdict) string { return th.FormatSentence(v.How(th.Lang)) }

// FormatConfidence says how sure something is.
func (th *Theme) FormatConfidence(c model.Confidence) string {
	return text.Word(th.Lang, c)
}

// FaultKind is what a kind of fault is called, does, and what healing it does.
func (th *Theme) FaultKind(info model.FaultInfo) (name, what, heal string) {
	if name = string(info.Kind); th.Lang == text.Chinese {
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
