package text

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"locktop/model"
	"locktop/model/recipe"
)

// gap is a place of a sentence: its number, its verb and its plural.
var gap = regexp.MustCompile(`\{(\d+)(?::([a-z]+))?(\|[^{}]*\|[^{}]*)?\}`)

// chineseLeavesOut are the sentences which say less in Chinese: what a step of a drill does is
// told by its file, in English, and what came of it by whoever did it; what the watcher could not do, by the
// sentence around it.
var chineseLeavesOut = []model.MessageID{"cannot", "cannot-on", "step", "step-over", "step-failed"}

// TestEverySentenceIsSaidInBothLanguages: each message has words in each language, both speak of
// the same arguments, which are counted from 0, and a verb is one that there is.
func TestEverySentenceIsSaidInBothLanguages(t *testing.T) {
	if len(Catalogue()) < 100 {
		t.Fatalf("%d sentences", len(Catalogue()))
	}
	for id, s := range Catalogue() {
		en, zh := gapsOf(t, id, s.English), gapsOf(t, id, s.Chinese)
		if !slices.Equal(en, zh) && !slices.Contains(chineseLeavesOut, id) {
			t.Errorf("%s: %q speaks of %v, %q of %v", id, s.English, en, s.Chinese, zh)
		}
		for i, n := range en {
			if i != n {
				t.Errorf("%s: %q does not speak of {%d}", id, s.English, i)
				break
			}
		}
	}
	for value, s := range words {
		if s.English != fmt.Sprint(value) || s.Chinese == "" {
			t.Errorf("%v: %q, %q", value, s.English, s.Chinese)
		}
	}
}

