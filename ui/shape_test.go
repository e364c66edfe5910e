package ui

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
)

// TestTheShellIsSmall: the console is held in the head. What grows beyond this is a part of
// its own.
func TestTheShellIsSmall(t *testing.T) {
	const maxFiles, maxLines, maxFields, maxMethods = 15, 4000, 25, 60
	set := token.NewFileSet()
	names, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	files, lines, methods := 0, 0, map[string]int{}
	for _, name := range names {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		f, err := parser.ParseFile(set, name, nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		files++
		lines += set.File(f.Pos()).LineCount()
		for _, d := range f.Decls {
			if fn, ok := d.(*ast.FuncDecl); ok && fn.Recv != nil {
				of := fn.Recv.List[0].Type
				if p, ok := of.(*ast.StarExpr); ok {
					of = p.X
				}
				methods[of.(*ast.Ident).Name]++
			}
		}
	}
	if files > maxFiles || lines > maxLines || methods["App"] == 0 {
		t.Errorf("%d files of %d lines, want at most %d and %d", files, lines, maxFiles, maxLines)
	}
	for of, n := range methods {
		if n > maxMethods {
			t.Errorf("%s has %d methods, want at most %d", of, n, maxMethods)
		}
	}
	if n := reflect.TypeFor[App]().NumField(); n > maxFields {
		t.Errorf("App has %d fields, want at most %d", n, maxFields)
	}
}
