package cli

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"locktop/model"
	"locktop/model/fold"
	"locktop/ui/report"
)

// cli is the program on one etcd process, and etcdctl beside it.
type cliBench struct {
	t        *testing.T
	endpoint string
}

func newCLI(t *testing.T) *cliBench {
	t.Helper()
	require(t, "etcdctl")
	return &cliBench{t: t, endpoint: etcdProcess(t)}
}

func (b *cliBench) ctl(args ...string) string {
	b.t.Helper()
	cmd := exec.Command("etcdctl", args...)
	cmd.Env = append(os.Environ(), "ETCDCTL_API=3", "ETCDCTL_ENDPOINTS="+b.endpoint)
	out, err := cmd.CombinedOutput()
	if err != nil {
		b.t.Fatalf("etcdctl %v: %v\n%s", args, err, out)
	}
	return string(out)
}

// lease grants one and returns its id as the keys hold it.
func (b *cliBench) lease(ttl string) string {
	b.t.Helper()
	words := strings.Fields(b.ctl("lease", "grant", ttl)) // lease 694d… granted with TTL(60s)
	return strings.TrimLeft(words[1], "0")
}

func (b *cliBench) claim(lock, lease string) string {
	b.t.Helper()
	key := lock + "/" + lease
	b.ctl("put", "--lease="+lease, key, "")
	return key
}

// run runs the program and returns its exit code and what it printed. It is patient,
// as the machine may be busy.
func (b *cliBench) run(stdin string, args ...string) (code int, stdout, stderr string) {
	b.t.Helper()
	cmd := exec.Command(locktop(b.t), append(args, "--endpoints", b.endpoint)...)
	cmd.Env = append(os.Environ(), "XDG_STATE_HOME="+b.t.TempDir(), "ETCDCTL_DIAL_TIMEOUT=20s", "ETCDCTL_COMMAND_TIMEOUT=20s")
	var out, errs bytes.Buffer
	cmd.Stdin, cmd.Stdout, cmd.Stderr = strings.NewReader(stdin), &out, &errs
	_ = cmd.Run() // the exit code says it
	return cmd.ProcessState.ExitCode(), out.String(), errs.String()
}

func TestDoctor(t *testing.T) {
	b := newCLI(t)
	holder := b.claim("/ok/lock", b.lease("600"))
	rows := []struct {
		name   string
		before func()
		args   []string
		code   int
		want   string
		reason string
	}{
		{"healthy", func() {}, []string{"doctor"}, 0, " on 1 lock", "a lock with time left"},
		{"empty prefix", func() {}, []string{"doctor", "--prefix", "/none/"}, 0, " on 0 locks", "nothing there is nothing wrong"},
		{"foreign key", func() {
			b.ctl("put", "/cfg/setting", "x")
			b.claim("/cfg", b.lease("600"))
		}, []string{"doctor"}, 1, "error foreign-key (certain): /cfg/setting", "it blocks"},
		{"summed up", func() {}, []string{"doctor"}, 1, "1 error, 0 warnings, ", "how much there is, in one line"},
		{"one prefix", func() {}, []string{"doctor", "--prefix", "/ok/"}, 0, " on 1 lock", "what is wrong elsewhere is not asked"},
		{"json", func() {}, []string{"doctor", "-o", "json"}, 1, `"code": "foreign-key"`, "the same for programs"},
	}
	for _, r := range rows {
		r.before()
		code, out, errs := b.run("", r.args...)
		if code != r.code || !strings.Contains(out, r.want) {
			t.Errorf("%s: exit %d, want %d and %q: %s\n%s%s", r.name, code, r.code, r.want, r.reason, out, errs)
		}
	}
	if !strings.HasPrefix(holder, "/ok/lock/") {
		t.Fatal(holder)
	}
}

func TestADiagnosisIsSummedUp(t *testing.T) {
	at := time.Unix(1, 0)
	old := model.ClusterStatus{At: at, ClusterID: 1, Members: []model.Member{{ID: 1, Name: "m1", Leader: true, Version: "3.4.23"}}}
	list := func(keys ...string) []model.Event {
		listed := model.Listed{At: at, Rev: 9}
		for i, key := range keys {
			rev := int64(i + 1)
			listed.KVs = append(listed.KVs, model.KV{Key: key, CreateRev: rev, ModRev: rev, Version: 1, Lease: 0x1f})
		}
		return []model.Event{model.LoadStarted{At: at, Rev: 9}, listed, model.Loaded{At: at, Rev: 9}}
	}
	for _, row := range []struct {
		reason string
		events []model.Event
		blind  bool
		want   string
	}{
		{"one of each", list("/a/1f"), false, "No problems on 1 lock (1 claim)"},
		{"none", list(), false, "No problems on 0 locks (0 claims)"},
		{"not all was seen", list("/a/1f"), true, "No problems in what could be seen of 1 lock"},
		{"an info is no problem, and not nothing", append(list("/a/1f"), old), false, "0 errors, 0 warnings, 1 info on 1 lock"},
		{"what was found stands, whatever was not seen", append(list("/a/1f"), old), true, "0 errors, 0 warnings, 1 info on 1 lock"},
	} {
		s := fold.NewState()
		s.Apply(model.Batch{Events: row.events})
		if got := report.Summary(s, s.Locks(), row.blind); got != row.want {
			t.Errorf("%s: %q, want %q", row.reason, got, row.want)
		}
	}
}

