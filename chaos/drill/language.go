package drill

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"locktop/model"
	"locktop/model/findings"
	"locktop/model/smallstores"
	"locktop/model/text"
)

// What a lesson says of a drill: what happens, and not how a file says it. The words stand in the
// catalogue.

// In says what was measured.
func (m Measured) In(lang string) string {
	switch {
	case m.Number == nil && m.Word == "":
		return text.Render(lang, model.Say("measured-nothing"))
	case m.Number != nil && m.Unit == Seconds:
		return text.Render(lang, model.Say("measured-seconds", fmt.Sprintf("%.1f", *m.Number)))
	case m.Number != nil:
		return fmt.Sprintf("%.0f", *m.Number)
	case m.Word == "nobody":
		return text.Render(lang, model.Say("measured-nobody"))
	}
	return text.Render(lang, listed(strings.Split(m.Word, "+"), false))
}

// In says what happens by a step, in a language.
func (s Step) In(lang string) string {
	if s.Wait != nil {
		_, met := s.Wait.In(lang)
		return met
	}
	return text.Render(lang, s.message())
}

// message says what happens by a step that does something.
func (s Step) message() model.Message {
	switch {
	case s.Fault != nil:
		return happens(s.Fault.Kind, whom(s.Fault.Target))
	case s.Heal != nil && s.Heal.Kind == "":
		return model.Say("story-all-healed")
	case s.Heal != nil:
		return over(s.Heal.Kind, whom(s.Heal.Target))
	case s.Start != "":
		return model.Say("story-starts", s.Start)
	case s.Tell != nil:
		return actOfWord(s.Tell.Word, s.Tell.Contender)
	case s.Pause > 0:
		return model.Say("story-runs-for", s.Pause)
	case s.Stores != "":
		return smallstores.Told(s.Stores)
	}
	return model.Message{}
}

// whom is the target of a fault in words.
func whom(target string) any {
	if target == "all" {
		return model.Say("story-every-program")
	}
	return target
}

// ActionIn says what somebody did to a lab.
func ActionIn(lang string, a model.Action) string {
	return text.Render(lang, actionMessage(a))
}

func actionMessage(a model.Action) model.Message {
	switch a.Kind {
	case model.InjectFault:
		return Step{Fault: &a.Fault}.message()
	case model.HealFault:
		return Step{Heal: &a.Fault}.message()
	case model.HealAll:
		return Step{Heal: &model.Fault{}}.message()
	case model.TellProc:
		return Step{Tell: &Tell{Contender: a.Contender, Word: a.Word}}.message()
	case model.RevokeLease:
		return model.Say("story-lease-revoked", a.Lease.String())
	case model.DeleteClaim:
		return model.Say("story-claim-deleted", a.Key)
	case model.SpawnProc:
		if a.Contender == "" {
			return model.Say("story-new-program", a.Lock)
		}
		return Step{Start: a.Contender}.message()
	}
	return a.Message()
}

// happens says what a fault does.
func happens(kind model.FaultKind, who any) model.Message {
	if kind == model.FaultStopMember && who == "leader" { // whichever member that is
		return model.Say("story-stop-leader")
	}
	info, _ := kind.Info()
	return about(info.Story, who)
}

// over says that a fault is over, in words of its own or by what it did.
func over(kind model.FaultKind, who any) model.Message {
	if info, _ := kind.Info(); info.Over != "" {
		return about(info.Over, who)
	}
	return model.Say("story-no-longer", happens(kind, who))
}

// about says a sentence of somebody, nothing where there is none.
func about(sentence model.MessageID, who any) model.Message {
	if sentence == "" {
		return model.Message{}
	}
	return model.Message{ID: sentence, Args: []any{who}}
}

// actOfWord says what a contender does that was told a word.
func actOfWord(said, who string) model.Message {
	word, _, _ := strings.Cut(said, " ")
	return about(tells[word], who)
}

// tells are the sentences for what contenders are told.
var tells = map[string]model.MessageID{
	"lock":         "story-told-lock",
	"unlock":       "story-told-unlock",
	"lock-again":   "story-told-lock-again",
	"unlock-again": "story-told-unlock-again",
	"resign-again": "story-told-resign-again",
	"return":       "story-told-return",
	"read":         "story-told-read",
	"put":          "story-told-put",
	"write":        "story-told-write",
	"close":        "story-told-close",
	"drop":         "story-told-drop",
	"renew":        "story-told-renew",
	"queue-by":     "story-told-queue-by",
	"rewrite":      "story-told-rewrite",
	"proclaim":     "story-told-proclaim",
	"give-up":      "story-told-give-up",
	"abandon":      "story-told-abandon",
	"observe":      "story-told-observe",
	"observed":     "story-told-observed",
	"leader":       "story-told-leader",
	"claim":        "story-told-claim",
	"get":          "story-told-get",
	"watch":        "story-told-watch",
	"enter":        "story-told-enter",
	"look":         "story-told-look",
	"save-if":      "story-told-save-if",
	"unlock-if":    "story-told-unlock-if",
	"take-if":      "story-told-take-if",
	"ttl":          "story-told-ttl",
	"renew-every":  "story-told-renew-every",
	"delete":       "story-told-delete",
	"rule":         "story-told-rule",
}

