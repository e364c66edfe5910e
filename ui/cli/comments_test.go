package cli

import (
	"go/ast"
	"go/doc/comment"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode"
)

// goFile is a file of Go, taken apart.
type goFile struct {
	path string // from the root on
	dir  string
	tree *ast.File
	set  *token.FileSet
}

// goFiles are all files of Go, those of tests and of demo/bench too.
func goFiles(t *testing.T) (files []goFile) {
	t.Helper()
	root := filepath.Join("..", "..")
	set := token.NewFileSet()
	err := filepath.WalkDir(root, func(name string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && name != root && (d.Name() == "testdata" || d.Name()[0] == '.'):
			return filepath.SkipDir
		case filepath.Ext(name) != ".go":
			return nil
		}
		rel, err := filepath.Rel(root, name)
		if err != nil {
			return err
		}
		tree, err := parser.ParseFile(set, name, nil, parser.ParseComments|parser.SkipObjectResolution)
		rel = filepath.ToSlash(rel)
		files = append(files, goFile{rel, path.Dir(rel), tree, set})
		return err
	})
	if err != nil || len(files) < 500 {
		t.Fatalf("%d files, %v", len(files), err)
	}
	return files
}

// declared are the names of each package, by its folder: Name, Type.Method and Type.Field.
func declared(files []goFile) map[string]map[string]bool {
	names := map[string]map[string]bool{}
	for _, f := range files {
		of := names[f.dir]
		if of == nil {
			of = map[string]bool{}
			names[f.dir] = of
		}
		for _, d := range f.tree.Decls {
			switch d := d.(type) {
			case *ast.FuncDecl:
				of[strings.TrimPrefix(receiver(d)+"."+d.Name.Name, ".")] = true
			case *ast.GenDecl:
				for _, s := range d.Specs {
					switch s := s.(type) {
					case *ast.ValueSpec:
						for _, name := range s.Names {
							of[name.Name] = true
						}
					case *ast.TypeSpec:
						of[s.Name.Name] = true
						for _, name := range members(s.Type) {
							of[s.Name.Name+"."+name] = true
						}
					}
				}
			}
		}
	}
	return names
}

// members are the names of the fields of a struct, and of the methods of an interface.
func members(of ast.Expr) (names []string) {
	var list *ast.FieldList
	switch of := of.(type) {
	case *ast.StructType:
		list = of.Fields
	case *ast.InterfaceType:
		list = of.Methods
	default:
		return nil
	}
	for _, field := range list.List {
		for _, name := range field.Names {
			names = append(names, name.Name)
		}
		if of, ok := field.Type.(*ast.SelectorExpr); ok && len(field.Names) == 0 {
			names = append(names, of.Sel.Name)
		}
	}
	return names
}

// TestEveryLinkOfACommentLeadsSomewhere: who follows a name in brackets in a comment finds it
// declared, in this package or in the one that the link names.
func TestEveryLinkOfACommentLeadsSomewhere(t *testing.T) {
	t.Parallel()
	files := goFiles(t)
	names := declared(files)
	rooms := map[string]string{} // the folder of a package, by its name
	for _, f := range files {
		if !strings.HasSuffix(f.tree.Name.Name, "_test") {
			rooms[f.tree.Name.Name] = f.dir
		}
	}
	links := 0
	for _, f := range files {
		imports := map[string]string{}
		for _, of := range f.tree.Imports {
			to := strings.Trim(of.Path.Value, `"`)
			name := path.Base(to)
			if of.Name != nil {
				name = of.Name.Name
			}
			imports[name] = to
		}
		for _, group := range f.tree.Comments {
			at := f.set.Position(group.Pos()).Line
			p := comment.Parser{
				LookupPackage: func(name string) (string, bool) {
					if to, ok := imports[name]; ok {
						return to, true
					}
					if dir, ok := rooms[name]; ok {
						return path.Join("locktop", dir), true
					}
					return comment.DefaultLookupPackage(name)
				},
				LookupSym: func(of, name string) bool {
					if links++; name == "" {
						return false
					}
					if name := strings.TrimPrefix(of+"."+name, "."); !names[f.dir][name] {
						t.Errorf("%s:%d: there is no [%s] in this package", f.path, at, name)
					}
					return true
				},
			}
			for _, link := range docLinks(p.Parse(group.Text()).Content) {
				dir, ours := strings.CutPrefix(link.ImportPath, "locktop/")
				if !ours {
					continue
				}
				links++
				name := strings.TrimPrefix(link.Recv+"."+link.Name, ".")
				if of, there := names[dir]; !there || name != "" && !of[name] {
					t.Errorf("%s:%d: there is no [%s] in %s", f.path, at, name, dir)
				}
			}
		}
	}
	if links < 100 {
		t.Errorf("%d links were followed", links)
	}
}

