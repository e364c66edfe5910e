package text

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"locktop/model"
)

// lacks says what a language does not say, or says of other arguments than English does.
func lacks(t *testing.T, l Language) (all []string) {
	for id, s := range Catalogue() {
		if own := l.Sentences[id]; own == "" || !slices.Equal(gapsOf(t, id, own), gapsOf(t, id, s.English)) {
			all = append(all, string(id))
		}
	}
	for _, s := range words {
		if l.Words[s.English] == "" {
			all = append(all, s.English)
		}
	}
	return all
}

// TestEveryMoreLanguageIsWhole: each file of a language has all sentences, with their gaps, and all
// words.
func TestEveryMoreLanguageIsWhole(t *testing.T) {
	for code, l := range languages {
		if all := lacks(t, l); len(all) > 0 {
			t.Errorf("%s lacks %v", code, all)
		}
	}
}

// TestAThirdLanguageIsOneFile: what such a file has is all that it takes to be told in it.
func TestAThirdLanguageIsOneFile(t *testing.T) {
	made := Language{Sentences: map[model.MessageID]string{}, Words: map[string]string{", ": " & "}}
	for id, s := range Catalogue() {
		made.Sentences[id] = "<" + s.English + ">"
	}
	for _, s := range words {
		made.Words[s.English] = "*" + s.English
	}
	if all := lacks(t, made); len(all) > 0 {
		t.Fatalf("it lacks %v", all)
	}
	languages["xx"] = made
	defer delete(languages, "xx")
	for _, r := range []struct {
		said         model.Message
		want, reason string
	}{
		{model.Say("no-waiters"), "<no waiters>", "no argument"},
		{model.Say("keys", 1), "<1 key>", "a number, and its plural"},
		{model.Say("free-for", 3*time.Second), "<free for 3.0s>", "a duration"},
		{model.Say("quote", []model.Message{model.Say("no-key"), model.Say("no-lease")}), "<<no key> & <no lease>>", "messages in a list"},
		{model.Say("quote", model.Certain), "<*certain>", "a word"},
	} {
		if got := Render("xx", r.said); got != r.want {
			t.Errorf("%s: %q, want %q", r.reason, got, r.want)
		}
	}
	if !slices.Contains(Languages(), "xx") {
		t.Errorf("it is none of %v", Languages())
	}
	delete(made.Sentences, "no-waiters")
	made.Sentences["keys"] = "<keys>"
	delete(made.Words, "certain")
	if all := lacks(t, made); fmt.Sprint(len(all)) != "3" {
		t.Errorf("of a sentence, a gap and a word that it lacks it tells %v", all)
	}
}
