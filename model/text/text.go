// Package text has the words of all messages: the one place where a [model.Message] becomes a
// sentence.
//
// A sentence is a row of a table, in English and Chinese; each other language is a file of its own,
// see [Language]. In it {0} stands for the first
// argument, {0|key|keys} for the first word if that argument is 1 and else for the second, and
// {0:s} for a duration in seconds, to the tenth. How an argument is written follows from its
// type, in the same way in every language: names and keys are escaped for a terminal.
package text

import (
	"bytes"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"locktop/model"
)

// Sentence is one message in words, in each language.
type Sentence struct{ English, Chinese string }

// catalogue is the table of all sentences, of the tables of each part.
var catalogue = map[model.MessageID]Sentence{}

func init() {
	for _, part := range parts {
		for id, s := range part {
			if _, twice := catalogue[id]; twice {
				panic("text: two sentences are called " + string(id))
			}
			catalogue[id] = s
		}
	}
}

// Catalogue returns the table of all sentences, which is not to be changed.
func Catalogue() map[model.MessageID]Sentence { return catalogue }

// Chinese is the language that stands beside English in each row.
const Chinese = "zh"

// Render says a message in a language, escaped for a terminal, "" for the zero Message. A
// language that nobody knows is English.
func Render(lang string, m model.Message) string { return speaker{lang}.say(m) }

// English says a message in English.
func English(m model.Message) string { return Render("en", m) }

// RenderAll says each message of a list. It returns nil for an empty list.
func RenderAll(lang string, list []model.Message) (all []string) {
	for _, m := range list {
		all = append(all, Render(lang, m))
	}
	return all
}

// EnglishAll says each message of a list in English.
func EnglishAll(list []model.Message) []string { return RenderAll("en", list) }

// Refusal is why something cannot be done, as an error. Its words are English.
type Refusal struct{ Why model.Message }

func (r Refusal) Error() string { return English(r.Why) }

// Refused says an error in a language: in English, but for a [Refusal].
func Refused(lang string, err error) string {
	var r Refusal
	if errors.As(err, &r) {
		return Render(lang, r.Why)
	}
	return err.Error()
}

// speaker says messages in a language.
type speaker struct{ lang string }

// words returns a sentence in the language.
func (sp speaker) words(s Sentence) string {
	switch l, more := languages[sp.lang]; {
	case sp.lang == Chinese:
		return s.Chinese
	case more && l.Words[s.English] != "":
		return l.Words[s.English]
	}
	return s.English
}

// say fills the sentence of a message.
func (sp speaker) say(m model.Message) string {
	if m.IsZero() {
		return ""
	}
	s, known := catalogue[m.ID]
	if !known {
		return model.Printable(fmt.Sprintf("[%s %v]", m.ID, m.Args)) // a recording may hold any
	}
	rest := languages[sp.lang].Sentences[m.ID]
	if rest == "" {
		rest = sp.words(s)
	}
	if len(m.Args) == 0 {
		return rest
	}
	if rest == "{0}" && m.Args[0] == "" { // what somebody said, and nobody said anything
		return ""
	}
	b := make([]byte, 0, len(rest)+16)
	for {
		before, after, found := strings.Cut(rest, "{")
		b = append(b, before...)
		if !found {
			return string(b)
		}
		var gap string
		gap, rest, _ = strings.Cut(after, "}")
		said := sp.fill(gap, m.Args)
		if sp.lang == Chinese {
			if startsHan(said) && bytes.HasSuffix(b, space) && endsHan(b[:len(b)-1]) {
				b = b[:len(b)-1]
			}
			if endsHan([]byte(said)) && strings.HasPrefix(rest, " ") && startsHan(rest[1:]) {
				rest = rest[1:]
			}
		}
		b = append(b, said...)
	}
}

// space stands in a Chinese sentence between its own characters and those of a name, but not where the
// name is Chinese, too.
var space = []byte(" ")

func startsHan(s string) bool {
	r, _ := utf8.DecodeRuneInString(s)
	return unicode.Is(unicode.Han, r)
}

func endsHan(s []byte) bool {
	r, _ := utf8.DecodeLastRune(s)
	return unicode.Is(unicode.Han, r)
}

// fill returns what stands in a gap of a sentence: "0", "0:s", "0|key|keys".
func (sp speaker) fill(gap string, args []any) string {
	at, forms, plural := strings.Cut(gap, "|")
	at, verb, _ := strings.Cut(at, ":")
	i, err := strconv.Atoi(at)
	if err != nil || i >= len(args) {
		return "[" + gap + "]"
	}
	if plural {
		one, many, _ := strings.Cut(forms, "|")
		if isOne(args[i]) {
			return one
		}
		return many
	}
	if verb == "title" { // that begins the sentence
		return model.Capital(sp.write(args[i]))
	}
	if write := verbs[verb]; write != nil {
		return write(sp.lang, args[i])
	}
	return sp.write(args[i])
}

