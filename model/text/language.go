package text

import "locktop/model"

// Language is what one more language says, beside English and Chinese, which stand side by side.
// It is one file: a variable of this type, put into [languages] under its code.
type Language struct {
	// Sentences are those of the catalogue, by id, with the same gaps.
	Sentences map[model.MessageID]string
	// Words are those of the named values, by the English ones; ", " stands between the messages of
	// a list.
	Words map[string]string
}

// languages are those beside English and Chinese, by their code.
var languages = map[string]Language{}

// Languages are the codes of all languages, English first.
func Languages() []string {
	all := []string{"en", Chinese}
	for code := range languages {
		all = append(all, code)
	}
	return all
}