// A doctor that is sent away has found nothing, neither good nor bad.
func TestADoctorThatIsEndedEarlyCouldNotLook(t *testing.T) {
	b := newCLI(t)
	cmd := exec.Command(locktop(t), "doctor", "--for", "1h", "--endpoints", b.endpoint)
	var errs bytes.Buffer
	cmd.Stderr = &errs
	start(t, cmd)
	until(t, "it watches", func() bool {
		r, err := http.Get("http://" + b.endpoint + "/metrics")
		if err != nil {
			return false
		}
		defer r.Body.Close()
		metrics, _ := io.ReadAll(r.Body)
		return bytes.Contains(metrics, []byte("\netcd_debugging_mvcc_watcher_total 1\n"))
	})
	cmd.Process.Signal(os.Interrupt)
	cmd.Wait()
	if code := cmd.ProcessState.ExitCode(); code != exitBad || errs.String() != "locktop: interrupted\n" {
		t.Errorf("exit %d: %s", code, errs.String())
	}
}

func TestDescribeSaysWhyAndWhatToDo(t *testing.T) {
	b := newCLI(t)
	b.ctl("put", "/cfg/setting", "x")
	b.claim("/cfg", b.lease("600"))
	code, out, errs := b.run("", "describe", "/cfg")
	for _, want := range []string{"state    blocked", "/cfg/setting", "foreign-key (certain)", "do: move the data elsewhere", "$ etcdctl get --prefix '/cfg/'"} {
		if code != 0 || !strings.Contains(out, want) {
			t.Fatalf("exit %d, no %q in\n%s%s", code, want, out, errs)
		}
	}
	b.claim("/well", b.lease("600"))
	for _, row := range []struct {
		args   []string
		says   bool
		reason string
	}{
		{[]string{"describe", "/well"}, true, "its lease was read"},
		{[]string{"describe", "/well", "--leases", "none"}, false, "nothing was read"},
		{[]string{"describe", "/cfg"}, false, "there is one"},
	} {
		if _, out, errs := b.run("", row.args...); strings.Contains(out, "No problem found on "+row.args[1]+"\n") != row.says {
			t.Errorf("%v: want that there is no problem: %v, %s\n%s%s", row.args, row.says, row.reason, out, errs)
		}
	}
	code, _, errs = b.run("", "describe", "/nope")
	if code != exitBad || !strings.Contains(errs, `there is no lock "/nope"`) || strings.Count(errs, "\n") != 1 {
		t.Errorf("exit %d: %s", code, errs)
	}
}

func TestEventsAsLines(t *testing.T) {
	b := newCLI(t)
	cmd := exec.Command(locktop(t), "events", "-o", "jsonl", "--endpoints", b.endpoint)
	out, _ := lines(t, cmd)
	defer cmd.Process.Kill()
	first, second := b.lease("60"), b.lease("60")
	var e struct {
		Kind, Lock, Cause, Confidence, Text string
		Gap                                 *float64
		Claim, From                         struct{ Lease string }
	}
	// Claims made before the watch is there are in its list, and who follows them on
	// their lock does not acquire it but take over: one lock after another, until one
	// is seen to be acquired.
	tries := 0
	until(t, "an event is printed", func() bool {
		b.claim(fmt.Sprintf("/l%d", tries), first)
		tries++
		select {
		case line := <-out:
			return json.Unmarshal([]byte(line), &e) == nil && e.Kind == "acquired"
		default:
			return false
		}
	})
	lock := e.Lock
	b.claim(lock, second)
	untilLine(t, out, `"kind":"queued"`)
	b.ctl("del", lock+"/"+first)
	if err := json.Unmarshal([]byte(untilLine(t, out, `"kind":"handover"`)), &e); err != nil {
		t.Fatal(err)
	}
	if e.Lock != lock || e.Claim.Lease != second || e.Cause != "released" || e.Confidence != "strong" || e.Gap == nil {
		t.Errorf("%+v", e)
	}
	cmd.Process.Signal(syscall.SIGTERM)
	cmd.Wait()
	if code := cmd.ProcessState.ExitCode(); code != 0 {
		t.Errorf("exit %d after SIGTERM", code)
	}
	if code, _, errs := b.run("", "events", "--for", "300ms"); code != 0 {
		t.Errorf("events --for ends by itself with %d: %s", code, errs)
	}
}

