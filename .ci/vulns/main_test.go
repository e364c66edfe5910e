package main

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

func TestOldVersionsAreFound(t *testing.T) {
	known, err := parseKnown(`
# a remark
example.org/a ..1.2.3 CVE-1 one line of releases
example.org/b ..1.5.3,1.6.0..1.6.4 CVE-2 two that were mended apart
example.org/c 1.4.0..1.5.0 CVE-3 came with a release
example.org/d ..0.0.0-20220412211240-33da011f77ad CVE-4 mended between releases
stdlib ..1.25.10,1.26.0-0..1.26.3,1.27.0-0..1.27.0-rc.3 CVE-5 in Go
`)
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range []struct {
		m      module
		want   string // what is to be used instead
		reason string
	}{
		{module{Path: "example.org/a", Version: "v1.2.2"}, "v1.2.3", "older than the fix"},
		{module{Path: "example.org/a", Version: "v1.2.3"}, "", "the fix itself"},
		{module{Path: "example.org/a", Version: "v1.10.0"}, "", "ten is more than two"},
		{module{Path: "example.org/a/v2", Version: "v1.0.0"}, "", "another module"},
		{module{Path: "example.org/a", Version: "v1.2.3-rc.1"}, "v1.2.3", "before the release"},
		{module{Path: "example.org/a", Version: "v1.2.3-0.20240101000000-0123456789ab"}, "v1.2.3", "a commit after 1.2.2"},
		{module{Path: "example.org/a", Version: "v1.2.4-0.20240101000000-0123456789ab"}, "", "a commit after 1.2.3"},
		{module{Path: "example.org/a", Version: "v1.0.0+incompatible"}, "v1.2.3", "a module of before there were modules"},
		{module{Path: "example.org/a", Version: "v3.0.0+incompatible"}, "", "and a later one"},
		{module{Path: "example.org/b", Version: "v1.5.3"}, "", "mended in its line"},
		{module{Path: "example.org/b", Version: "v1.6.0"}, "v1.6.4", "higher than the first fix, and not mended in its line"},
		{module{Path: "example.org/b", Version: "v1.7.0"}, "", "later than both"},
		{module{Path: "example.org/c", Version: "v1.3.9"}, "", "before it came"},
		{module{Path: "example.org/c", Version: "v1.4.0"}, "v1.5.0", "where it came"},
		{module{Path: "example.org/d", Version: "v0.0.0-20220411000000-0123456789ab"}, "v0.0.0-20220412211240-33da011f77ad", "a day earlier"},
		{module{Path: "example.org/d", Version: "v0.0.0-20220413000000-0123456789ab"}, "", "a day later"},
		{module{Path: "example.org/a", Version: "v1.0.0", Replace: &module{Path: "example.org/a", Version: "v1.2.3"}}, "", "replaced with one that is mended"},
		{module{Path: "example.org/z", Version: "v1.0.0", Replace: &module{Path: "example.org/a", Version: "v1.0.0"}}, "v1.2.3", "replaced with one that is not"},
		{module{Path: "example.org/z", Version: "v1.0.0", Replace: &module{Path: "../z"}}, "a release", "replaced with a folder: nobody knows what it is"},
		{module{Path: standardLibrary, Version: goVersion("go1.26.2\n")}, "v1.26.3", "an old Go"},
		{module{Path: standardLibrary, Version: goVersion("go1.26.8")}, "", "a new Go"},
		{module{Path: standardLibrary, Version: goVersion("go1.27rc2")}, "v1.27.0-rc.3", "a release candidate"},
		{module{Path: standardLibrary, Version: goVersion("go1.26.2 X:loopvar")}, "v1.26.3", "with an experiment"},
		{module{Path: standardLibrary, Version: goVersion("go1.26.2-vendor")}, "v1.26.3", "a vendor's"},
		{module{Path: standardLibrary, Version: goVersion("devel go1.28-abc")}, "a release", "no release of Go"},
	} {
		lines := compare([]module{r.m}, known)
		if r.want == "" && len(lines) > 0 || r.want != "" && (len(lines) != 1 || !strings.HasSuffix(lines[0], ": use "+r.want)) {
			t.Errorf("%s: %q, want use of %q", r.reason, lines, r.want)
		}
	}
}

func TestTheList(t *testing.T) {
	known, err := parseKnown(knownText)
	if err != nil {
		t.Fatal(err)
	}
	old := []module{{Path: "golang.org/x/net", Version: "v0.10.0"}, {Path: "go.etcd.io/etcd/server/v3", Version: "v3.6.8"}, {Path: "google.golang.org/grpc", Version: "v1.50.0"}}
	for _, m := range old {
		if len(compare([]module{m}, known)) == 0 {
			t.Errorf("%v passes", m)
		}
	}
	for _, bad := range []string{"example.org/a 1.2.3 CVE-1 no dots", "example.org/a ..v1.2.3 CVE-1 a v", "example.org/a ..1.2.3 CVE-1", "example.org/a x..1.2.3 CVE-1 words"} {
		if _, err := parseKnown("\n" + bad); err == nil || !strings.HasPrefix(err.Error(), "known.txt:2: ") {
			t.Errorf("%q: %v", bad, err)
		}
	}
}

func TestModulesOfPackages(t *testing.T) {
	mods, err := parseModules([]byte(`{} {"Module":{"Path":"locktop/demo/bench","Main":true}} {"Module":{"Path":"locktop","Replace":{"Path":"../.."}}}
		{"Module":{"Path":"example.org/a","Version":"v1.0.0"}} {"Module":{"Path":"example.org/a","Version":"v1.0.0"}}`))
	if err != nil || len(mods) != 1 || mods[0].Path != "example.org/a" {
		t.Errorf("%v, %v: want the one that is not ours, once", mods, err)
	}
	if _, err := parseModules([]byte(`{"Module":`)); err == nil {
		t.Error("half an answer passes")
	}
}

func TestTheDatabaseIsReachable(t *testing.T) {
	status := http.StatusOK
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/index/db.json" {
			t.Errorf("asked for %s", r.URL.Path)
		}
		w.WriteHeader(status)
	}))
	if err := reachable(s.URL + "/"); err != nil {
		t.Error(err)
	}
	if status = http.StatusForbidden; reachable(s.URL) == nil {
		t.Error("a refusal is no answer")
	}
	if s.Close(); reachable(s.URL) == nil {
		t.Error("nobody is no answer")
	}
}
