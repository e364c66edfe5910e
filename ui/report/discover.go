package report

import (
	"io"
	"slices"
	"strconv"
	"strings"

	"locktop/model"
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
func Guesses(w io.Writer, list []model.PrefixGuess, format string) error {
	switch format {
	case "json":
		all := make([]guess, 0, len(list))
		for _, p := range list {
			all = append(all, guessOf(p))
		}
		return writeJSON(w, all, "  ")
	case "jsonl":
		return eachLine(w, slices.Values(list), func(o *stream, p model.PrefixGuess) { o.value(guessOf(p)) })
	case "csv":
		rows := guessRows(list, true)
		for _, row := range rows {
			for i := range row {
				row[i] = guarded(row[i])
			}
		}
		return writeCSV(w, rows)
	case "table", "wide":
		rows := guessRows(list, format == "wide")
		for i := range rows[0] {
			rows[0][i] = strings.ToUpper(strings.ReplaceAll(rows[0][i], "_", " "))
		}
		return align(w, rows)
	}
	return noFormat(format)
}

func guessOf(p model.PrefixGuess) guess {
	g := guess{Pattern: model.Printable(p.Pattern), Recipe: p.Recipe, Alternatives: notNil(p.Alternatives),
		Confidence: string(p.Confidence), Locks: p.Locks, Claims: p.Claims, Leased: p.Leased}
	g.Name, g.NameBase64 = text(p.Prefix)
	g.Example, g.ExampleBase64 = text(p.Example)
	return g
}

// guessRows are a head and a line for each prefix; wide ones say more.
func guessRows(list []model.PrefixGuess, wide bool) [][]string {
	head := []string{"prefix", "recipe", "confidence", "locks", "claims"}
	if wide {
		head = append(head, "leased", "pattern", "example")
	}
	rows := [][]string{head}
	for _, p := range list {
		row := []string{model.Printable(p.Prefix), recipeWords(p), string(p.Confidence), strconv.Itoa(p.Locks), strconv.Itoa(p.Claims)}
		if wide {
			row = append(row, strconv.Itoa(p.Leased), model.Printable(p.Pattern), model.Printable(p.Example))
		}
		rows = append(rows, row)
	}
	return rows
}

// recipeWords names the recipe, and those that only a value would tell from it.
func recipeWords(p model.PrefixGuess) string {
	return strings.Join(append([]string{p.Recipe}, p.Alternatives...), " or ")
}
