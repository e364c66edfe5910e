package demo

import (
	"embed"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// programs are workers that hold a lock and stop when they lose it. The drills are tried with them.
//
//go:embed testdata/programs/obeys/main.go testdata/programs/python/obeys.py testdata/programs/node/obeys.js
var programs embed.FS

// Program is a worker in a language for somebody to begin with: LOCK and TTL are its arguments.
type Program struct {
	// Lang is how files in the language end. Build are the lines that make it ready, in a folder in
	// which it is called lock.LANG.
	Lang  string
	Build []string
	// Run starts it on a lock of the name Lock, in the words of the drills. SingleKey says that its lock
	// is one key, and no queue.
	Run, Lock string
	SingleKey bool
	path      string
}

var programOf = map[string]Program{
	"go": {Build: []string{"go mod init lock && go mod tidy && go build -o lock ."}, Run: "./lock {lock} {ttl}", Lock: "/app/report", path: "obeys/main.go"},
	"py": {Build: []string{"pip install etcd3 'protobuf<4'   # or: apt-get install python3-etcd3"}, Run: "python3 lock.py {lock} {ttl}", Lock: "/locks/report", SingleKey: true, path: "python/obeys.py"},
	"js": {Build: []string{"npm install etcd3"}, Run: "node lock.js {lock} {ttl}", Lock: "/app/report", SingleKey: true, path: "node/obeys.js"},
}

// ProgramLangs are the languages that have a program, sorted.
func ProgramLangs() []string { return slices.Sorted(maps.Keys(programOf)) }

// asLock calls a program as its file is called at the person's.
var asLock = strings.NewReplacer("// Obeys is", "// Lock is", "obeys LOCK", "lock LOCK", "obeys.", "lock.")

// ProgramIn returns the program in a language, and its text.
func ProgramIn(lang string) (p Program, text string, err error) {
	p, ok := programOf[lang]
	if !ok {
		return p, "", fmt.Errorf("there is no program in %q: want one of %s", lang, strings.Join(ProgramLangs(), ", "))
	}
	p.Lang = lang
	data, err := programs.ReadFile("testdata/programs/" + p.path)
	if err != nil {
		return p, "", fmt.Errorf("reading the program: %w", err)
	}
	return p, asLock.Replace(string(data)), nil
}

// Drill are the lines that put the program into a drill.
func (p Program) Drill(name string) []string {
	what := fmt.Sprintf("    --as '%s' --lock %s", p.Run, p.Lock)
	if p.SingleKey {
		what += " --single-key"
	}
	return []string{"locktop drill run " + name + " \\", what + " \\", "    --belief 'stdout:/got the lock/=holding,/released|lost/=idle'"}
}