// isOne says whether an argument is the number 1, however it is given.
func isOne(arg any) bool {
	switch x := arg.(type) {
	case int:
		return x == 1
	case model.Verbatim:
		return x == "1"
	}
	return fmt.Sprint(arg) == "1"
}

// verbs are the ways to write an argument that a sentence may ask for: a duration in seconds or
// in milliseconds, to the tenth, as a latency or as Go writes it, a number in hexadecimal, a key in quotes, and
// the command that lets a role read the keys under a prefix.
var verbs = map[string]func(lang string, arg any) string{
	"s": func(_ string, arg any) string { d, _ := arg.(time.Duration); return model.Seconds(d) },
	"ms": func(_ string, arg any) string {
		d, _ := arg.(time.Duration)
		return fmt.Sprintf("%.1f ms", d.Seconds()*1000)
	},
	"lat":   func(_ string, arg any) string { d, _ := arg.(time.Duration); return model.Latency(d) },
	"go":    func(_ string, arg any) string { d, _ := arg.(time.Duration); return d.String() },
	"q":     func(_ string, arg any) string { return fmt.Sprintf("%q", arg) },
	"grant": func(_ string, arg any) string { prefix, _ := arg.(string); return model.GrantRead(prefix) },
	"x":     func(_ string, arg any) string { return fmt.Sprintf("%x", arg) },
}

// write writes an argument by its type.
func (sp speaker) write(arg any) string {
	switch x := arg.(type) {
	case string:
		return model.PrintableName(x)
	case model.Verbatim:
		return string(x)
	case int:
		return strconv.Itoa(x)
	case model.Message:
		return sp.say(x)
	case []model.Message:
		all := make([]string, len(x))
		for i, m := range x {
			all[i] = sp.say(m)
		}
		return strings.Join(all, sp.words(comma))
	case time.Duration:
		return model.Duration(x, false)
	case model.Span:
		return model.Duration(x.For, x.AtLeast)
	case time.Time:
		return x.Format(time.RFC3339)
	case model.Fault:
		return sp.say(x.Message())
	case model.FaultKind:
		if info, known := x.Info(); sp.lang != "" && sp.lang != "en" && known {
			return sp.say(info.Name)
		}
	case model.Direction, model.Confidence, model.ProcState, model.BeliefState, model.DrillVerdict, model.Role, model.LostReason:
		if word, known := words[x]; known {
			return sp.words(word)
		}
	}
	return model.Printable(fmt.Sprint(arg)) // a number, a lease id, a code
}

// comma stands between the messages of a list.
var comma = Sentence{", ", "、"}

// words are those of the named values that messages speak of.
var words = map[any]Sentence{
	model.Certain: {"certain", "确定"},
	model.Strong:  {"strong", "较确定"},
	model.Hint:    {"hint", "线索"},

	model.Requests: {"requests", "请求"},
	model.Replies:  {"replies", "回答"},

	model.ProcRunning: {"running", "在运行"},
	model.ProcPaused:  {"paused", "被暂停"},
	model.ProcEnded:   {"ended", "已结束"},

	model.BeliefIdle:    {"idle", "空闲"},
	model.BeliefWaiting: {"waiting", "在等待"},
	model.BeliefHolding: {"holding", "持有"},
	model.BeliefLeaving: {"leaving", "在释放"},
	model.BeliefLost:    {"lost", "已丢失"},

	model.RoleHolds:   {"holds", "持有"},
	model.RoleWaits:   {"waits", "等待"},
	model.RoleBlocks:  {"blocks", "挡住"},
	model.RoleForeign: {"foreign", "外来"},
	model.RoleMember:  {"member", "成员"},

	model.LostDisconnect: {"disconnected", "连接断开"},
	model.LostCompacted:  {"compacted", "已被压缩"},
	model.LostSilent:     {"watch silent", "监听没有动静"},
	model.LostDenied:     {"denied", "没有权限"},
	model.LostCluster:    {"another cluster", "另一个集群"},
	model.LostRestored:   {"older data", "数据变旧"},

	model.DrillHeld:     {"held", "成立"},
	model.DrillViolated: {"violated", "不成立"},
	model.DrillUnknown:  {"unknown", "无法判定"},
}

// Word says a confidence, a state or a verdict in a language.
func Word(lang string, value any) string { return speaker{lang}.write(value) }

// ClauseEnds are the marks before which a sentence may end where there is no room for all of it: what is left
// says less, but nothing else.
var ClauseEnds = []string{"; ", ": ", ", or ", ", and ", ", then ", "；", "：", "，或", "，并", "，再"}

// DoFirst is how many cells the first clause of what to do first takes at most, in each language, if no name
// in it is long: a list has that room on a narrow screen.
const DoFirst = 30
