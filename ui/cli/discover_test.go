package cli

import (
	"encoding/json"
	"strings"
	"testing"

	"locktop/model/discover"
	"locktop/watcher"
)

func TestDiscoverPrintsPrefixes(t *testing.T) {
	t.Parallel()
	b := newCLI(t)
	for _, lock := range []string{"/jobs/locks/a", "/jobs/locks/b"} {
		b.claim(lock, b.lease(60))
	}
	b.put("/config/a", "1", "")
	b.put("/registry/pods/p", "1", "")
	b.claim("/registry/build", b.lease(60))

	code, out, errs := b.run("", "discover")
	if code != 0 || !strings.Contains(out, "/jobs/locks/") || !strings.Contains(out, "/registry/build/") || strings.Contains(out, "pods") || strings.Contains(out, "config") {
		t.Errorf("exit %d: %s%s", code, out, errs)
	}
	for _, want := range []string{"Scanned 5 keys (", "2 keys under /registry/, as of Kubernetes", "Few enough to watch everything"} {
		if !strings.Contains(errs, want) {
			t.Errorf("%q is missing in %q", want, errs)
		}
	}

	code, out, errs = b.run("", "discover", "-o", "json", "--prefix", "/jobs/", "--recipe", "/jobs/=election")
	var list []struct {
		Name, Recipe string
		Confidence   string `json:"recipe_confidence"`
		Locks        int
	}
	if err := json.Unmarshal([]byte(out), &list); err != nil || code != 0 || len(list) != 1 || list[0].Name != "/jobs/locks/" ||
		list[0].Recipe != "election" || list[0].Confidence != "certain" || list[0].Locks != 2 {
		t.Errorf("exit %d, %v: %s%s", code, err, out, errs)
	}

	code, _, errs = b.run("", "discover", "--max-keys", "1")
	if code != 0 || !strings.Contains(errs, "This is only a part: the ceiling of 1 keys") {
		t.Errorf("exit %d: %s", code, errs)
	}
}

func TestDiscoverRefusesBadInput(t *testing.T) {
	for _, row := range []struct {
		args []string
		want string
	}{
		{[]string{"-o", "xml"}, `unknown format "xml" (table, wide`}, {[]string{"--rps", "0"}, "--rps 0"}, {[]string{"--max-keys", "0"}, "--max-keys 0"},
		{[]string{"--prefix", "/a", "--prefix", "/b"}, "one --prefix"}, {[]string{"word"}, "takes no argument"},
	} {
		var out, errs strings.Builder
		if code := Main(append([]string{"discover"}, row.args...), strings.NewReader(""), &out, &errs); code != exitBad || !strings.Contains(errs.String(), row.want) {
			t.Errorf("%v: exit %d, %s", row.args, code, errs.String())
		}
	}
}

func TestDiscoveryNotes(t *testing.T) {
	for _, row := range []struct {
		reason, prefix string
		d              watcher.Discovery
		want           string
	}{
		{"nothing found", "", watcher.Discovery{Keys: 2, Total: 2, Requests: 3},
			"Scanned 2 keys (3 requests)\nNone of them looks like a lock\n"},
		{"many keys", "/a", watcher.Discovery{Keys: 60_000, Total: 60_000, Requests: 3, Prefixes: []discover.PrefixGuess{{Prefix: "/a'b/"}}},
			"Scanned 60000 keys under \"/a\" (3 requests)\nNext: locktop --prefix '/a'\\''b/'\n"},
		{"a prefix that no shell passes on", "", watcher.Discovery{Keys: 60_000, Total: 60_000, Requests: 3, Prefixes: []discover.PrefixGuess{{Prefix: "/\x00"}}},
			"Scanned 60000 keys (3 requests)\n"},
		{"few keys", "", watcher.Discovery{Keys: 2, Total: 2, Requests: 3, Prefixes: []discover.PrefixGuess{{Prefix: "/a/"}}},
			"Scanned 2 keys (3 requests)\nFew enough to watch everything\nNext: locktop\n"},
	} {
		var w strings.Builder
		discoveryNotes(&w, row.prefix, row.d)
		if w.String() != row.want {
			t.Errorf("%s: %q, want %q", row.reason, w.String(), row.want)
		}
	}
}