// In says what a wait waits for, and that it is so.
func (w *Wait) In(lang string) (want, met string) {
	wants, mets := w.messages()
	return text.Render(lang, clauses(wants)), text.Render(lang, clauses(mets))
}

// clauses put messages one after another into a sentence.
func clauses(all []model.Message) (m model.Message) {
	for i, next := range all {
		if m = model.Say("clauses", m, next); i == 0 {
			m = next
		}
	}
	return m
}

func (w *Wait) messages() (wants, mets []model.Message) {
	add := func(want, met model.Message) { wants, mets = append(wants, want), append(mets, met) }
	if w.Nobody {
		add(model.Say("want-nobody-holds", w.Lock), model.Say("met-nobody-holds", w.Lock))
	}
	said := maps.Clone(w.Beliefs)
	for _, name := range w.Holders {
		if said[name] == model.BeliefHolding {
			delete(said, name)
			add(model.Say("want-holds-knowing", name, w.Lock), model.Say("met-holds-knowing", name, w.Lock))
		} else {
			add(model.Say("want-holds", name, w.Lock), model.Say("met-holds", name, w.Lock))
		}
	}
	maps.DeleteFunc(said, func(name string, state model.BeliefState) bool {
		return state == model.BeliefWaiting && slices.Contains(w.Waiters, name)
	})
	switch names, n := listed(w.Waiters, true), len(w.Waiters); {
	case n == 1 && len(w.Holders) > 0:
		add(model.Say("want-waits-behind", names), model.Say("met-waits-behind", names))
	case n > 1 && len(w.Holders) > 0:
		add(model.Say("want-wait-behind", names), model.Say("met-wait-behind", names))
	case n == 1:
		add(model.Say("want-waits-for", names, w.Lock), model.Say("met-waits-for", names, w.Lock))
	case n > 1:
		add(model.Say("want-wait-for", names, w.Lock), model.Say("met-wait-for", names, w.Lock))
	}
	for _, name := range w.Gone {
		add(model.Say("want-gone", name, w.Lock), model.Say("met-gone", name, w.Lock))
	}
	if w.Queue >= 0 {
		add(model.Say("want-keys", w.Lock, w.Queue), model.Say("met-keys", w.Lock, w.Queue))
	}
	for _, state := range []model.BeliefState{model.BeliefHolding, model.BeliefWaiting, model.BeliefLost, model.BeliefLeaving, model.BeliefIdle} {
		var names []string
		for _, name := range slices.SortedFunc(maps.Keys(said), byNumber) {
			if said[name] == state {
				names = append(names, name)
			}
		}
		if len(names) > 0 {
			add(believing(state, listed(names, true), len(names) > 1))
		}
	}
	for _, name := range slices.Sorted(maps.Keys(w.Says)) {
		add(model.Say("want-answer", name), model.Say("met-answer", name))
	}
	for _, name := range w.Alive {
		add(model.Say("want-runs", name), model.Say("met-runs", name))
	}
	switch who := listed(w.Ended, true); len(w.Ended) {
	case 0:
	case 1:
		add(model.Say("want-ends", who), model.Say("met-ends", who))
	default:
		add(model.Say("want-end", who), model.Say("met-end", who))
	}
	if w.Acquisitions > 0 {
		add(model.Say("want-turns", w.Acquisitions), model.Say("met-turns", w.Acquisitions))
	}
	for _, code := range w.Findings {
		found := model.Say("want-found", findings.Problem(&model.Finding{Code: code}))
		add(found, found)
	}
	for _, code := range w.Absent {
		problem := findings.Problem(&model.Finding{Code: code})
		add(model.Say("want-over", problem), model.Say("met-over", problem))
	}
	if w.Leader != "" {
		add(model.Say("want-leader", w.Leader), model.Say("want-leader", w.Leader))
	}
	if w.Up > 0 {
		add(model.Say("want-up", w.Up), model.Say("met-up", w.Up))
	}
	return wants, mets
}

// believing says what one or several are to believe, and that they do.
func believing(state model.BeliefState, who model.Message, many bool) (want, met model.Message) {
	switch state {
	case model.BeliefHolding:
		if many {
			return model.Say("want-all-holding", who), model.Say("met-all-holding", who)
		}
		return model.Say("want-one-holding", who), model.Say("met-one-holding", who)
	case model.BeliefWaiting:
		if many {
			return model.Say("want-all-waiting", who), model.Say("met-all-waiting", who)
		}
		return model.Say("want-one-waiting", who), model.Say("met-one-waiting", who)
	case model.BeliefLost:
		if many {
			return model.Say("want-all-lost", who), model.Say("met-all-lost", who)
		}
		return model.Say("want-one-lost", who), model.Say("met-one-lost", who)
	case model.BeliefLeaving:
		if many {
			return model.Say("want-all-leaving", who), model.Say("met-all-leaving", who)
		}
		return model.Say("want-one-leaving", who), model.Say("met-one-leaving", who)
	case model.BeliefIdle:
		if many {
			return model.Say("want-all-idle", who), model.Say("met-all-idle", who)
		}
		return model.Say("want-one-idle", who), model.Say("met-one-idle", who)
	}
	return model.Message{}, model.Message{}
}

