package ui

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	tea "github.com/charmbracelet/bubbletea"
	"github.com/google/go-cmp/cmp"

	"locktop/model"
	"locktop/model/discover"
	"locktop/ui/dialog"
	"locktop/ui/page"
)

// startOf is a start page whose scan answers at once, or goes on until it is ended if there
// is an error.
func startOf(t *testing.T, f dialog.FoundPrefix, err error) (*bench, *[][]string) {
	watched := new([][]string)
	b := newBench(t, Options{Profile: colours})
	b.o.Watch = func(_ context.Context, prefixes []string) (Live, error) {
		*watched = append(*watched, prefixes)
		return Live{Actions: b.h}, nil
	}
	b.booted = false
	_, b.next = b.Shell.Update(bootedMsg{live: Live{Actions: b.h, Start: &dialog.Start{Keys: 60_000, Scan: func(ctx context.Context, progress func(int64, int64)) (dialog.FoundPrefix, error) {
		if err != nil {
			<-ctx.Done()
			return f, ctx.Err()
		}
		return f, nil
	}}}})
	b.send(dialog.SearchProgress{Done: 20_000, Total: 60_000})
	exact(t, b.View(), 120, 40)
	b.sees("20,000 of 60,000")
	return b, watched
}

var guesses = []discover.PrefixGuess{
	{Prefix: "/jobs/", Recipe: "mutex", Confidence: model.Strong, Locks: 3, Claims: 9, Leased: 9, Example: "/jobs/a/694d81e5fc652594"},
	{Prefix: "/jobs/deep/", Recipe: "election", Confidence: model.Strong, Locks: 1, Claims: 2, Leased: 1, Example: "/jobs/deep/x/1"},
	{Prefix: "/svc/\x1b[2J銀", Recipe: "single", Alternatives: []string{"vitess"}, Confidence: model.Hint, Locks: 1, Claims: 1, Example: "/svc/\x1b[2J銀"},
}

func TestStartPage(t *testing.T) {
	all := dialog.FoundPrefix{Keys: 60_000, Guesses: guesses}
	for _, r := range []struct {
		name   string
		found  dialog.FoundPrefix
		err    error
		keys   []string
		want   [][]string
		says   string
		reason string
	}{
		{"enter", all, nil, []string{"enter"}, [][]string{{"/jobs/"}}, "", "the one under the cursor"},
		{"several", all, nil, []string{" ", "end", " ", "enter"}, [][]string{{"/jobs/", "/svc/\x1b[2J銀"}}, "", "the chosen ones, not the cursor"},
		{"one under the other", all, nil, []string{" ", "down", " ", "enter"}, [][]string{{"/jobs/"}}, "", "the outer one covers it"},
		{"all keys", all, nil, []string{"a"}, [][]string{{""}}, "", "if that is what they want"},
		{"another prefix", all, nil, []string{":", "prefix /x/", "enter"}, [][]string{{"/x/"}}, "", "that nobody guessed"},
		{"other commands", all, nil, []string{":", "lock /x/", "enter"}, nil, "nothing is watched yet", "say why not"},
		{"nothing found", dialog.FoundPrefix{Keys: 60_000}, nil, []string{"enter"}, nil, "none of them looks like a lock", "and enter does nothing"},
		{"a part", dialog.FoundPrefix{Keys: 5, Partial: "the ceiling of 5 keys", Guesses: guesses}, nil, nil, nil, "only a part: the ceiling of 5 keys", "is said"},
		{"failed", dialog.FoundPrefix{Keys: 5}, errors.New("no \x1b answer"), nil, nil, `only a part: no \x1b answer`, "is said"},
		{"the example", all, nil, []string{"down"}, nil, "for example /jobs/deep/x/1; 1 without a lease", "in full"},
		{"help", all, nil, []string{"?"}, nil, "watch the chosen", "lists what works here"},
	} {
		t.Run(r.name, func(t *testing.T) {
			b, watched := startOf(t, r.found, r.err)
			b.send(dialog.Scanned{Found: r.found, Err: r.err})
			exact(t, b.View(), 120, 40)
			b.press(r.keys...)
			exact(t, b.View(), 120, 40)
			if d := cmp.Diff(r.want, append([][]string(nil), *watched...)); d != "" {
				t.Errorf("%s: %s", r.reason, d)
			}
			if (b.start == nil) != (len(r.want) > 0) {
				t.Errorf("the page is open: %v", b.start != nil)
			}
			if r.says != "" {
				b.sees(r.says)
			}
		})
	}
}

// TestStartPageWhileItLooks: esc ends the look, enter says why it has to wait.
func TestStartPageWhileItLooks(t *testing.T) {
	b, _ := startOf(t, dialog.FoundPrefix{Keys: 9, Partial: "ended after 9 of 60000 keys", Guesses: guesses}, context.Canceled)
	scanned := make(chan tea.Msg, 1)
	go func() { scanned <- b.next().(tea.BatchMsg)[0]() }()
	b.press("enter")
	b.sees("not available: the keys are still being looked at")
	b.press("esc")
	select {
	case msg := <-scanned:
		b.send(msg)
	case <-time.After(time.Minute):
		t.Fatal("esc does not end it")
	}
	b.sees("only a part: ended after 9")
	b.press("esc")
	b.sees("not available: the keys have been looked at")
	b.press("enter")
	if b.start != nil {
		t.Error("what was found cannot be watched")
	}
}

// TestStartPageFits every size.
func TestStartPageFits(t *testing.T) {
	b, _ := startOf(t, dialog.FoundPrefix{}, nil)
	for range 2 {
		for w := 1; w <= 130; w += 3 {
			for _, h := range []int{1, 4, 5, 7, 10, 13, 18, 24, 41} {
				b.size(w, h)
				exact(t, b.View(), w, h)
			}
		}
		b.send(dialog.Scanned{Found: dialog.FoundPrefix{Keys: 60_000, Guesses: guesses}})
	}
}

// TestAnotherPrefix: nothing of what was watched before stays, not even what it says
// after that, but what a person has set.
func TestAnotherPrefix(t *testing.T) {
	b, watched := startOf(t, dialog.FoundPrefix{Keys: 1, Guesses: guesses}, nil)
	b.send(dialog.Scanned{Found: dialog.FoundPrefix{Keys: 1, Guesses: guesses}})
	b.press("enter")
	b.send(b.w.batch())
	wrongLab(b)
	b.press("s", "v", "down", " ", "esc", "2", ":", "prefix /other/", "enter")
	b.send(pulledMsg{b.sources - 1, sourceEndedMsg{errors.New("closed")}})
	if len(*watched) != 2 || b.on() != "Locks" || b.state.Lock("/jobs/billing") != nil || b.spent != nil {
		t.Errorf("watched %q, page %s, ended by %v", *watched, b.on(), b.spent)
	}
	b.sees("Watching the keys under /other/")
	if b.viewState.Locks.Order.By != page.SortName || strings.Contains(b.text(), "RECIPE") {
		t.Errorf("what was set is gone:\n%s", b.text())
	}
}
