package text

import (
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
)

// gap is a place of a sentence: its number, its verb and its plural.
var gap = regexp.MustCompile(`\{(\d+)(?::([a-z]+))?(\|[^{}]*\|[^{}]*)?\}`)

// TestEverySentenceHasItsGapsInOrder: each message has English words, each of its arguments is
// spoken of in some language, and a verb is one that there is.
func TestEverySentenceHasItsGapsInOrder(t *testing.T) {
	if len(Catalogue()) < 100 {
		t.Fatalf("%d sentences", len(Catalogue()))
	}
	for id, s := range Catalogue() {
		if s.English == "" {
			t.Errorf("%s has no English words", id)
		}
		of := map[string]bool{}
		for _, text := range []string{s.English, s.Chinese} {
			if strings.ContainsAny(gap.ReplaceAllString(text, ""), "{}") {
				t.Errorf("%s: %q has a gap that is none", id, text)
			}
			for _, g := range gap.FindAllStringSubmatch(text, -1) {
				if g[2] != "" && verbs[g[2]] == nil {
					t.Errorf("%s: there is no verb %q", id, g[2])
				}
				of[g[1]] = true
			}
		}
		for i := range len(of) {
			if !of[strconv.Itoa(i)] {
				t.Errorf("%s: no language speaks of {%d}", id, i)
			}
		}
	}
}

// TestEveryMessageThatIsSaidHasWords: whatever the model says stands in the table, with as many
// arguments as the sentence has gaps, and nothing stands there that nobody says.
func TestEveryMessageThatIsSaidHasWords(t *testing.T) {
	said := map[model.MessageID]bool{}
	eachFile(t, "..", func(path string, file *ast.File) {
		ast.Inspect(file, func(n ast.Node) bool {
			call, is := n.(*ast.CallExpr)
			if !is || !strings.HasSuffix(name(call.Fun), "Say") || len(call.Args) == 0 {
				return true
			}
			lit, is := call.Args[0].(*ast.BasicLit)
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
	})
	elsewhere := []model.MessageID{"entries-left-out"} // said by whoever shows the journal
	for id := range Catalogue() {
		if !said[id] && !slices.Contains(elsewhere, id) {
			t.Errorf("nobody says %q", id)
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
