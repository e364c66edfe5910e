package drill

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"locktop/model"
	"locktop/model/text"
)

// Names are the expectations and the kinds of faults: what [Explain] knows beside fields.
func Names() (expectations, faults []string) {
	for _, f := range model.FaultKinds() {
		faults = append(faults, string(f.Kind))
	}
	slices.Sort(faults)
	return Expectations(), faults
}

// Entry is what there is to say of an expectation or a fault.
type Entry struct {
	Name, Is, Says string
	// Rows are a word and what it means: fields, targets, needs.
	Rows [][2]string
	// Example is a line of a file.
	Example string
}

// Explain returns what a name means, of an expectation and of a fault.
func Explain(name string) []Entry {
	var all []Entry
	if x, ok := Info(name); ok {
		all = append(all, expectation(x))
	}
	if f, ok := model.FaultKind(name).Info(); ok {
		all = append(all, fault(f))
	}
	return all
}

func expectation(x ExpectationInfo) Entry {
	e := Entry{Name: x.Name, Is: "expectation", Says: x.Says, Example: "- " + x.Name}
	var values []string
	for _, f := range expectationFields() {
		if !slices.Contains(x.Takes, f.Name) {
			continue
		}
		says := f.Says
		need := slices.IndexFunc(x.Needs, func(n string) bool { return slices.Contains(strings.Split(n, "|"), f.Name) })
		switch {
		case need >= 0 && strings.Contains(x.Needs[need], "|"):
			says += " Needed: " + strings.ReplaceAll(x.Needs[need], "|", " or ") + "."
		case need >= 0:
			says += " Needed."
		case f.Name == "lock" && x.OneLock:
			says = "The lock. Needed where there are several."
		}
		if f.Name == "at-least" {
			says = strings.Replace(says, f.Says, map[bool]string{true: "A number.", false: "A time."}[x.Counts], 1)
		}
		if len(f.Words) > 0 {
			says += " One of " + strings.Join(f.Words, ", ") + "."
		}
		if e.Rows = append(e.Rows, [2]string{f.Name, says}); need >= 0 && !slices.ContainsFunc(values, func(v string) bool { return strings.Contains(x.Needs[need], v[:strings.Index(v, ":")]) }) {
			values = append(values, f.Name+": "+exampleOf(x, f))
		}
	}
	if len(values) > 0 {
		e.Example += ": {" + strings.Join(values, ", ") + "}"
	}
	return e
}

// exampleOf is a value that a field could have.
func exampleOf(x ExpectationInfo, f Field) string {
	switch {
	case f.Name == "at-least" && !x.Counts, f.Form == formDuration:
		return "2s"
	case f.Name == "at-least":
		return "1"
	case f.Name == "code":
		return "dead-holder"
	case f.Name == "text":
		return "refused"
	case f.Name == "prefix":
		return "/app/data/"
	}
	return cmp.Or(strings.Join(f.Words[:min(1, len(f.Words))], ""), "a")
}

// targetWords are what faults are done to.
var targetWords = map[model.FaultTarget]string{
	model.TargetProcess: "a contender's process",
	model.TargetClaim:   "the claim of a contender",
	model.TargetClient:  "the connections of a contender, or of all",
	model.TargetMember:  "a member",
	model.TargetKey:     "a key",
	model.TargetCluster: "the cluster: no target",
}

// targetExamples are one of each.
var targetExamples = map[model.FaultTarget]string{
	model.TargetProcess: "holder", model.TargetClaim: "holder", model.TargetClient: "holder",
	model.TargetMember: "leader", model.TargetKey: "/orders/key",
}

// fieldOf is how a drill writes a field of a fault: the delay of delay is its by.
func fieldOf(kind model.FaultKind, field string) string {
	if field == "delay" && kind == model.FaultDelay {
		return "by"
	}
	return field
}

func fault(f model.FaultInfo) Entry {
	e := Entry{Name: string(f.Kind), Is: "fault", Says: model.Capital(text.English(f.What)) + "."}
	e.Rows = append(e.Rows, [2]string{"target", targetWords[f.Target]})
	value := cmp.Or(targetExamples[f.Target], "true")
	if f.Instant {
		e.Rows = append(e.Rows, [2]string{"heal", "it is over at once"})
	} else {
		e.Rows = append(e.Rows, [2]string{"heal", text.English(f.Heal)}, [2]string{"for", "It ends by itself after that."})
	}
	if f.Needs != "" {
		e.Rows = append(e.Rows, [2]string{"needs", needs[f.Needs]})
	}
	for _, o := range Grammar() {
		if o.Name != "fault" {
			continue
		}
		for _, field := range o.Fields {
			is := func(takes string) bool { return fieldOf(f.Kind, takes) == field.Name }
			if !slices.ContainsFunc(f.Takes, is) {
				continue
			}
			says := field.Says
			if slices.ContainsFunc(f.Wants, is) {
				says += " Needed" + map[bool]string{true: ", it or another.", false: "."}[len(f.Wants) > 1]
				value += ", " + field.Name + ": " + map[bool]string{true: "1s", false: "1000"}[field.Form == formDuration]
			}
			e.Rows = append(e.Rows, [2]string{field.Name, says})
		}
	}
	e.Example = fmt.Sprintf("- fault: {%s: %s}", f.Kind, value)
	return e
}

// needs are what faults want the members to be.
var needs = map[model.MembersNeed]string{
	model.NeedsProcesses: "members that are processes: processes: true in lab",
	model.NeedsSeveral:   "several members",
}

// Page is the reference as a page of Markdown.
func Page() string {
	var b strings.Builder
	b.WriteString("# How a drill is written\n\nWritten by `go generate ./demo`; do not edit. `locktop drill new NAME` makes a file to begin with, " +
		"`locktop drill check FILE` says what is wrong in one, `locktop drill show NAME` prints a built-in one, and `locktop drill schema` a JSON Schema for editors.\n")
	for _, o := range Grammar() {
		fmt.Fprintf(&b, "\n## %s\n\n%s\n\n| Key | Value | What it says |\n|---|---|---|\n", model.Capital(o.Name), o.Says)
		for _, f := range o.Fields {
			says := f.Says
			if f.Needed {
				says += " Needed."
			}
			if n := len(f.Words); n > 0 {
				says += " One of `" + strings.Join(f.Words, "`, `") + "`."
			}
			fmt.Fprintf(&b, "| `%s` | %s | %s |\n", f.Name, strings.TrimSpace(string(f.Form)+" "+f.Of), says)
		}
	}
	fmt.Fprintf(&b, "\nA target is one of: %s. A time is like `500ms`, `3s` or `1m`.\n", Targets)
	expectations, faults := Names()
	for _, part := range []struct {
		title string
		names []string
	}{{"Expectations", expectations}, {"Faults", faults}} {
		fmt.Fprintf(&b, "\n## %s\n\n| Name | What it says | Takes | Example |\n|---|---|---|---|\n", part.title)
		for _, name := range part.names {
			for _, e := range Explain(name) {
				if e.Is+"s" != strings.ToLower(part.title) {
					continue
				}
				var takes []string
				for _, r := range e.Rows {
					takes = append(takes, "`"+r[0]+"`: "+r[1])
				}
				fmt.Fprintf(&b, "| `%s` | %s | %s | `%s` |\n", e.Name, e.Says, strings.Join(takes, "<br>"), e.Example)
			}
		}
	}
	return b.String()
}
