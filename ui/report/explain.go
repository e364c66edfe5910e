package report

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode/utf8"

	"locktop/model"
	"locktop/model/findings"

	"locktop/model/recipe"
	"locktop/model/text"
)

// explainWidth is how wide an explanation gets, explainIndent where its text begins.
const (
	explainWidth  = 80
	explainIndent = 14
)

// Word is a name that the caller explains beside findings and recipes.
type Word struct {
	Group, Name string
	// Is says what it is, Says what it means, in sentences. Rows are more, each with its name.
	Is, Says string
	Rows     [][2]string
}

// ErrUnknownName is returned for a name that nothing has.
var ErrUnknownName = errors.New("there is nothing of that name")

// Explain writes the explanation of a finding, by its code or by the state that it gives a
// lock, of a recipe, or of one of more words. An unknown name is [ErrUnknownName].
func Explain(w io.Writer, name string, more ...Word) error {
	name = strings.ToLower(strings.TrimSpace(name))
	var pages []string
	for _, e := range findings.Called(name) {
		pages = append(pages, codePage(e))
	}
	if r := recipe.Named(name); len(pages) == 0 && r != nil {
		pages = append(pages, recipePage(r))
	}
	for _, word := range more {
		if word.Name == name {
			pages = append(pages, wordPage(word))
		}
	}
	if len(pages) == 0 {
		return ErrUnknownName
	}
	var b strings.Builder
	b.WriteString(strings.Join(pages, "\n"))
	return writeText(w, &b)
}

// ExplainList writes all findings and recipes and the words beside them, one line each.
func ExplainList(w io.Writer, more ...Word) error {
	var b strings.Builder
	width := 0
	for _, n := range ExplainNames(more...) {
		width = max(width, len(n))
	}
	b.WriteString("Findings\n")
	for _, e := range findings.Catalogue() {
		fmt.Fprintf(&b, "  %-*s  %s\n", width, e.Code, text.English(e.Title))
	}
	b.WriteString("\nRecipes\n")
	for _, r := range recipe.All() {
		fmt.Fprintf(&b, "  %-*s  %s\n", width, r.Name, r.Users)
	}
	group := ""
	for _, word := range more {
		if word.Group != group {
			group = word.Group
			fmt.Fprintf(&b, "\n%s\n", group)
		}
		says, _, _ := strings.Cut(word.Says, ". ")
		fmt.Fprintf(&b, "  %-*s  %s\n", width, word.Name, strings.TrimSuffix(says, "."))
	}
	return writeText(w, &b)
}

// wordPage explains a word of the caller.
func wordPage(word Word) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s, %s\n", word.Name, word.Is)
	filled(&b, "", word.Says)
	b.WriteByte('\n')
	for _, r := range word.Rows {
		paragraph(&b, r[0], r[1])
	}
	return b.String()
}

// codePage explains a finding.
func codePage(e findings.Entry) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s\n%s\n\n", e.Code, text.English(e.Title))
	paragraph(&b, "what happens", text.English(e.Mechanism))
	paragraph(&b, "how it looks", text.English(e.Looks))
	paragraph(&b, "what to do", text.English(e.Do))
	paragraph(&b, "to break it", text.English(e.Breaking.Words()))
	paragraph(&b, "confidence", confidenceWords(e))
	if len(e.Threads) > 0 {
		paragraph(&b, "threads", strings.Join(e.Threads, ", "))
	}
	return b.String()
}

// needWords name the source of a finding. They follow "with".
var needWords = map[findings.Needs]string{
	findings.NeedsEtcd:        "what etcd says",
	findings.NeedsProxy:       "a proxy in the path",
	findings.NeedsVersion:     "the server's version",
	findings.NeedsClient:      "the client's word",
	findings.NeedsMetrics:     "the members' own metrics",
	findings.NeedsDeclaration: "a declared number of contenders",
}

// confidenceWords says how sure a finding can be, from which source, and which other
// source makes it surer.
func confidenceWords(e findings.Entry) string {
	var first, rest string
	if len(e.Needs) > 0 {
		first = " with " + needWords[e.Needs[0]]
		if e.Needs[0] == findings.NeedsEtcd {
			first = " from etcd alone"
		}
		var more []string
		for _, n := range e.Needs[1:] {
			more = append(more, needWords[n])
		}
		rest = strings.Join(more, " or ")
	}
	switch {
	case e.Confidence == model.Certain && rest != "":
		return string(e.Confidence) + first + " or " + rest
	case e.Confidence == model.Certain:
		return string(e.Confidence) + first
	case rest != "":
		return string(e.Confidence) + " at most" + first + "; more certain with " + rest
	}
	return string(e.Confidence) + " at most" + first
}

