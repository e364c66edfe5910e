package report

import (
	"io"

	"locktop/model"
	"locktop/model/discover"
	"locktop/ui/fields"
)

// guess is a prefix that looks like locks, in JSON.
type guess struct {
	Name          string   `json:"name"`
	NameBase64    string   `json:"name_base64,omitempty"`
	Pattern       string   `json:"pattern"`
	Recipe        string   `json:"recipe"`
	Alternatives  []string `json:"alternatives"`
	Confidence    string   `json:"recipe_confidence"`
	Locks         int      `json:"locks"`
	Claims        int      `json:"claims"`
	Leased        int      `json:"leased"`
	Example       string   `json:"example"`
	ExampleBase64 string   `json:"example_base64,omitempty"`
}

// Guesses writes the prefixes that look like locks in one of Formats.
func Guesses(w io.Writer, list []discover.PrefixGuess, format string) error {
	return writeList(w, list, fields.Guesses, guessOf, format)
}

func guessOf(p discover.PrefixGuess) guess {
	g := guess{Pattern: model.Printable(p.Pattern), Recipe: p.Recipe, Alternatives: NotNil(p.Alternatives),
		Confidence: string(p.Confidence), Locks: p.Locks, Claims: p.Claims, Leased: p.Leased}
	g.Name, g.NameBase64 = Text(p.Prefix)
	g.Example, g.ExampleBase64 = Text(p.Example)
	return g
}
