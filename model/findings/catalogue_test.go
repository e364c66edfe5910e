package findings_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"locktop/model"
	"locktop/model/findings"
	"locktop/model/text"
)

// declaredCodes reads the constants of type Code from the source, so that a new one
// cannot be forgotten here: those of the model, which every room may name, and those that
// stand beside their rule.
func declaredCodes(t *testing.T) map[string]model.Code {
	t.Helper()
	files, err := filepath.Glob("*/*.go")
	if err != nil {
		t.Fatal(err)
	}
	codes := map[string]model.Code{}
	for _, name := range append(files, "../code.go") {
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(file, func(n ast.Node) bool {
			spec, ok := n.(*ast.ValueSpec)
			if !ok || spec.Type == nil {
				return true
			}
			if of := types.ExprString(spec.Type); of == "Code" || of == "model.Code" {
				for i, name := range spec.Names {
					if i >= len(spec.Values) {
						continue
					}
					if lit, ok := spec.Values[i].(*ast.BasicLit); ok {
						codes[name.Name] = model.Code(must(strconv.Unquote(lit.Value)))
					}
				}
			}
			return true
		})
	}
	return codes
}

func must[T any](x T, err error) T {
	if err != nil {
		panic(err)
	}
	return x
}

func TestEveryCodeIsInTheCatalogueOnce(t *testing.T) {
	seen := map[model.Code]int{}
	for _, e := range findings.Catalogue() {
		seen[e.Code]++
	}
	codes := declaredCodes(t)
	for name, code := range codes {
		if seen[code] != 1 {
			t.Errorf("%s (%s) is in the catalogue %d times", name, code, seen[code])
		}
		if joined := "Code" + strings.ReplaceAll(string(code), "-", ""); !strings.EqualFold(name, joined) {
			t.Errorf("%s is the code %s", name, code)
		}
		if e, ok := findings.Explain(code); !ok || e.Code != code {
			t.Errorf("Explain(%s) = %s, %v", code, e.Code, ok)
		}
	}
	places := map[int]model.Code{}
	for _, e := range findings.Catalogue() {
		if other := places[e.Place]; e.Place <= 0 || other != "" {
			t.Errorf("%s stands in place %d, where %q does", e.Code, e.Place, other)
		}
		places[e.Place] = e.Code
	}
	if len(seen) != len(codes) {
		t.Errorf("%d codes in the catalogue, %d constants", len(seen), len(codes))
	}
	if _, ok := findings.Explain("no-such-code"); ok {
		t.Error("an unknown code is explained")
	}
}

func TestCatalogueTexts(t *testing.T) {
	markdown := regexp.MustCompile("[`*_|]|\\]\\(|  |\n|\t|->")
	sentence := regexp.MustCompile(`[.!?:]( |$)`)
	for _, e := range findings.Catalogue() {
		texts := map[string]string{"Title": text.English(e.Title), "Mechanism": text.English(e.Mechanism), "Looks": text.English(e.Looks), "Do": text.English(e.Do)}
		for name, s := range texts {
			switch {
			case s == "" || s != strings.TrimSpace(s):
				t.Errorf("%s: %s is empty or has spaces around it", e.Code, name)
			case markdown.MatchString(s):
				t.Errorf("%s: %s has markup or odd spaces: %q", e.Code, name, markdown.FindString(s))
			case name == "Title" && (strings.HasSuffix(s, ".") || len(s) > 80):
				t.Errorf("%s: the title is a line without a full stop, of 80 characters at most: %q", e.Code, s)
			case name != "Title" && !strings.HasSuffix(s, "."):
				t.Errorf("%s: %s does not end in a full stop", e.Code, name)
			case name != "Title" && len(sentence.FindAllString(s, -1)) > 8:
				t.Errorf("%s: %s is too long for somebody in a hurry", e.Code, name)
			}
			for i := 0; i < len(s); i++ {
				if s[i] >= 0x80 {
					t.Errorf("%s: %s has characters that an old terminal does not know", e.Code, name)
					break
				}
			}
		}
	}
}

func TestCatalogueThreadsAndNeeds(t *testing.T) {
	thread := regexp.MustCompile(`^([A-Za-z0-9-]+/)?[A-Za-z0-9._-]+#[1-9][0-9]*$`)
	needs := []findings.Needs{findings.NeedsEtcd, findings.NeedsProxy, findings.NeedsVersion, findings.NeedsClient, findings.NeedsMetrics, findings.NeedsDeclaration}
	for _, e := range findings.Catalogue() {
		for i, s := range e.Threads {
			if !thread.MatchString(s) || strings.HasPrefix(s, "etcd#") {
				t.Errorf("%s: thread %q is not repository#number", e.Code, s)
			}
			if slices.Contains(e.Threads[:i], s) {
				t.Errorf("%s: thread %s twice", e.Code, s)
			}
		}
		if len(e.Needs) == 0 {
			t.Errorf("%s needs nothing", e.Code)
		}
		for i, n := range e.Needs {
			if !slices.Contains(needs, n) || slices.Contains(e.Needs[:i], n) {
				t.Errorf("%s: needs %q, which is unknown or said twice", e.Code, n)
			}
		}
		if !slices.Contains([]model.Confidence{model.Certain, model.Strong, model.Hint}, e.Confidence) {
			t.Errorf("%s: confidence %q", e.Code, e.Confidence)
		}
	}
}

func TestCatalogueKeepsTheOrderOfADiagnosis(t *testing.T) {
	want := []model.Code{model.CodeNoQuorum, model.CodeOrphanKey, model.CodeDeadHolder, model.CodeLockCycle, model.CodeDeadWaiter, model.CodeKeepaliveCancelled, model.CodeStaleHolder}
	var got []model.Code
	for _, e := range findings.Catalogue() {
		if slices.Contains(want, e.Code) {
			got = append(got, e.Code)
		}
	}
	if !slices.Equal(got, want) {
		t.Errorf("order %v, want %v", got, want)
	}
}