func TestBreak(t *testing.T) {
	b := newCLI(t)
	a, w := b.lease("600"), b.lease("600")
	holder, waiter := b.claim("/l", a), b.claim("/l", w)
	b.ctl("put", "--lease="+a, "/registry-of/a", "also on the lease")
	there := func(key string) bool { return strings.Contains(b.ctl("get", key, "--keys-only"), key) }

	code, _, errs := b.run("", "break", "/l")
	if code != exitBad || !strings.Contains(errs, "--armed") || !there(holder) {
		t.Fatalf("unarmed: exit %d, %s", code, errs)
	}
	code, out, errs := b.run("", "break", "/l", "--dry-run")
	for _, want := range []string{"goes: " + holder + ", which holds /l; next is", "goes: /registry-of/a", "by hand: etcdctl lease revoke " + a, "dry run: nothing was done"} {
		if code != 0 || !strings.Contains(out, want) || !there(holder) {
			t.Fatalf("dry run: exit %d, no %q in\n%s%s", code, want, out, errs)
		}
	}
	code, _, errs = b.run("/m\n", "break", "/l", "--armed")
	if code != exitBad || !strings.Contains(errs, "not the lock's name") || !there(holder) {
		t.Fatalf("wrong name: exit %d, %s", code, errs)
	}
	code, out, errs = b.run("/l\n", "break", "/l", "--armed")
	if code != 0 || there(holder) || there("/registry-of/a") || !there(waiter) || !strings.Contains(out, "revoked by you") {
		t.Fatalf("revoke: exit %d\n%s%s", code, out, errs)
	}
	code, out, errs = b.run("", "break", "/l", "--armed", "--yes", "--claim", waiter)
	if code != 0 || there(waiter) || !strings.Contains(out, "deleted by you") {
		t.Fatalf("guarded delete: exit %d\n%s%s", code, out, errs)
	}
	if code, _, errs = b.run("", "break", "/l", "--armed", "--yes"); code != exitBad || !strings.Contains(errs, "there is no lock") {
		t.Errorf("nothing left: exit %d, %s", code, errs)
	}
}

func TestBreakWritesItsJournalFirst(t *testing.T) {
	b := newCLI(t)
	b.claim("/l", b.lease("600"))
	state := t.TempDir()
	cmd := exec.Command(locktop(t), "break", "/l", "--armed", "--yes", "--endpoints", b.endpoint)
	cmd.Env = append(os.Environ(), "XDG_STATE_HOME="+state)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	text, err := os.ReadFile(filepath.Join(state, "locktop", "actions.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	journal := strings.Split(strings.TrimSpace(string(text)), "\n")
	if len(journal) != 2 || !strings.Contains(journal[0], `"step":"intent"`) || !strings.Contains(journal[1], `"done":true`) ||
		!strings.Contains(journal[0], "etcdctl lease revoke") {
		t.Errorf("%s", text)
	}
}

func TestExplain(t *testing.T) {
	var out, errs bytes.Buffer
	if code := Main([]string{"explain", "ttl-reset"}, strings.NewReader(""), &out, &errs); code != 0 || !strings.Contains(out.String(), "etcd-io/etcd#9395") {
		t.Errorf("exit %d: %s%s", code, out.String(), errs.String())
	}
	errs.Reset()
	if code := Main([]string{"explain", "ttl-rest"}, strings.NewReader(""), &out, &errs); code != exitBad || !strings.Contains(errs.String(), "ttl-reset") {
		t.Errorf("exit %d: %s: a near name is offered", code, errs.String())
	}
}

func TestARecipeCanBePinned(t *testing.T) {
	b := newCLI(t)
	b.ctl("put", "--lease="+b.lease("600"), "/mine/one", "me")
	if _, out, _ := b.run("", "ls"); !strings.Contains(out, "order-only") {
		t.Errorf("without a pin nothing is known of it:\n%s", out)
	}
	if _, out, _ := b.run("", "ls", "--recipe", "/mine/=single"); !strings.Contains(out, "single") || !strings.Contains(out, "?") {
		t.Errorf("with a pin it is a lock whose waiters are not visible:\n%s", out)
	}
	if code, _, errs := b.run("", "ls", "--recipe", "/mine/=magic"); code != exitBad || !strings.Contains(errs, "PREFIX=NAME") {
		t.Errorf("exit %d: %s", code, errs)
	}
}
