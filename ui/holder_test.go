package ui

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"locktop/ui/fields"
)

// TestTheConsoleNamesTheHolderThatTheTablesName: who holds, and for how long, is said of a lock
// by its page where ls says it; where nobody holds neither is said.
func TestTheConsoleNamesTheHolderThatTheTablesName(t *testing.T) {
	b := newBench(t, Options{})
	kube := func(holder string) string {
		return fmt.Sprintf(`{"kind":"Lease","apiVersion":"coordination.k8s.io/v1","spec":{"holderIdentity":%q,"leaseDurationSeconds":15}}`, holder)
	}
	b.w.put(0, "/registry/leases/ns/held", kube("pod-1"), 0)
	b.w.put(0, "/registry/leases/ns/idle", kube(""), 0)
	b.w.claim(0, "/mutex", "", 0xa1)
	b.w.put(0, "/blocked/note", "x", 0)
	b.w.claim(1, "/blocked", "", 0xb2)
	b.sync(5)
	b.size(200, 30)
	b.View()
	b.send(tickMsg(at(6))) // names that had no room have it in the next frame
	// cell is what stands in the row of a lock from left of its column to the end of the title.
	cell := func(lock, title string) string {
		_, table, _ := strings.Cut(b.text(), "  LOCK ")
		lines := strings.Split("  LOCK "+table, "\n")
		from := len([]rune(lines[0][:strings.Index(lines[0], title)]))
		for _, line := range lines[1:] {
			if row := []rune(line); strings.Contains(line, " "+lock+" ") {
				if title == "HELD" { // a number: it ends where the title does
					return strings.TrimSpace(string(row[from-4 : from+len(title)]))
				}
				return strings.Fields(string(row[from:]))[0]
			}
		}
		t.Fatalf("no row of %s:\n%s", lock, b.text())
		return ""
	}
	held := fields.Locks[slices.IndexFunc(fields.Locks, func(f fields.Field[fields.Lock]) bool { return f.Title == "title-held" })]
	for _, r := range []struct{ lock, holder, reason string }{
		{"/mutex", "a1", "a claim holds"},
		{"/registry/leases/ns/held", "pod-1", "a Lease that names its holder"},
		{"/registry/leases/ns/idle", "-", "a Lease that its holder let go: the key is there, and nobody holds it"},
		{"/blocked", "/blocked/note", "a foreign key stands first: it is named as what blocks, and does not hold"},
	} {
		inTables := held.Text(fields.Lock{S: b.state.View, L: b.state.Lock(r.lock), Now: at(5)})
		if got := cell(r.lock, "HELD"); (got == "") != (inTables == "-") {
			t.Errorf("%s: the console says that it is held for %q, ls says %q", r.reason, got, inTables)
		}
		if got := cell(r.lock, "HOLDER"); got != r.holder {
			t.Errorf("%s: the console says that %q holds, want %q", r.reason, got, r.holder)
		}
	}
}

// TestTheValueOfAKeyThatBlocks: it is the only hint at whose key it is, so it stands where the name
// of a client would; that of a claim does not.
func TestTheValueOfAKeyThatBlocks(t *testing.T) {
	b := newBench(t, Options{})
	b.w.put(0, "/blocked/note", "retries of the billing team \x1b[31m", 0)
	b.w.claim(1, "/blocked", "a value of its own", 0xb2)
	b.sync(5)
	b.size(200, 30)
	b.press("enter")
	b.sees(`value "retries of the billing`)
	if text := b.text(); strings.Contains(text, `value "a value`) || strings.Contains(text, "\x1b[31m\"") {
		t.Errorf("a claim has a name, and a terminal nothing to obey:\n%s", text)
	}
}
