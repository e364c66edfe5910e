package report

import (
	"io"
	"slices"

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
	switch format {
	case "json":
		all := make([]guess, 0, len(list))
		for _, p := range list {
			all = append(all, guessOf(p))
		}
		return WriteJSON(w, all, "  ")
	case "jsonl":
		return eachLine(w, slices.Values(list), func(o *stream, p discover.PrefixGuess) { o.value(guessOf(p)) })
	case "csv":
		return writeCSV(w, fields.Records(fields.Guesses, list))
	case "table", "wide":
		return align(w, fields.Rows(fields.Guesses, list, format == "wide"))
	}
	return noFormat(format)
}

func guessOf(p discover.PrefixGuess) guess {
	g := guess{Pattern: model.Printable(p.Pattern), Recipe: p.Recipe, Alternatives: NotNil(p.Alternatives),
		Confidence: string(p.Confidence), Locks: p.Locks, Claims: p.Claims, Leased: p.Leased}
	g.Name, g.NameBase64 = Text(p.Prefix)
	g.Example, g.ExampleBase64 = Text(p.Example)
	return g
}