// docLinks are the links to declared names in the blocks of a comment.
func docLinks(blocks []comment.Block) (links []*comment.DocLink) {
	var lines func([]comment.Text)
	lines = func(text []comment.Text) {
		for _, t := range text {
			switch t := t.(type) {
			case *comment.DocLink:
				links = append(links, t)
			case *comment.Link:
				lines(t.Text)
			}
		}
	}
	for _, b := range blocks {
		switch b := b.(type) {
		case *comment.Paragraph:
			lines(b.Text)
		case *comment.Heading:
			lines(b.Text)
		case *comment.List:
			for _, item := range b.Items {
				links = append(links, docLinks(item.Content)...)
			}
		}
	}
	return links
}

// docVerbs are those with which a doc comment goes on after its name.
var docVerbs = strings.Fields("is are was has have say says tell tells name names find finds make makes return returns paint paints " +
	"append appends write writes read reads give gives take takes hold holds keep keeps show shows count counts run runs wait waits " +
	"put puts send sends start starts stop stops end ends")

// sentenceWords are those with which a sentence begins that is about no name.
var sentenceWords = strings.Fields("A It They This That These Those There Here Who What Which Each Every All Both One Two None Nobody Nothing Whoever Whatever JSON")

// TestADocCommentBeginsWithItsName: who renames something renames it in its comment, too. The first word of
// a doc comment is taken for a name if it has a capital letter within, or, but for tests, if a verb follows.
func TestADocCommentBeginsWithItsName(t *testing.T) {
	t.Parallel()
	checked := 0
	for _, f := range goFiles(t) {
		check := func(doc *ast.CommentGroup, names ...string) {
			if doc == nil || len(names) == 0 {
				return
			}
			checked++
			words := strings.Fields(doc.Text())
			if len(words) < 2 || slices.Contains(names, words[0]) || slices.Contains(sentenceWords, words[0]) || !identifier.MatchString(words[0]) {
				return
			}
			within := strings.IndexFunc(words[0][1:], unicode.IsUpper) >= 0 && strings.ToUpper(words[0]) != words[0]
			if within || !test.MatchString(names[0]) && slices.Contains(docVerbs, words[1]) {
				t.Errorf("%s: the comment of %s begins with %q", f.set.Position(doc.Pos()), strings.Join(names, ", "), strings.Join(words[:2], " "))
			}
		}
		for _, d := range f.tree.Decls {
			switch d := d.(type) {
			case *ast.FuncDecl:
				check(d.Doc, d.Name.Name)
			case *ast.GenDecl:
				for _, s := range d.Specs {
					switch s := s.(type) {
					case *ast.TypeSpec:
						check(s.Doc, s.Name.Name)
						if len(d.Specs) == 1 {
							check(d.Doc, s.Name.Name)
						}
					case *ast.ValueSpec:
						var names []string
						for _, name := range s.Names {
							names = append(names, name.Name)
						}
						check(s.Doc, names...)
						if len(d.Specs) == 1 {
							check(d.Doc, names...)
						}
					}
				}
			}
		}
		ast.Inspect(f.tree, func(n ast.Node) bool {
			if field, ok := n.(*ast.Field); ok {
				var names []string
				for _, name := range field.Names {
					names = append(names, name.Name)
				}
				check(field.Doc, names...)
			}
			return true
		})
	}
	if checked < 5000 {
		t.Errorf("%d comments were read", checked)
	}
}

var (
	identifier = regexp.MustCompile(`^[A-Za-z]\w*$`)
	test       = regexp.MustCompile(`^(Test|Fuzz|Benchmark)[A-Z]`)
	goName     = regexp.MustCompile(`[\w./-]*\w\.go\b`)
)

// foreign are files of others that comments name: of etcd, Vitess and Bubble Tea.
var foreign = strings.Fields("http.go concurrency/key.go recipes/key.go experimental/recipes/rwmutex.go concurrency/mutex.go pkg/idutil/id.go " +
	"storage/mvcc/kvstore_txn.go watchable_store.go etcd2topo/lock.go tea_init.go")

// TestEveryFileThatACommentNamesExists: a comment of Go, and the page for contributors, name no
// file of Go that is gone.
func TestEveryFileThatACommentNamesExists(t *testing.T) {
	t.Parallel()
	files := goFiles(t)
	exists := func(name string) bool {
		return slices.ContainsFunc(files, func(f goFile) bool {
			return f.path == strings.TrimPrefix(name, "./") || strings.HasSuffix(f.path, "/"+name)
		})
	}
	named := 0
	look := func(where, text string) {
		for _, name := range goName.FindAllString(text, -1) {
			named++
			if name[0] != '_' && !slices.Contains(foreign, name) && !exists(name) { // _test.go is how names end
				t.Errorf("%s: there is no file %s", where, name)
			}
		}
	}
	for _, f := range files {
		for _, group := range f.tree.Comments {
			for _, c := range group.List {
				if !strings.HasPrefix(c.Text, "//go:") {
					look(f.set.Position(c.Pos()).String(), c.Text)
				}
			}
		}
	}
	page := filepath.Join("..", "..", ".github", "CONTRIBUTING.md")
	text, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	look(page, string(text))
	if named < 50 {
		t.Errorf("%d files were named", named)
	}
}