// gapsOf returns the arguments that a sentence speaks of, each once, in rising order.
func gapsOf(t *testing.T, id model.MessageID, text string) (all []int) {
	if text == "" {
		t.Errorf("%s lacks a language", id)
	}
	if strings.ContainsAny(gap.ReplaceAllString(text, ""), "{}") {
		t.Errorf("%s: %q has a gap that is none", id, text)
	}
	for _, g := range gap.FindAllStringSubmatch(text, -1) {
		if g[2] != "" && g[2] != "title" && verbs[g[2]] == nil {
			t.Errorf("%s: there is no verb %q", id, g[2])
		}
		n, err := strconv.Atoi(g[1])
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, n)
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// TestChineseHasNoSignOfDisputedWidth: terminals draw some signs in one cell or in two.
func TestChineseHasNoSignOfDisputedWidth(t *testing.T) {
	disputed := regexp.MustCompile("[“”‘’…—·×→≥≤°●■♥①-⑳─-╿]")
	for id, s := range Catalogue() {
		if disputed.MatchString(s.Chinese) {
			t.Errorf("%s: %q", id, s.Chinese)
		}
	}
}

// TestEveryMessageThatIsSaidHasWords: whatever the model and the console say stands in the table, with as many
// arguments as the sentence has gaps, and nothing stands there that nobody says.
func TestEveryMessageThatIsSaidHasWords(t *testing.T) {
	said := map[model.MessageID]bool{}
	look := func(path string, file *ast.File) {
		ast.Inspect(file, func(n ast.Node) bool {
			named(t, path, n, said)
			call, is := n.(*ast.CallExpr)
			if !is || !strings.HasSuffix(name(call.Fun), "Say") || len(call.Args) == 0 {
				return true
			}
			lit, is := call.Args[0].(*ast.BasicLit)
			if !is && name(call.Fun) != "Say" && name(call.Fun) != "model.Say" {
				return true // a line of the console, by its style
			}
			if !is {
				t.Errorf("%s: a message is named by an expression, and not by its id", path)
				return true
			}
			id, err := strconv.Unquote(lit.Value)
			if err != nil {
				t.Fatal(err)
			}
			s, known := Catalogue()[model.MessageID(id)]
			if said[model.MessageID(id)] = true; !known {
				t.Errorf("%s: %q has no words", path, id)
				return true
			}
			gaps := 0
			for _, g := range gap.FindAllStringSubmatch(s.English+s.Chinese, -1) {
				at, err := strconv.Atoi(g[1])
				if err != nil {
					t.Fatal(err)
				}
				gaps = max(gaps, at+1)
			}
			if call.Ellipsis == token.NoPos && gaps != len(call.Args)-1 {
				t.Errorf("%s: %q is said of %d arguments, and has %d gaps", path, id, len(call.Args)-1, gaps)
			}
			return true
		})
	}
	eachFile(t, "..", look)
	eachFile(t, "../../ui", look)
	eachFile(t, "../../watcher", look)
	eachFile(t, "../../demo", look)
	eachFile(t, "../../chaos", look)
	for _, r := range recipe.All() {
		if said[Quirks(r.Name).ID] = true; English(Quirks(r.Name)) == "" || Catalogue()[Quirks(r.Name).ID].English == "" {
			t.Errorf("%s has no quirks", r.Name)
		}
	}
	for id := range Catalogue() {
		if !said[id] {
			t.Errorf("nobody says %q", id)
		}
	}
}

// namedBy are the fields that name a message, and not a text.
var namedBy = []string{"Short", "What", "Label", "Go"}

// named notes the messages that are named where they are not said: by a field, or in a table of
// ids, which have a hyphen.
func named(t *testing.T, path string, n ast.Node, said map[model.MessageID]bool) {
	switch n := n.(type) {
	case *ast.KeyValueExpr:
		key, is := n.Key.(*ast.Ident)
		value, text := n.Value.(*ast.BasicLit)
		if !is || !text || !strings.Contains(path, "/ui/") || strings.Contains(path, "/ui/cli/") || strings.Contains(path, "/ui/report/") {
			return
		}
		id, err := strconv.Unquote(value.Value)
		if _, known := Catalogue()[model.MessageID(id)]; err == nil && id != "" && slices.Contains(namedBy, key.Name) {
			if said[model.MessageID(id)] = true; !known {
				t.Errorf("%s: %s is %q, which has no words", path, key.Name, id)
			}
		}
	case *ast.BasicLit:
		if id, err := strconv.Unquote(n.Value); err == nil && n.Kind == token.STRING && strings.Contains(id, "-") && !strings.Contains(path, "/text/") {
			if _, known := Catalogue()[model.MessageID(id)]; known {
				said[model.MessageID(id)] = true
			}
		}
	}
}

// TestNoMessageIsMadeOfWords: what is said of locks is a message, and no sentence that was put
// together where it is found out.
func TestNoMessageIsMadeOfWords(t *testing.T) {
	fields := []string{"Evidence", "OnTime", "Text", "Summary", "Advice"}
	for _, dir := range []string{"../journal", "../locks", "../findings", "../reports"} {
		eachFile(t, dir, func(path string, file *ast.File) {
			wordy := func(field string, value ast.Expr) {
				if !slices.Contains(fields, field) {
					return
				}
				ast.Inspect(value, func(n ast.Node) bool {
					call, is := n.(*ast.CallExpr)
					if is && (name(call.Fun) == "fmt.Sprintf" || name(call.Fun) == "fmt.Sprint") {
						t.Errorf("%s: %s is made of words", path, field)
					}
					return true
				})
			}
			ast.Inspect(file, func(n ast.Node) bool {
				switch n := n.(type) {
				case *ast.KeyValueExpr:
					if key, is := n.Key.(*ast.Ident); is {
						wordy(key.Name, n.Value)
					}
				case *ast.AssignStmt:
					for i, left := range n.Lhs {
						if sel, is := left.(*ast.SelectorExpr); is && i < len(n.Rhs) {
							wordy(sel.Sel.Name, n.Rhs[i])
						}
					}
				}
				return true
			})
		})
	}
}

// eachFile reads the source under a folder, without tests.
func eachFile(t *testing.T, dir string, yield func(path string, file *ast.File)) {
	t.Helper()
	files := 0
	err := filepath.WalkDir(dir, func(path string, _ fs.DirEntry, err error) error {
		if strings.Contains(path, "/demo/bench/") { // a module of its own
			return err
		}
		if err != nil || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return err
		}
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, 0)
		if err != nil {
			return err
		}
		files++
		yield(path, file)
		return nil
	})
	if err != nil || files == 0 {
		t.Fatalf("%d files under %s: %v", files, dir, err)
	}
}

