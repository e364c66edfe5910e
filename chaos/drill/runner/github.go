package runner

import (
	"fmt"
	"io"
	"strings"

	"locktop/chaos/drill"
)

// Annotations writes a command of GitHub's runner for each run that was not held: CI shows them
// beside the change. They name the file of a drill that is one.
func (s Suite) Annotations(w io.Writer) error {
	var b strings.Builder
	if mends := s.mends(); len(mends) > 0 && len(s.Reports) > 1 { // first: the page of a run shows ten
		annotate(&b, "error", "locktop: what to mend", "", 0, strings.Join(mends, "\n"))
	}
	for _, r := range s.Reports {
		pass := r.Verdict() == drill.Held // some runs may fail
		for i, round := range r.Rounds {
			if round.Verdict == drill.Held {
				continue
			}
			kind := "error"
			if pass {
				kind = "warning"
			}
			title := fmt.Sprintf("locktop drill %s, run %d: %s", r.Drill.Name, i+1, round.Verdict)
			about := r.mend() // the first of them says it
			for _, e := range round.Results {
				if e.Verdict != drill.Held {
					seen := strings.TrimSuffix(e.Describe()+": "+e.Numbers(), ": ")
					annotate(&b, kind, title, r.File, e.Line, seen+"\n"+strings.Join(e.Evidence, "\n")+"\n"+about)
					about = ""
				}
			}
			if about != "" {
				annotate(&b, kind, title, r.File, 0, round.Reason+"\n"+about)
			}
		}
		if r.Repeats != nil && !pass {
			annotate(&b, "error", "locktop drill "+r.Drill.Name, r.File, 0, r.Repeats.sentence())
		}
	}
	for _, name := range s.NotRun {
		annotate(&b, "error", "locktop drill "+name, "", 0, "it was not run")
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// What GitHub's runner wants to be escaped in a message, and in a property besides.
var (
	inMessage  = strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A")
	inProperty = strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A", ":", "%3A", ",", "%2C")
)

func annotate(b *strings.Builder, kind, title, file string, line int, message string) {
	fmt.Fprintf(b, "::%s title=%s", kind, inProperty.Replace(title))
	if file != "" {
		fmt.Fprintf(b, ",file=%s", inProperty.Replace(file))
		if line > 0 {
			fmt.Fprintf(b, ",line=%d", line)
		}
	}
	fmt.Fprintf(b, "::%s\n", inMessage.Replace(strings.TrimSpace(message)))
}

// Summary writes the suite as Markdown, for the page of a CI run: a row for each drill, and of each
// run that was not held what was seen, what to mend, and what happened when.
func (s Suite) Summary(w io.Writer) error {
	var b strings.Builder
	fmt.Fprintf(&b, "### locktop drill: %s\n\n| Drill | Verdict | Runs | Seen |\n|---|---|---|---|\n", s.Verdict())
	for _, r := range s.Reports {
		runs, seen := r.Repeats, ""
		if runs == nil {
			runs = r.Together(Repeats{Asked: len(r.Rounds)}, nil, nil)
		}
		for _, round := range r.Rounds {
			if round.Verdict != drill.Held && seen == "" {
				seen = round.worst()
			}
		}
		fmt.Fprintf(&b, "| `%s` | %s | %s | %s |\n", r.Drill.Name, r.Verdict(), runs.sentence(), cell(seen))
	}
	for _, name := range s.NotRun {
		fmt.Fprintf(&b, "| `%s` | unknown | not run | |\n", name)
	}
	for i, mend := range s.mends() {
		if i == 0 {
			b.WriteString("\n#### What to mend\n\n")
		}
		fmt.Fprintf(&b, "- %s\n", cell(mend))
	}
	for _, r := range s.Reports {
		for i, round := range r.Rounds {
			if round.Verdict != drill.Held {
				r.summary(&b, i, round)
			}
		}
		if flaky := r.flaky(); flaky != "" {
			fmt.Fprintf(&b, "\n`%s`: %s\n", r.Drill.Name, cell(flaky))
		}
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// cell is text as a cell of a table, or a line, shows it.
func cell(text string) string {
	return strings.NewReplacer("|", "\\|", "<", "&lt;", "\n", " ").Replace(text)
}

// summary says what came of a run that was not held.
func (r Report) summary(b *strings.Builder, i int, round Run) {
	fmt.Fprintf(b, "\n#### %s, run %d, seed %d: %s\n\n", r.Drill.Name, i+1, round.Seed, round.Verdict)
	if round.Reason != "" {
		fmt.Fprintf(b, "- %s\n", cell(round.Reason))
	}
	for _, e := range round.Results {
		if e.Verdict == drill.Held {
			continue
		}
		fmt.Fprintf(b, "- **%s**: %s\n", e.Verdict, cell(e.Describe()+": "+e.Numbers()))
		for _, line := range e.Evidence {
			fmt.Fprintf(b, "  - %s\n", cell(line))
		}
	}
	fmt.Fprintf(b, "\n%s\n\n<details><summary>what happened when, and what the programs printed last</summary>\n\n~~~text\n", cell(r.mend()))
	var out strings.Builder
	round.late(&out)
	round.timeline(&out)
	round.printed(&out, shortOutput)
	b.WriteString(strings.ReplaceAll(out.String(), "~~~", "~ ~ ~"))
	b.WriteString("~~~\n\n</details>\n")
}