// recipePage explains a recipe.
func recipePage(r *recipe.Recipe) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s\n", r.Name)
	filled(&b, "", r.Users)
	b.WriteByte('\n')
	paragraph(&b, "order", orderWords(r))
	paragraph(&b, "holder", holdWords(r))
	paragraph(&b, "waiters", waiterWords(r))
	paragraph(&b, "renewal", renewalWords(r))
	paragraph(&b, "recognised", recognisedWords(r))
	paragraph(&b, "quirks", text.English(text.Quirks(r.Name)))
	return b.String()
}

func recognisedWords(r *recipe.Recipe) string {
	switch {
	case len(r.Signs) == 0:
		if r.Nameless() {
			return "never by itself; set it with --recipe PREFIX=" + r.Name + ":N, where N may hold at a time"
		}
		return "never by itself; set it with --recipe PREFIX=" + r.Name
	case r.Confidence == model.Certain:
		return "certain, from the form of the keys; --recipe PREFIX=NAME overrides it"
	}
	return string(r.Confidence) + " at most, from the form of the keys and values; --recipe PREFIX=NAME overrides it"
}

func orderWords(r *recipe.Recipe) string {
	switch r.Order {
	case recipe.ByCreate:
		return "by create revision, lowest first; a later write does not move a claim"
	case recipe.ByMod:
		return "by mod revision, lowest first"
	}
	return "none: there is only one key"
}

func holdWords(r *recipe.Recipe) string {
	switch {
	case !r.HasHolder:
		return "unknown: the keys are listed in order, without a holder"
	case r.Nameless(), r.Permits > 0:
		return "the N claims with the lowest create revisions, of the keys right below the name"
	case r.Readers != nil:
		return "each reader without a writer before it, or a writer with nothing before it"
	case r.Order == recipe.ByMod:
		return "the claim with the lowest mod revision"
	case r.Order == recipe.ByCreate:
		return "the claim with the lowest create revision"
	}
	return "the writer of the key, while the key exists"
}

func waiterWords(r *recipe.Recipe) string {
	switch {
	case !r.WaitersVisible():
		return "not visible in etcd: a waiter leaves no key"
	case !r.HasHolder:
		return "visible, if there are any: each waiter would be a key"
	}
	return "visible: each waiter is a key"
}

func renewalWords(r *recipe.Recipe) string {
	switch {
	case !r.HasHolder:
		return "unknown"
	case r.Rhythm == recipe.RenewsByHand:
		return "at times that the program chooses: a falling TTL alone proves nothing"
	case r.Rhythm == recipe.RenewsNever:
		return "never, by design: the TTL limits the work, so a falling TTL is normal"
	}
	return "every third of the TTL"
}

// paragraph writes a label and a text beside it.
func paragraph(b *strings.Builder, label, text string) {
	filled(b, fmt.Sprintf("%-*s", explainIndent, label), text)
}

// filled writes text after a head, and indents its lines to the end of the head. A word
// longer than a line gets a line of its own.
func filled(b *strings.Builder, head, text string) {
	indent := strings.Repeat(" ", len(head))
	column := len(head)
	b.WriteString(head)
	for i, word := range strings.Fields(text) {
		n := utf8.RuneCountInString(word)
		switch {
		case i == 0:
		case column+1+n > explainWidth:
			b.WriteString("\n" + indent)
			column = len(indent)
		default:
			b.WriteByte(' ')
			column++
		}
		b.WriteString(word)
		column += n
	}
	b.WriteByte('\n')
}

// ExplainNames returns every name that can be explained, with those of more words.
func ExplainNames(more ...Word) []string {
	var names []string
	for _, e := range findings.Catalogue() {
		names = append(names, string(e.Code))
	}
	for _, r := range recipe.All() {
		names = append(names, r.Name)
	}
	for _, word := range more {
		if !slices.Contains(names, word.Name) {
			names = append(names, word.Name)
		}
	}
	return names
}
