package report

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"locktop/model"
	"locktop/model/discover"
)

var someGuesses = []discover.PrefixGuess{
	{Prefix: "/jobs/", Pattern: "/jobs/*", Recipe: "mutex", Alternatives: []string{"election"}, Confidence: model.Strong,
		Locks: 300, Claims: 412, Leased: 411, Example: "/jobs/a/694d81e5fc652501"},
	{Prefix: "/x\xff\x1b[2J,\"/", Pattern: "/x\xff\x1b[2J,\"/*", Recipe: "order-only", Confidence: model.Hint,
		Locks: 1, Claims: 2, Leased: 2, Example: "/x\xff\x1b[2J,\"/y"},
}

func guessed(t *testing.T, list []discover.PrefixGuess, format string) string {
	t.Helper()
	var b strings.Builder
	if err := Guesses(&b, list, format); err != nil {
		t.Fatal(err)
	}
	for _, bad := range []string{"\x1b", "\xff"} {
		if strings.Contains(b.String(), bad) {
			t.Errorf("%s: raw bytes of a key in %q", format, b.String())
		}
	}
	return b.String()
}

func TestGuesses(t *testing.T) {
	for format, want := range map[string]string{
		"table": `PREFIX            RECIPE             CONFIDENCE  LOCKS  CLAIMS
/jobs/            mutex or election  strong      300    412
/x\xff\x1b[2J,"/  order-only         hint        1      2
`,
		"wide": `PREFIX            RECIPE             CONFIDENCE  LOCKS  CLAIMS  LEASED  PATTERN            EXAMPLE
/jobs/            mutex or election  strong      300    412     411     /jobs/*            /jobs/a/694d81e5fc652501
/x\xff\x1b[2J,"/  order-only         hint        1      2       2       /x\xff\x1b[2J,"/*  /x\xff\x1b[2J,"/y
`,
		"csv": `prefix,recipe,confidence,locks,claims,leased,pattern,example
/jobs/,mutex or election,strong,300,412,411,/jobs/*,/jobs/a/694d81e5fc652501
"/x\xff\x1b[2J,""/",order-only,hint,1,2,2,"/x\xff\x1b[2J,""/*","/x\xff\x1b[2J,""/y"
`,
		"jsonl": `{"name":"/jobs/","pattern":"/jobs/*","recipe":"mutex","alternatives":["election"],"recipe_confidence":"strong","locks":300,"claims":412,"leased":411,"example":"/jobs/a/694d81e5fc652501"}
{"name":"/x\\xff\\x1b[2J,\"/","name_base64":"L3j/G1sySiwiLw==","pattern":"/x\\xff\\x1b[2J,\"/*","recipe":"order-only","alternatives":[],"recipe_confidence":"hint","locks":1,"claims":2,"leased":2,"example":"/x\\xff\\x1b[2J,\"/y","example_base64":"L3j/G1sySiwiL3k="}
`,
	} {
		if d := cmp.Diff(want, guessed(t, someGuesses, format)); d != "" {
			t.Errorf("%s: %s", format, d)
		}
	}
}

func TestGuessesAsOneList(t *testing.T) {
	var list []map[string]any
	if err := json.Unmarshal([]byte(guessed(t, someGuesses, "json")), &list); err != nil || len(list) != 2 || list[0]["name"] != "/jobs/" {
		t.Errorf("%v, %v", list, err)
	}
	for format, want := range map[string]string{"json": "[]\n", "jsonl": "", "table": "PREFIX  RECIPE  CONFIDENCE  LOCKS  CLAIMS\n"} {
		if got := guessed(t, nil, format); got != want {
			t.Errorf("nothing as %s: %q, want %q", format, got, want)
		}
	}
}

func TestGuessesFail(t *testing.T) {
	for _, format := range Formats {
		if err := Guesses(brokenWriter{}, someGuesses, format); !errors.Is(err, errBroken) {
			t.Errorf("%s: %v", format, err)
		}
	}
	if err := Guesses(&strings.Builder{}, nil, "xml"); err == nil || !strings.Contains(err.Error(), "jsonl") {
		t.Errorf("%v: want the formats that there are", err)
	}
}