// name writes what a call names: "fmt.Sprintf".
func name(fun ast.Expr) string {
	switch fun := fun.(type) {
	case *ast.Ident:
		return fun.Name
	case *ast.SelectorExpr:
		return name(fun.X) + "." + fun.Sel.Name
	}
	return ""
}

// neverOne are the sentences with a number beside a plural that is never 1, and why.
var neverOne = map[model.MessageID]string{
	"locks":                              "one lock is named",
	"each-of-locks":                      "one lock is named",
	"handovers-in-a-lane":                "counts stand where a cell has several",
	"held-times":                         "counts stand where a cell has several",
	"leader-changed-again":               "from four changes on",
	"leases-stall-all-granted-through":   "from three leases on, beside three others",
	"leases-ended-early-within-about":    "from ten leases on",
	"locks-share-one-lease-revoking":     "a lease is shared by two",
	"locks-are-marked-and-more-are-not":  "the most that can be marked",
	"all-permits-held-long":              "a semaphore has two permits",
	"while-holds-took-at-most":           "what is usual takes several holds",
	"one-of-its-permits":                 "a semaphore has two permits",
	"stopped-renewing-like-the-last":     "a pattern takes several holders",
	"holders-released-without-a-renewal": "a pattern takes several holders",
	"leases-past-end-backlog":            "a backlog is of many",
	"left-at-least-leases-behind":        "a leak is of several",
	"queue-grows":                        "it grew to more than 1",
	"joined-for-a-permit":                "a semaphore has two permits",
	"others-still-hold":                  "one other has a sentence of its own",
	"with-leases":                        "one lease has a sentence of its own",
	"keys-of-several-leases-went":        "each lease had a key",
	"lease-has-keys-not-shown":           "one key has a sentence of its own",
	"endpoints-of-clusters":              "one cluster is no fault",
	"members-are-silent":                 "one member has a sentence of its own",
	"members-follow-nobody":              "one member has a sentence of its own",
	"members-ail":                        "one member has a sentence of its own",
	"opened-at-the-worst":                "one incident has a sentence of its own",
	"most-contenders-run":                "the most there may be",
	"all-holders-release":                "one holder has a sentence of its own",
	"estimate-needs-holds":               "an estimate needs three",
	"half-of-the-holds-took":             "an estimate needs three",
	"span-seconds":                       "the shortest span is five",
	"span-minutes":                       "one minute has a sentence of its own",
	"span-hours":                         "one hour has a sentence of its own",
	"keeps-permits":                      "a semaphore has two permits",
	"story-told-lock-again":              "locks is a verb",
}

// TestANumberAndItsNounAgree: where a number stands before a noun, the noun is right for 1, too.
func TestANumberAndItsNounAgree(t *testing.T) {
	counted := regexp.MustCompile(`\{\d\}(?: [a-z]+| of the)? (?:keys|locks|leases|claims|waiters|members|holders|contenders|sessions|permits|handovers|holds that|holds took|holds half|` +
		`others|times|turns|transitions|requests|reads/s|texts|lines|entries|incidents|faults|endpoints|clusters|stores|revisions|steps|seconds|minutes|hours)\b` +
		`|\{\d\|[a-z]+\|[a-z]+\} (?:are|were|have|do)\b`)
	for id, s := range Catalogue() {
		at := counted.FindString(s.English)
		if why := neverOne[id]; (at == "") != (why == "") {
			t.Errorf("%s: %q reads wrong for 1, but %q is said of it", id, at, why)
		}
	}
}
