package cli

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// sources are the files of each package with code that is no test, by its folder.
func sources(t *testing.T) map[string][]string {
	t.Helper()
	root := filepath.Join("..", "..")
	dirs := map[string][]string{}
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		name := d.Name()
		switch {
		case err != nil:
			return err
		case d.IsDir() && path != root && (name == "testdata" || name[0] == '.'):
			return filepath.SkipDir
		case strings.HasSuffix(name, ".go") && !strings.HasSuffix(name, "_test.go") && name != "doc.go":
			dir, err := filepath.Rel(root, filepath.Dir(path))
			dirs[filepath.ToSlash(dir)] = append(dirs[filepath.ToSlash(dir)], path)
			return err
		}
		return nil
	})
	if err != nil || len(dirs) < 40 {
		t.Fatalf("%d packages, %v", len(dirs), err)
	}
	return dirs
}

// TestEveryNameIsDocumented: who meets an exported name finds what it is where it is defined.
// A method that every error or event has needs no words.
func TestEveryNameIsDocumented(t *testing.T) {
	checked := 0
	for dir, files := range sources(t) {
		said := map[string]bool{} // a name of one system may be documented in the file of another
		for _, name := range files {
			f, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.ParseComments)
			if err != nil {
				t.Fatal(err)
			}
			for _, d := range f.Decls {
				documented(d, said)
			}
		}
		checked += len(said)
		for name, is := range said {
			if !is {
				t.Errorf("%s: %s has no doc comment", dir, name)
			}
		}
	}
	if checked < 1000 {
		t.Errorf("%d names were looked at", checked)
	}
}

// documented notes of each exported name whether anything is said of it.
func documented(d ast.Decl, said map[string]bool) {
	note := func(name string, docs ...*ast.CommentGroup) {
		said[name] = said[name] || slices.ContainsFunc(docs, func(doc *ast.CommentGroup) bool { return doc != nil })
	}
	switch d := d.(type) {
	case *ast.FuncDecl:
		switch of := receiver(d); {
		case !d.Name.IsExported() || of != "" && (!ast.IsExported(of) || d.Name.Name == "When" || d.Name.Name == "Error"):
		default:
			note(strings.TrimPrefix(of+"."+d.Name.Name, "."), d.Doc)
		}
	case *ast.GenDecl:
		for _, s := range d.Specs {
			switch s := s.(type) {
			case *ast.TypeSpec:
				if s.Name.IsExported() {
					note(s.Name.Name, d.Doc, s.Doc)
				}
			case *ast.ValueSpec:
				if s.Names[0].IsExported() {
					note(s.Names[0].Name, d.Doc, s.Doc, s.Comment)
				}
			}
		}
	}
}

// receiver names the type of a method, "" for a function.
func receiver(d *ast.FuncDecl) string {
	if d.Recv == nil {
		return ""
	}
	of := d.Recv.List[0].Type
	if p, ok := of.(*ast.StarExpr); ok {
		of = p.X
	}
	switch p := of.(type) { // of a type with parameters
	case *ast.IndexExpr:
		of = p.X
	case *ast.IndexListExpr:
		of = p.X
	}
	return of.(*ast.Ident).Name
}
