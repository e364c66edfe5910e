package drill

import (
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"go.yaml.in/yaml/v3"

	"locktop/model"
)

const (
	builtIns = "../../demo/drills/*.yaml"
	lessons  = "../../demo/lessons/*.yaml"
)

const head = "title: t\nlab: {contenders: [{name: a, lock: x}]}\n"

// TestTheReferenceIsWhatIsRead: what a file may say is what Parse asks for, part by part.
func TestTheReferenceIsWhatIsRead(t *testing.T) {
	known := func(file string) []string {
		_, err := Parse("d", []byte(file))
		if err == nil {
			t.Fatalf("zzz is read:\n%s", file)
		}
		m := regexp.MustCompile(`has no field "zzz": want one of (.*)`).FindStringSubmatch(err.Error())
		if m == nil {
			t.Fatalf("no list of fields: %v", err)
		}
		return strings.Split(m[1], ", ")
	}
	files := map[string]string{
		"a drill": "zzz: 1", "lab": "lab: {zzz: 1}", "a contender": "lab: {contenders: [{zzz: 1}]}",
		"a step": head + "steps: [{zzz: 1}]", "wait": head + "steps: [{wait: {zzz: 1}}]",
		"repeat": head + "steps: [{repeat: {zzz: 1}}]", "lesson": head + "lesson: {zzz: 1}", "task": head + "lesson: {task: {zzz: 1}}",
		"draft": head + "lesson: {task: {draft: {zzz: 1}}}", "blank": head + "lesson: {task: {draft: {blanks: [{zzz: 1}]}}}",
		"wrong": head + "lesson: {task: {wrong: [{zzz: 1}]}}", "reaction": head + "lesson: {task: {react: [{zzz: 1}]}}",
		"fault": head + "steps: [{fault: {pause: a, zzz: 1}}]",
		"guide": "title: t\nguide: {zzz: 1}", "guided task": "title: t\nguide: {tasks: [{zzz: 1}]}",
		"exam": head + "lesson: {exam: {zzz: 1}}", "case": head + "lesson: {exam: {cases: [{zzz: 1}]}}",
	}
	for _, o := range Grammar() {
		var has []string
		for _, f := range o.Fields {
			if has = append(has, f.Name); f.Says == "" || f.Form == "" {
				t.Errorf("%s of %s is not explained", f.Name, o.Name)
			}
		}
		slices.Sort(has)
		if o.Name == "ask" {
			continue // its other fields are languages
		}
		want := slices.DeleteFunc(known(files[o.Name]), func(name string) bool { return o.Name == "fault" && name == "pause" })
		if d := cmp.Diff(want, has); d != "" {
			t.Errorf("%s (-read +reference)\n%s", o.Name, d)
		}
	}
	var all []string
	for _, f := range expectationFields() {
		all = append(all, f.Name)
	}
	for _, name := range Expectations() {
		x, _ := Info(name)
		has := slices.Sorted(slices.Values(x.Takes))
		if d := cmp.Diff(known(head+"expect: [{"+name+": {zzz: 1}}]"), has); d != "" {
			t.Errorf("%s (-read +reference)\n%s", name, d)
		}
		for _, f := range x.Takes {
			if !slices.Contains(all, f) {
				t.Errorf("the field %s of %s is not explained", f, name)
			}
		}
	}
}

// TestEveryNameIsExplained: each says what it is, and its example is read.
func TestEveryNameIsExplained(t *testing.T) {
	expectations, faults := Names()
	lab := "title: t\nlab: {processes: true, contenders: [{name: a, lock: orders}]}\n"
	for _, name := range slices.Concat(expectations, faults) {
		for _, e := range Explain(name) {
			file := lab + "expect:\n  " + e.Example + "\n"
			if e.Is == "fault" {
				file = lab + "steps:\n  " + e.Example + "\nexpect: [fifo]\n"
			}
			if _, err := Parse("d", []byte(file)); err != nil || len(e.Says) < 10 {
				t.Errorf("%s %s: %q, %q: %v", e.Is, name, e.Says, e.Example, err)
			}
		}
		if len(Explain(name)) == 0 {
			t.Errorf("%s is not explained", name)
		}
	}
	if got := Explain("explode"); got != nil {
		t.Errorf("%+v", got)
	}
}

