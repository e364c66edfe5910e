package drill

import (
	"encoding/json"
	"slices"
	"strings"

	"locktop/model"
	"locktop/model/text"
)

// node is a part of a JSON Schema.
type node map[string]any

// times and wholeSeconds are how durations are written.
const (
	times        = `^([0-9]+(\.[0-9]*)?|\.[0-9]+)(ns|us|µs|ms|s|m|h)(([0-9]+(\.[0-9]*)?|\.[0-9]+)(ns|us|µs|ms|s|m|h))*$`
	wholeSeconds = `^([0-9]+(s|m|h))+$`
)

// Schema is the JSON Schema (draft 7) of a drill file. What it refuses, a check refuses, too;
// a check knows more: whether the names in a file fit each other.
func Schema() ([]byte, error) {
	defs := node{
		"text":        node{"type": []string{"string", "number", "boolean"}},
		"time":        node{"type": "string", "pattern": times},
		"seconds":     node{"type": "string", "pattern": wholeSeconds},
		"names":       node{"anyOf": []any{ref("text"), node{"type": "array", "items": ref("text")}}},
		"sentence":    node{"anyOf": []any{ref("text"), node{"type": "object", "required": []string{"en"}, "additionalProperties": ref("text")}}},
		"expectation": expectations(),
		"fault":       faultNode(false),
		"heal":        faultNode(true),
	}
	for _, o := range Grammar() {
		if o.Name != "fault" {
			defs[short(o.Name)] = object(o)
		}
	}
	ask := defs["ask"].(node)
	ask["additionalProperties"] = ref("text") // the question in other languages
	step := defs["step"].(node)
	step["minProperties"], step["maxProperties"] = 1, 1
	defs["step"] = node{"anyOf": []any{step, node{"enum": []string{"heal", "see"}}}}
	root := defs["drill"].(node)
	needed := root["required"].([]string)
	delete(root, "required")
	root["anyOf"] = []any{node{"required": append([]string{"title"}, needed...)}, node{"required": append([]string{"lesson"}, needed...)}, node{"required": []string{"title", "guide"}}}
	defs["option"] = node{"anyOf": []any{ref("text"), node{"type": "object", "required": []string{"en"},
		"properties": node{"is": ref("text"), "why": ref("sentence")}, "additionalProperties": ref("text")}}}
	root["properties"].(node)["expect"].(node)["minItems"] = 1
	return json.MarshalIndent(node{"$schema": "http://json-schema.org/draft-07/schema#", "title": "A drill of locktop", "$ref": "#/definitions/drill", "definitions": defs}, "", "  ")
}

func ref(name string) node { return node{"$ref": "#/definitions/" + short(name)} }

// short is the name of an object without its article.
func short(name string) string { return strings.TrimPrefix(name, "a ") }

func object(o Object) node {
	fields, needed := node{}, []string{}
	for _, f := range o.Fields {
		if fields[f.Name] = value(f); f.Needed {
			needed = append(needed, f.Name)
		}
	}
	n := node{"type": "object", "description": o.Says, "properties": fields, "additionalProperties": false}
	if len(needed) > 0 {
		n["required"] = needed
	}
	return n
}

// value is what a field may be.
func value(f Field) node {
	n := node{}
	switch f.Form {
	case formNumber, formStep:
		n["type"], n["minimum"] = "integer", f.Min
	case formFlag:
		n["type"] = "boolean"
	case formDuration:
		n["allOf"] = []any{ref("time")}
	case formSeconds:
		n["allOf"] = []any{ref("seconds")}
	case formWords:
		n["allOf"] = []any{ref("sentence")}
	case formNames, formLocks:
		n["allOf"] = []any{ref("names")}
	case formObject:
		n["allOf"] = []any{ref(f.Of)}
	case formList:
		// One part stands for a list of one.
		n = node{"anyOf": []any{ref(f.Of), node{"type": "array", "items": ref(f.Of)}}}
	case formByName:
		of := node{"$ref": "#/definitions/text"}
		if len(f.Words) > 0 {
			of = node{"enum": f.Words}
		}
		n["type"], n["additionalProperties"], n["minProperties"] = "object", of, 1
	case formOptions:
		n["type"], n["items"] = "array", ref("option")
	case formMeasure, formPicture:
		n["anyOf"] = []any{node{"enum": f.Words}, node{"type": "object", "propertyNames": node{"enum": f.Words}, "minProperties": 1, "maxProperties": 1}}
		f.Words = nil
	case formAnything:
	case formFault:
		n["allOf"] = []any{ref(f.Name)}
	default:
		n["allOf"] = []any{ref("text")}
	}
	if len(f.Words) > 0 && f.Form != formByName {
		n = node{"enum": anyOf(f)}
	}
	n["description"] = f.Says
	return n
}

// anyOf are the words of a field, as numbers where they are.
func anyOf(f Field) []any {
	var all []any
	for _, w := range f.Words {
		if f.Form == formNumber {
			all = append(all, json.Number(w))
		} else {
			all = append(all, w)
		}
	}
	return all
}

// expectations are a name, or {name: {fields}}.
func expectations() node {
	var bare []string
	full := node{}
	for _, name := range Expectations() {
		x, _ := Info(name)
		o := Object{Says: x.Says}
		for _, f := range expectationFields() {
			if !slices.Contains(x.Takes, f.Name) {
				continue
			}
			f.Needed = slices.Contains(x.Needs, f.Name)
			if f.Name == "at-least" {
				if f.Form = formDuration; x.Counts {
					f.Form = formNumber
				}
			}
			o.Fields = append(o.Fields, f)
		}
		n := object(o)
		for _, need := range x.Needs {
			if either := strings.Split(need, "|"); len(either) > 1 {
				var any []any
				for _, field := range either {
					any = append(any, node{"required": []string{field}})
				}
				n["anyOf"] = any
			}
		}
		full[name] = n
		if len(x.Needs) == 0 {
			bare = append(bare, name)
			full[name] = node{"anyOf": []any{n, node{"type": "null"}}, "description": x.Says}
		}
	}
	return node{"anyOf": []any{node{"enum": bare},
		node{"type": "object", "properties": full, "additionalProperties": false, "minProperties": 1, "maxProperties": 1}}}
}

// faultNode is a bare kind, or {KIND: TARGET, ...}. To heal one, its kind is enough.
func faultNode(heal bool) node {
	var bare, one []any
	fields := node{}
	for _, o := range Grammar() {
		if o.Name == "fault" {
			fields = object(o)["properties"].(node)
		}
	}
	for _, f := range model.FaultKinds() {
		if heal && f.Instant {
			continue
		}
		if heal || f.Target == model.TargetCluster {
			bare = append(bare, string(f.Kind))
		}
		if one = append(one, node{"required": []string{string(f.Kind)}}); f.Kind != model.FaultDelay {
			fields[string(f.Kind)] = node{"description": model.Capital(text.English(f.What)) + "."}
		}
	}
	fields["delay"] = node{"description": "A target of the fault delay; of slow and slow-member a time."}
	if heal {
		bare = append(bare, "all")
	}
	return node{"anyOf": []any{node{"enum": bare}, node{"type": "object", "properties": fields, "additionalProperties": false, "anyOf": one}}}
}
