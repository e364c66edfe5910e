package cli

import (
	"errors"
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// The house is held in the head: what grows beyond this is cut.
const (
	maxFiles   = 15
	maxLines   = 4000
	maxFields  = 25
	maxMethods = 60
)

// larger are the packages that may have more files or lines, and why.
var larger = map[string]struct {
	files, lines int
	why          string
}{
	"ui/cli": {60, 8700, "one file for each command; it joins all the rooms"},
}

// TestSizes: no package and no type is larger than a reader can hold in the head.
func TestSizes(t *testing.T) {
	used := map[string]bool{}
	for dir, files := range sources(t) {
		most, lines, may := maxFiles, maxLines, larger[dir]
		if may.why != "" {
			most, lines = may.files, may.lines
		}
		n, fields, methods := 0, map[string]int{}, map[string]int{}
		set := token.NewFileSet()
		for _, name := range files {
			f, err := parser.ParseFile(set, name, nil, parser.SkipObjectResolution)
			if err != nil {
				t.Fatal(err)
			}
			n += set.File(f.Pos()).LineCount()
			count(f, fields, methods)
		}
		if len(files) > most || n > lines {
			t.Errorf("%s has %d files and %d lines, want at most %d and %d", dir, len(files), n, most, lines)
		}
		used[dir] = len(files) > maxFiles || n > maxLines
		for name := range all(fields, methods) {
			if f, m := fields[name], methods[name]; f > maxFields || m > maxMethods {
				t.Errorf("%s.%s has %d fields and %d methods, want at most %d and %d", dir, name, f, m, maxFields, maxMethods)
			}
		}
	}
	for name := range larger {
		if !used[name] {
			t.Errorf("%s needs no exception any more", name)
		}
	}
}

func all(a, b map[string]int) map[string]bool {
	names := map[string]bool{}
	for name := range a {
		names[name] = true
	}
	for name := range b {
		names[name] = true
	}
	return names
}

// count adds up the fields of each struct and the methods of each type.
func count(f *ast.File, fields, methods map[string]int) {
	for _, d := range f.Decls {
		switch d := d.(type) {
		case *ast.FuncDecl:
			if of := receiver(d); of != "" {
				methods[of]++
			}
		case *ast.GenDecl:
			for _, s := range d.Specs {
				spec, ok := s.(*ast.TypeSpec)
				if !ok {
					continue
				}
				if s, ok := spec.Type.(*ast.StructType); ok {
					for _, field := range s.Fields.List {
						fields[spec.Name.Name] += max(1, len(field.Names))
					}
				}
			}
		}
	}
}

// sources are the files of each package with code that is no test, by its folder.
func sources(t *testing.T) map[string][]string {
	t.Helper()
	root := filepath.Join("..", "..")
	dirs := map[string][]string{}
	err := filepath.WalkDir(root, func(path string, d os.DirEntry, err error) error {
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

// TestUsesRunDown: a file uses what another one defines. Files are laid on floors so that most
// of these uses run down; what runs back up makes two files one.
func TestUsesRunDown(t *testing.T) {
	if testing.Short() {
		t.Skip("it type-checks packages")
	}
	house := compiled(t)
	// When each of them was one package, 153 of 393 ran back up in model and 142 of 366 in ui.
	for room, most := range map[string]int{"model": 15, "ui": 5} {
		var which []string
		all := 0
		for path, pkg := range house {
			in := strings.TrimPrefix(path, "locktop/")
			if in != room && !strings.HasPrefix(in, room+"/") || len(pkg.files) < 2 || in == "ui/cli" || strings.HasPrefix(in, "ui/cli/") {
				continue // the command line has a file for each command, and is no screen
			}
			of := uses(t, path, house)
			all += len(of)
			for _, up := range backUp(of) {
				which = append(which, in+": "+up)
			}
		}
		if all < 100 {
			t.Errorf("%s: %d uses between files were seen", room, all)
		}
		if slices.Sort(which); len(which) > most {
			t.Errorf("%s: %d of %d uses between files run back up, want at most %d:\n%s", room, len(which), all, most, strings.Join(which, "\n"))
		}
	}
}

// compiledPackage is a package with the file in which the compiler left what it exports.
type compiledPackage struct {
	export string
	files  []string
}

// compiled are all packages of the program, and those that they import.
func compiled(t *testing.T) map[string]compiledPackage {
	t.Helper()
	out, err := exec.Command("go", "list", "-export", "-deps", "-f", "{{.ImportPath}}={{.Export}}={{.Dir}}={{join .GoFiles \"=\"}}", "locktop/...").Output()
	if err != nil {
		t.Fatal(err)
	}
	all := map[string]compiledPackage{}
	for line := range strings.Lines(string(out)) {
		parts := strings.Split(strings.TrimSpace(line), "=")
		pkg := compiledPackage{export: parts[1]}
		for _, name := range parts[3:] {
			if name != "doc.go" {
				pkg.files = append(pkg.files, filepath.Join(parts[2], name))
			}
		}
		all[parts[0]] = pkg
	}
	return all
}

// use is that of a file by another one.
type use struct{ by, of string }

// uses are the uses between the files of a package.
func uses(t *testing.T, path string, house map[string]compiledPackage) map[use]bool {
	t.Helper()
	set := token.NewFileSet()
	var files []*ast.File
	for _, name := range house[path].files {
		f, err := parser.ParseFile(set, name, nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, f)
	}
	open := func(path string) (io.ReadCloser, error) {
		if house[path].export == "" {
			return nil, errors.New("no export data of " + path)
		}
		return os.Open(house[path].export)
	}
	info := &types.Info{Uses: map[*ast.Ident]types.Object{}}
	conf := types.Config{Importer: importer.ForCompiler(set, "gc", open)}
	pkg, err := conf.Check(path, set, files, info)
	if err != nil {
		t.Fatalf("%s: %v", path, err)
	}
	found := map[use]bool{}
	for id, o := range info.Uses {
		by, of := set.Position(id.Pos()).Filename, set.Position(o.Pos()).Filename
		if o.Pkg() == pkg && by != of {
			found[use{filepath.Base(by), filepath.Base(of)}] = true
		}
	}
	return found
}

// backUp lays the files so that few uses run back up, and returns those.
func backUp(uses map[use]bool) []string {
	floor := map[string]int{}
	for u := range uses {
		floor[u.by], floor[u.of] = 0, 0
	}
	files := slices.Sorted(maps.Keys(floor))
	back := func(order []string) (up []string) {
		for i, name := range order {
			floor[name] = i
		}
		for u := range uses {
			if floor[u.by] > floor[u.of] {
				up = append(up, u.by+" uses "+u.of)
			}
		}
		slices.Sort(up)
		return up
	}
	best := back(files)
	for better := true; better; {
		better = false
		for i := range files {
			for j := range files {
				order := slices.Delete(slices.Clone(files), i, i+1)
				order = slices.Insert(order, j, files[i])
				if up := back(order); len(up) < len(best) {
					files, best, better = order, up, true
				}
			}
		}
	}
	return best
}