// TestTheSampleIsRead: what a person begins with is no mistake.
func TestTheSampleIsRead(t *testing.T) {
	d, err := Parse("mine.yaml", []byte(Sample("mine", "mine.yaml")))
	if err != nil || d.Name != "mine" {
		t.Errorf("%+v: %v", d, err)
	}
}

// TestSchema: editors accept what is read, and refuse what a check refuses for its form.
func TestSchema(t *testing.T) {
	data, err := Schema()
	if err != nil {
		t.Fatal(err)
	}
	var schema map[string]any
	if err := json.Unmarshal(data, &schema); err != nil {
		t.Fatal(err)
	}
	s := checker{schema}
	names, err := filepath.Glob(builtIns)
	if err != nil || len(names) == 0 {
		t.Fatalf("no drills: %v", err)
	}
	course, err := filepath.Glob(lessons)
	if err != nil || len(course) == 0 {
		t.Fatalf("no lessons: %v", err)
	}
	names = append(names, course...)
	for _, name := range names {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		if v := decoded(t, string(text)); !s.fits(schema, v) {
			t.Errorf("%s: it is read, and the schema refuses it", name)
		}
	}
	if !s.fits(schema, decoded(t, Sample("mine", "mine.yaml"))) {
		t.Error("the sample is refused")
	}
	for _, r := range []struct{ file, reason string }{
		{"title: t\nexpect: [fifo]\n", "it has no lab"},
		{head + "expect: []\n", "nothing is expected"},
		{head + "expect: [fifo]\ncolour: red\n", "a key that there is not"},
		{"title: t\nlab: {members: 2, contenders: [{name: a, lock: x}]}\nexpect: [fifo]\n", "two members"},
		{"title: t\nlab: {contenders: [{name: a, lock: x, ttl: 3}]}\nexpect: [fifo]\n", "a time without a unit"},
		{"title: t\nlab: {contenders: [{name: a, lock: x, ttl: 1500ms}]}\nexpect: [fifo]\n", "a TTL of parts of a second"},
		{"title: t\nlab: {contenders: [{name: a, lock: x, manual: 1}]}\nexpect: [fifo]\n", "a number for true"},
		{head + "steps: [{pause: 1s, say: hello}]\nexpect: [fifo]\n", "a step that does two things"},
		{head + "steps: [{fault: {explode: a}}]\nexpect: [fifo]\n", "a fault that there is not"},
		{head + "steps: [{fault: kill}]\nexpect: [fifo]\n", "a fault that needs a target"},
		{head + "steps: [{heal: kill}]\nexpect: [fifo]\n", "one that cannot be healed"},
		{head + "steps: [{wait: {belief: {a: hungry}}}]\nexpect: [fifo]\n", "a belief that there is not"},
		{head + "steps: [{say: {zh: x}}]\nexpect: [fifo]\n", "a text without English"},
		{"lab: {contenders: [{name: a, lock: x}]}\nexpect: [fifo]\n", "neither a title nor a lesson"},
		{head + "steps: [{ask: {en: q, options: [x, y], answer: 1, measure: luck}}]\nexpect: [fifo]\n", "a measure that there is not"},
		{head + "lesson: {number: 1}\nexpect: [fifo]\n", "a lesson without its texts"},
		{head + "expect: [served]\n", "an expectation without its bound"},
		{head + "expect: [{overlap: {lock: x}}]\n", "one without either bound"},
		{head + "expect: [{fifo: {within: 3s}}]\n", "a field that it does not take"},
		{head + "expect: [{handover: {cause: boredom}}]\n", "a cause that there is not"},
		{head + "expect: [{acquisitions: {at-least: 3s}}]\n", "a time where something is counted"},
	} {
		if s.fits(schema, decoded(t, r.file)) {
			t.Errorf("%s: the schema accepts it\n%s", r.reason, r.file)
		}
		if _, err := Parse("d", []byte(r.file)); err == nil {
			t.Errorf("%s: it is read\n%s", r.reason, r.file)
		}
	}
	for _, k := range model.FaultKinds() {
		if !strings.Contains(string(data), `"`+string(k.Kind)+`"`) {
			t.Errorf("the schema does not know %s", k.Kind)
		}
	}
}

