package report

import (
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"locktop/model"
	"locktop/model/modeltest"
	"locktop/model/store"
)

// kinds is a state with a lock of every kind, in every condition that events alone make.
func kinds() *store.Store {
	s := store.New()
	at := func(sec int) time.Time { return noon.Add(time.Duration(sec) * time.Second) }
	rev := int64(100)
	put := func(sec int, key, value string, lease model.LeaseID) {
		rev++
		s.Apply(model.Batch{Events: []model.Event{model.Committed{At: at(sec), Rev: rev, Changes: []model.Change{
			{KV: model.KV{Key: key, Value: value, CreateRev: rev, ModRev: rev, Version: 1, Lease: lease}}}}}})
	}
	read := func(sec int, lease model.LeaseID, granted, left int64) {
		s.Apply(model.Batch{Events: []model.Event{model.LeaseRead{At: at(sec), ID: lease, Granted: granted, Remaining: left, Term: 2, Rev: rev}}})
	}
	claim := func(sec int, lock string, lease model.LeaseID) { put(sec, lock+"/"+lease.String(), "", lease) }
	s.Apply(model.Batch{Events: []model.Event{model.LoadStarted{At: at(0), Rev: 100}, model.Loaded{At: at(0), Rev: 100}, model.Watching{At: at(0), Rev: 100}}})
	claim(1, "/mutex/well", 0xa1)
	claim(2, "/mutex/well", 0xa2)
	put(3, "/mutex/blocked/setting", "=1", 0)
	claim(3, "/mutex/blocked", 0xb1)
	put(4, "/mutex/foreign/1c0", "", 0x1c0)
	put(4, "/mutex/foreign/setting", "", 0)
	claim(4, "/mutex/foreign", 0x1c1)
	put(5, "/registry/host-a:80", "x", 0x11)
	put(5, "/registry/host-b:80", "x", 0x12)
	for i := range 3 {
		put(6, fmt.Sprintf("/rw/read/170000000000000000%d", i), "", model.LeaseID(0x31+i))
	}
	put(6, "/rw/write/1700000000000000009", "", 0x39)
	put(6, "/rw/read/1700000000000000010", "", 0x3a)
	put(7, "/locks/one", "host-c", 0x13)
	put(8, "/barrier/waiters/x-1", "", 0x51)
	put(8, "/barrier/ready", "", 0)
	claim(9, "/mutex/late", 0xd1)
	claim(9, "/mutex/late", 0xd2)
	claim(10, "/mutex/overdue", 0xe1)
	claim(11, "/mutex/unread", 0xf1)
	claim(12, "/mutex/odd", 0x61)
	claim(12, "/mutex/free", 0x71)
	claim(12, "/mutex/gone", 0x81)
	read(13, 0xa1, 60, 58)
	read(13, 0xd1, 60, 58)
	read(13, 0x31, 60, 58)
	read(13, 0x61, 60, 58)
	read(49, 0x61, 60, 9_223_372_036)
	read(14, 0x81, 0, -1)
	read(14, 0xe1, 10, -4)
	read(48, 0xd1, 60, 33)
	rev++
	s.Apply(model.Batch{Events: []model.Event{model.Committed{At: at(49), Rev: rev, Changes: []model.Change{{Deleted: true, KV: model.KV{Key: "/mutex/free/71", ModRev: rev}}}},
		model.LeaseRead{At: at(49), ID: 0x71, Granted: 60, Remaining: 55}, model.Tick{At: at(50)}}})
	return s
}

// Every kind of lock, claim and finding in every format: header and cells, names and
// values stay where they are.
func TestEveryKindInEveryFormat(t *testing.T) {
	s := kinds()
	o := Observation{At: s.Now(), For: 5 * time.Second, Prefixes: []string{"/"}}
	for _, format := range Formats {
		t.Run(format, func(t *testing.T) {
			var b strings.Builder
			must(t, Locks(&b, s.View, s.Locks(), o, format))
			for _, l := range s.Locks() {
				fmt.Fprintf(&b, "== %s\n", l.Name)
				must(t, OneLock(&b, s.View, l, o, format))
			}
			if format != "table" && format != "json" {
				b.WriteString("== findings\n")
				must(t, Diagnoses(&b, s.Findings(), format))
			}
			modeltest.Fit(t, b.String())
			file := "testdata/kinds-" + format + ".txt"
			if *update {
				must(t, os.WriteFile(file, []byte(b.String()), 0o644))
			}
			want, err := os.ReadFile(file)
			must(t, err)
			if d := cmp.Diff(string(want), b.String()); d != "" {
				t.Errorf("run go test ./ui/report -run TestEveryKind -update if that is meant (-file +now)\n%s", d)
			}
		})
	}
}
