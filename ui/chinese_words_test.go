package ui

import (
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"

	"locktop/model"
)

// notWords are what is no English of ours on the screen of a Chinese lesson: names, keys and calls of
// etcd and its clients, commands and themes as they are typed, and repositories.
var notWords = strings.Fields(`
	locktop etcd etcdctl mutex Jain TTL lab Leader leader txn del ndel rev proxy value lease req
	enter esc tab space up down left right export get prefix order sort fields keys timetolive
	pause connection refused election der SIGSTOP SIGCONT SIGKILL SIGTERM NOSPACE ETCD PID
	PgUp PgDn Home End ctrl shift OSC CREATE ASCEND Campaign Proclaim
	NAME PREFIX FILE TIME page output state held behind longest waited sort quit record screen theme dark light mono now
	ftl posthog redlock vitess website
	eader ort tcd CPU fencing demo api svc elect vault core cron job jobs report billing blocked lock checkout stray leader Two holders`)

// TestNoEnglishWordIsLeft: whatever page a Chinese lesson shows, at whichever size, each word of
// Latin letters is a name of this world, of a finding or a key, a command, or one that Chinese
// engineers say in English.
func TestNoEnglishWordIsLeft(t *testing.T) {
	word := regexp.MustCompile(`[A-Za-z]{3,}`)
	name := regexp.MustCompile(`\S*/\S*|[a-z]+(-[a-z]+)+|\S*…\S*|\$ .*|ETCDCTL\S*`) // paths, codes, what is cut off, and commands
	found := map[string]string{}
	look := func(b *bench, where string) {
		dialog := strings.HasSuffix(where, " x") || strings.HasSuffix(where, " v")
		for _, line := range strings.Split(b.text(), "\n") {
			if from, to := strings.Index(line, "│ "), strings.LastIndex(line, " │"); dialog && 0 <= from && from < to {
				line = line[from:to] // a dialog cuts the words behind it
			} else if from, to := strings.Index(line, "╭─ "), strings.LastIndex(line, "╮"); dialog && 0 <= from && from < to {
				line = line[from:to]
			} else if dialog && !strings.Contains(line, "─ ") {
				continue
			}
			for _, w := range word.FindAllString(name.ReplaceAllString(line, ""), -1) {
				if found[w] == "" && !slices.Contains(notWords, w) {
					found[w] = where + ": " + strings.TrimSpace(line)
				}
			}
		}
	}
	for _, size := range [][2]int{{80, 24}, {120, 36}, {200, 50}} {
		x := &trainer{steps: slices.Clone(told)}
		o := Options{Lab: true, Armed: true, Lesson: x.lesson(), Lang: "zh"}
		b := newBench(t, o)
		b.size(size[0], size[1])
		wrongLab(b)
		b.press("L")
		for _, page := range []string{"1", "enter", "2", "3", "4", "5", "6"} {
			b.press(page)
			look(b, "page "+page)
			for _, key := range []string{"?", "c", "e", "v", ":"} { // what stands over it
				b.press(key)
				look(b, "page "+page+" "+key)
				for range 6 {
					b.press("pgdown")
					look(b, "page "+page+" "+key)
				}
				b.press("esc")
			}
			for range 6 {
				b.press("j")
				look(b, "page "+page)
				b.press("x") // a lesson says so
				look(b, "page "+page+" x")
				b.press("esc")
			}
		}
		for _, on := range [][]string{{"5", "down"}, {"5", "tab", "down"}} { // a contender, a member
			b.pressed(on...)
			b.pressed("F")
			for range model.FaultKinds() {
				look(b, "faults x")
				b.pressed("down", "grace", "enter")
				if b.dialog == nil { // nothing to choose: it was done
					b.pressed("F")
					continue
				}
				look(b, "a fault x")
				b.pressed("esc")
				if b.dialog == nil {
					b.pressed("F")
				}
			}
			b.pressed("esc")
		}
	}
	for _, w := range slices.Sorted(maps.Keys(found)) {
		t.Errorf("%q has no Chinese word on %s", w, found[w])
	}
}
