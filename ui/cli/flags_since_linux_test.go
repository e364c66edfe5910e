package cli

import "testing"

// TestTheConsoleBeginsWithHistory: its journal has what was before it opened.
func TestTheConsoleBeginsWithHistory(t *testing.T) {
	t.Parallel()
	b := newCLI(t)
	first := b.claim("/jobs/billing", b.lease(600))
	b.claim("/jobs/billing", b.lease(600))
	b.del(first)
	cmd, term := consoleOn(t, b.endpoint, t.TempDir(), "--since-revision", "all")
	term.says(t, "/jobs/billing")
	term.master.WriteString("3")
	term.says(t, "took over from")
	term.says(t, "earlier")
	term.says(t, "the history of all keys is read up to")
	term.master.WriteString("q")
	cmd.Wait()
}