// decoded is a file as an editor sees it.
func decoded(t *testing.T, text string) any {
	t.Helper()
	var v any
	if err := yaml.Unmarshal([]byte(text), &v); err != nil {
		t.Fatal(err)
	}
	data, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(data, &v); err != nil {
		t.Fatal(err)
	}
	return v
}

// checker knows as much of JSON Schema as ours uses; any other word in it is a panic.
type checker struct{ root map[string]any }

func (c checker) fits(s map[string]any, v any) bool {
	object, isObject := v.(map[string]any)
	list, isList := v.([]any)
	text, isText := v.(string)
	number, isNumber := v.(float64)
	all := func(of any, is func(map[string]any) bool) int {
		n := 0
		for _, sub := range of.([]any) {
			if is(sub.(map[string]any)) {
				n++
			}
		}
		return n
	}
	for word, want := range s {
		ok := true
		switch word {
		case "$schema", "title", "description", "definitions", "additionalProperties":
		case "$ref":
			name := strings.TrimPrefix(want.(string), "#/definitions/")
			ok = c.fits(c.root["definitions"].(map[string]any)[name].(map[string]any), v)
		case "type":
			is := map[string]bool{"object": isObject, "array": isList, "string": isText, "number": isNumber, "integer": isNumber && number == float64(int64(number)), "null": v == nil}
			_, is["boolean"] = v.(bool)
			if one, single := want.(string); single {
				ok = is[one]
			} else {
				ok = slices.ContainsFunc(want.([]any), func(one any) bool { return is[one.(string)] })
			}
		case "enum":
			ok = slices.Contains(want.([]any), v)
		case "propertyNames":
			for name := range object {
				ok = ok && c.fits(want.(map[string]any), name)
			}
		case "pattern":
			ok = !isText || regexp.MustCompile(want.(string)).MatchString(text)
		case "minimum":
			ok = !isNumber || number >= want.(float64)
		case "required":
			for _, name := range want.([]any) {
				_, has := object[name.(string)]
				ok = ok && (has || !isObject)
			}
		case "minProperties":
			ok = !isObject || len(object) >= int(want.(float64))
		case "maxProperties":
			ok = !isObject || len(object) <= int(want.(float64))
		case "minItems":
			ok = !isList || len(list) >= int(want.(float64))
		case "items":
			for _, part := range list {
				ok = ok && c.fits(want.(map[string]any), part)
			}
		case "anyOf":
			ok = all(want, func(sub map[string]any) bool { return c.fits(sub, v) }) > 0
		case "allOf":
			ok = all(want, func(sub map[string]any) bool { return !c.fits(sub, v) }) == 0
		case "properties":
			for name, part := range object {
				if of, has := want.(map[string]any)[name]; has {
					ok = ok && c.fits(of.(map[string]any), part)
				}
			}
		default:
			panic("no such word: " + word)
		}
		if !ok {
			return false
		}
	}
	known, _ := s["properties"].(map[string]any)
	switch rest := s["additionalProperties"].(type) {
	case bool:
		for name := range object {
			if _, has := known[name]; !has && !rest {
				return false
			}
		}
	case map[string]any:
		for name, part := range object {
			if _, has := known[name]; !has && !c.fits(rest, part) {
				return false
			}
		}
	}
	return true
}
