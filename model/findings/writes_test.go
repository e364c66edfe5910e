package findings_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"locktop/model"
	"locktop/model/findings"
	"locktop/model/modeltest"
	"locktop/model/text"
)

// TestOneFileHasTheLinesThatWrite walks the source of every rule: a command that revokes or
// deletes is made in writes.go alone, where it is said what goes with it, and no finding is
// written as a hint and an error.
func TestOneFileHasTheLinesThatWrite(t *testing.T) {
	files, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	writes := regexp.MustCompile(`lease revoke|etcdctl (del|put|txn)`)
	made, findings := 0, 0
	for _, name := range files {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		set := token.NewFileSet()
		file, err := parser.ParseFile(set, name, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(file, func(n ast.Node) bool {
			is := ""
			switch n := n.(type) {
			case *ast.SelectorExpr:
				if n.Sel.Name == "RevokeLease" || n.Sel.Name == "DeleteClaim" {
					is = n.Sel.Name
				}
			case *ast.BasicLit:
				is = writes.FindString(n.Value)
			case *ast.CompositeLit:
				if sel, ok := n.Type.(*ast.SelectorExpr); ok && sel.Sel.Name == "Finding" {
					findings++
					given := map[string]string{}
					for _, e := range n.Elts {
						if kv, ok := e.(*ast.KeyValueExpr); ok {
							if v, ok := kv.Value.(*ast.SelectorExpr); ok {
								given[kv.Key.(*ast.Ident).Name] = v.Sel.Name
							}
						}
					}
					if given["Confidence"] == "Hint" && given["Severity"] == "SevError" {
						t.Errorf("%s: an error that is only a hint", set.Position(n.Pos()))
					}
				}
			}
			if is != "" && name == "writes.go" {
				made++
			} else if is != "" {
				t.Errorf("%s: %s: only writes.go knows what goes with it", set.Position(n.Pos()), is)
			}
			return true
		})
	}
	if made < 2 || findings < 30 {
		t.Errorf("%d lines that write and %d findings were looked at: the walk does not see them", made, findings)
	}
}

// TestTheCatalogueAdvisesNoBlindWrite: where what to do begins with a write, a condition
// stands in the same sentence, and breaking on a hint is no cure without one.
func TestTheCatalogueAdvisesNoBlindWrite(t *testing.T) {
	write := regexp.MustCompile(`\b([Rr]evoke|[Dd]elete|[Bb]reak) (its|that|the|this|one|it)\b`)
	condition := regexp.MustCompile(`(?i)\b(if|once|guarded|first|only|sure|lasts|hand|before|at work|ended|repeat|not|cannot wait)\b`)
	for _, e := range findings.Catalogue() {
		for _, sentence := range strings.SplitAfter(text.English(e.Do), ". ") {
			if write.MatchString(sentence) && !condition.MatchString(sentence) {
				t.Errorf("%s: a write without a condition: %q", e.Code, sentence)
			}
		}
	}
}

// TestAdviceSaysWhatGoesWithABreak: the lease of the dead waiter b2 also holds keys that are
// not watched, or nothing else.
func TestAdviceSaysWhatGoesWithABreak(t *testing.T) {
	a, b := model.LeaseID(0xa1), model.LeaseID(0xb2)
	key := modeltest.ClaimKey("/lock", b)
	listed := func(keys ...string) model.Event {
		return model.LeaseKeys{At: modeltest.At(15.1), ID: b, Keys: keys, Total: len(keys), Rev: 103}
	}
	for _, r := range []struct {
		reason string
		events []model.Event
		says   []string
		never  string
	}{
		{"nobody looked", nil, []string{"see what else its lease has: etcdctl lease timetolive --keys b2"}, "revoke|delete"},
		{"nothing else hangs on it", []model.Event{listed(key)}, []string{"revoke its lease: only /lock/b2 hangs on it: etcdctl lease revoke b2"}, "delete"},
		{"another lock and a registration", []model.Event{listed(key, "/other/b2", "/services/pay/10.0.0.2:80")},
			[]string{"it takes along /other/b2, /services/pay/10.0.0.2:80", "delete one key: only /lock/b2, guarded by its revisions (its owner is not told): printf"}, "lease revoke"},
		{"a watched lock", []model.Event{model.Committed{At: modeltest.At(15), Rev: 104, Changes: []model.Change{{KV: model.KV{Key: "/m/b2", CreateRev: 104, ModRev: 104, Version: 1, Lease: b}}}}, listed(key, "/m/b2")},
			[]string{"it takes along /m/b2 (holds /m)"}, "lease revoke"},
		{"one that joined after the list", []model.Event{listed(key), model.Committed{At: modeltest.At(15.2), Rev: 104, Changes: []model.Change{{KV: model.KV{Key: "/m/b2", CreateRev: 104, ModRev: 104, Version: 1, Lease: b}}}}},
			[]string{"it takes along /m/b2 (holds /m)"}, "lease revoke"},
		{"more than are named", []model.Event{model.LeaseKeys{At: modeltest.At(15.1), ID: b, Keys: []string{"/x/1", "/x/2", "/x/3", "/x/4", "/x/5"}, Total: 300, Rev: 103}},
			[]string{"it takes along /x/1, /x/2, /x/3, /x/4, 295 more"}, "lease revoke"},
		{"they may not be read", []model.Event{model.LeaseKeys{At: modeltest.At(15.1), ID: b, Reason: model.Say("quote", "no permission")}},
			[]string{"what else hangs on b2 may not be read (no permission), and a revoke would end all of it", "delete one key: only /lock/b2"}, "lease revoke"},
	} {
		h := modeltest.New()
		h.Loaded(0)
		h.Put(1, modeltest.ClaimKey("/lock", a), "", a)
		h.Put(2, key, "", b)
		h.Put(3, modeltest.ClaimKey("/lock", 0xc3), "", 0xc3)
		h.Read(3, a, 10, 9)
		h.Read(3, b, 10, 9)
		h.Read(7, b, 10, 9)
		h.Read(15, b, 10, 1)
		s := state(h)
		if need := s.Want(nil).Keys; len(need) != 1 || need[0] != b {
			t.Errorf("the keys of %v are asked for, want those of %s", need, b)
		}
		s.Apply(model.Batch{Events: r.events})
		var f *model.Finding
		for _, found := range s.FindingsOf(s.Lock("/lock")) {
			if found.Code == model.CodeDeadWaiter {
				f = &found
			}
		}
		if f == nil {
			t.Fatalf("%s: no dead waiter is found", r.reason)
		}
		advice := strings.Join(text.EnglishAll(f.Advice), "\n")
		for _, says := range r.says {
			if !strings.Contains(advice, says) {
				t.Errorf("%s: want %q in\n%s", r.reason, says, advice)
			}
		}
		if why := modeltest.Unlawful(f); why != "" || regexp.MustCompile(r.never).MatchString(advice) {
			t.Errorf("%s: %s\n%s", r.reason, why, advice)
		}
		if still := len(s.Want(nil).Keys) > 0; still != (len(r.events) == 0) {
			t.Errorf("%s: the keys are asked for once more: %v", r.reason, still)
		}
	}
}

// TestALateRenewerIsAHint: a client that renews a second before the end of its lease was not
// yet seen to do so. With others behind it for long it is no error all the same, and no
// break is advised; a holder that was seen to renew in time, and stopped, is one.
func TestALateRenewerIsAHint(t *testing.T) {
	a, b := model.LeaseID(0xa1), model.LeaseID(0xb2)
	for _, r := range []struct {
		reason   string
		renewed  bool
		severity model.Severity
		says     string
	}{
		{"it may renew late", false, model.SevWarning, "some clients renew only a second before it"},
		{"it was seen to renew in time", true, model.SevError, "if the holder is certainly dead"},
	} {
		h := modeltest.New()
		h.Loaded(0)
		h.Put(1, modeltest.ClaimKey("/lock", a), "", a)
		h.Put(2, modeltest.ClaimKey("/lock", b), "", b)
		h.Read(3, a, 300, 298)
		if sec := 203.0; r.renewed {
			h.Read(103, a, 300, 299)
			h.Read(sec+110, a, 300, 89)
		} else {
			h.Read(sec, a, 300, 98)
		}
		f := state(h).Findings()[0]
		if why := modeltest.Unlawful(&f); f.Code != model.CodeDeadHolder || f.Severity != r.severity || why != "" || !strings.Contains(strings.Join(text.EnglishAll(f.Advice), "\n"), r.says) {
			t.Errorf("%s: %s %s, %s: %q", r.reason, f.Severity, f.Code, why, f.Advice)
		}
		if hint := strings.HasPrefix(text.English(findings.BreakWords(&f)), "this is a hint"); hint == r.renewed {
			t.Errorf("%s: %s", r.reason, text.English(findings.BreakWords(&f)))
		}
	}
}
