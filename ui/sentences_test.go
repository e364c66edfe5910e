package ui

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// notSaid are what is painted without a row of the catalogue, and why.
var notSaid = map[string]string{
	"locktop": "the name of the program", "etcd ": "a name", "39/60s ": "an example of what stands in a cell", "39/60s  12s": "likewise", "c2 (proxy)": "likewise",
	"esc": "a key", "enter": "a key", "tab": "a key", "up down": "keys", "left right": "keys", "  q": "a key", "   e": "a key", "   w": "a key",
	"export ETCDCTL_ENDPOINTS=": "a command", "etcdctl watch --prefix ": "a command", "etcdctl lease list": "a command", "<1s": "a duration", "every page": "the document of keys is English",
}

// painters are the functions whose arguments are seen as they are.
var painters = map[string]bool{"Of": true, "Add": true, "Say": true, "say": true, "cell": true, "part": true, "add": true, "Put": true, "put": true, "box": true, "Ruler": true}

// TestNoSentenceIsPaintedButFromTheCatalogue: what is given to a function that paints, kept as a
// reason or a hint, or returned to be painted, is no text of ours: a message is named by its id, and
// has words in each language.
func TestNoSentenceIsPaintedButFromTheCatalogue(t *testing.T) {
	word, looked := regexp.MustCompile(`\pL{2,}`), 0
	fs := token.NewFileSet()
	for _, dir := range []string{".", "draw", "host", "page", "dialog", "table", "timeline", "replay", "tutor"} {
		files, err := filepath.Glob(filepath.Join(dir, "*.go"))
		if err != nil {
			t.Fatal(err)
		}
		for _, path := range files {
			if strings.HasSuffix(path, "_test.go") {
				continue
			}
			file, err := parser.ParseFile(fs, path, nil, 0)
			if err != nil {
				t.Fatal(err)
			}
			// seen reports the texts of an expression, but for those that are arguments of a call in it.
			seen := func(e ast.Expr) {
				ast.Inspect(e, func(n ast.Node) bool {
					switch n := n.(type) {
					case *ast.CallExpr, *ast.FuncLit, *ast.IndexExpr, *ast.CompositeLit:
						return false
					case *ast.BasicLit:
						looked++
						text, err := strconv.Unquote(n.Value)
						if n.Kind != token.STRING || err != nil || notSaid[text] != "" || !word.MatchString(text) {
							return true
						}
						t.Errorf("%s: %q has no row in the catalogue", fs.Position(n.Pos()), text)
					}
					return true
				})
			}
			ast.Inspect(file, func(n ast.Node) bool {
				switch n := n.(type) {
				case *ast.CallExpr:
					name := ""
					switch f := n.Fun.(type) {
					case *ast.SelectorExpr:
						name = f.Sel.Name
					case *ast.Ident:
						name = f.Name
					}
					first := 0
					if name == "Say" || name == "say" { // by an id, or in a style
						first = 1
					}
					if painters[name] {
						for _, arg := range n.Args[min(first, len(n.Args)):] {
							seen(arg)
						}
					}
				case *ast.KeyValueExpr:
					if key, is := n.Key.(*ast.Ident); is && (key.Name == "Text" || key.Name == "Lead" || key.Name == "Why" || key.Name == "why" || key.Name == "hint") {
						seen(n.Value)
					}
				case *ast.AssignStmt:
					for i, left := range n.Lhs {
						name := ""
						switch left := left.(type) {
						case *ast.SelectorExpr:
							name = left.Sel.Name
						case *ast.Ident:
							name = left.Name
						}
						if i < len(n.Rhs) && (name == "hint" || name == "why" || name == "Why" || name == "text" || name == "Text") {
							seen(n.Rhs[i])
						}
					}
				case *ast.ReturnStmt:
					for _, result := range n.Results {
						if text, is := result.(*ast.BasicLit); is && strings.Contains(text.Value, " ") {
							seen(result)
						}
					}
				}
				return true
			})
		}
	}
	if looked < 50 {
		t.Errorf("only %d texts were looked at", looked)
	}
}