// listed are names as one writes them in a sentence. Of many that are numbered one after
// another, if short says so, the first and the last are named.
func listed(names []string, short bool) model.Message {
	n := len(names) - 1
	if kind := numbered(names); short && n > 2 && kind != "" {
		return model.Say("names-numbered", kind, n+1)
	}
	var all []model.Message
	for _, name := range names {
		all = append(all, model.Say("a-name", name))
	}
	switch {
	case n < 0:
		return model.Message{}
	case n == 0:
		return all[0]
	}
	return model.Say("names-and", all[:n], all[n])
}

// byNumber puts h2 before h10.
func byNumber(a, b string) int { return cmp.Or(cmp.Compare(len(a), len(b)), cmp.Compare(a, b)) }

// numbered is what the names begin with, if they are all from NAME1 to NAMEn, else "".
func numbered(names []string) string {
	if len(names) == 0 {
		return ""
	}
	kind := strings.TrimRight(names[0], "0123456789")
	for i := range names {
		if names[i] != kind+strconv.Itoa(i+1) {
			return ""
		}
	}
	return kind
}

// sentences say what came of an expectation.
var sentences = map[string]map[Verdict]model.Message{
	"one-holder":      {Held: model.Say("came-one-holder-held"), Violated: model.Say("came-one-holder-violated"), Unknown: model.Say("came-one-holder-unknown")},
	"fifo":            {Held: model.Say("came-fifo-held"), Violated: model.Say("came-fifo-violated"), Unknown: model.Say("came-fifo-unknown")},
	"overlap":         {Held: model.Say("came-overlap-held"), Violated: model.Say("came-overlap-violated"), Unknown: model.Say("came-overlap-unknown")},
	"handover":        {Held: model.Say("came-handover-held"), Violated: model.Say("came-handover-violated"), Unknown: model.Say("came-handover-unknown")},
	"failed-attempts": {Held: model.Say("came-failed-attempts-held"), Violated: model.Say("came-failed-attempts-violated"), Unknown: model.Say("came-failed-attempts-unknown")},
	"lost-updates":    {Held: model.Say("came-lost-updates-held"), Violated: model.Say("came-lost-updates-violated"), Unknown: model.Say("came-lost-updates-unknown")},
	"no-lost-update":  {Held: model.Say("came-no-lost-update-held"), Violated: model.Say("came-no-lost-update-violated"), Unknown: model.Say("came-no-lost-update-unknown")},
	"no-old-token":    {Held: model.Say("came-no-old-token-held"), Violated: model.Say("came-no-old-token-violated"), Unknown: model.Say("came-no-old-token-unknown")},
	"answer":          {Held: model.Say("came-answer-held"), Violated: model.Say("came-answer-violated"), Unknown: model.Say("came-answer-unknown")},
}

// NumbersIn says in a language what was measured, and the bound; empty for what there is not.
func (r Result) NumbersIn(lang string) (measured, bound string) {
	amount := func(f float64) model.Message {
		if r.Unit == Seconds {
			return model.Say("measured-seconds", strings.TrimSuffix(r.amount(f), " s"))
		}
		return model.Say("quote", r.amount(f))
	}
	switch {
	case r.Measured != nil:
		measured = text.Render(lang, amount(*r.Measured))
	case r.Bound != nil:
		measured = text.Render(lang, model.Say("measured-no-number"))
	}
	switch {
	case r.Bound != nil && r.Least:
		bound = text.Render(lang, model.Say("bound-least", amount(*r.Bound)))
	case r.Bound != nil:
		bound = text.Render(lang, model.Say("bound-most", amount(*r.Bound)))
	}
	return measured, bound
}

// Sentence says what came of an expectation, "" where there are no words for it.
func (r Result) Sentence(lang string) string { return text.Render(lang, sentences[r.Name][r.Verdict]) }

// Untold counts the texts of a drill that are not there in a language, and all of them.
func (d *Drill) Untold(lang string) (lacking, all int) {
	count := func(texts ...Text) {
		for _, t := range texts {
			if len(t) == 0 {
				continue
			}
			if all++; t[lang] == "" {
				lacking++
			}
		}
	}
	count(d.Title, d.Why)
	for _, s := range d.Steps {
		count(s.Say)
		if s.Ask == nil {
			continue
		}
		count(s.Ask.Text, s.Ask.After)
		for _, o := range s.Ask.Options {
			count(o.Text, o.Why)
		}
	}
	return lacking, all
}
