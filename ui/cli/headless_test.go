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
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"locktop/model"
	"locktop/model/store"
	"locktop/ui/report"

	clientv3 "go.etcd.io/etcd/client/v3"
)

// cliBench is the program on one server, and a client beside it.
type cliBench struct {
	t        *testing.T
	endpoint string
	client   *clientv3.Client
}

// testServer starts an etcd in the process of the test; TestOnTheInstalledServer has another one.
var testServer = func(t *testing.T) string { return member(t) }

func newCLI(t *testing.T) *cliBench {
	t.Helper()
	return newCLIOn(t, testServer(t))
}

func newCLIOn(t *testing.T, endpoint string) *cliBench {
	t.Helper()
	return &cliBench{t, endpoint, unbound(t, endpoint)}
}

// put writes a key, on a lease unless it is "".
func (b *cliBench) put(key, value, lease string) {
	b.t.Helper()
	var options []clientv3.OpOption
	if lease != "" {
		id, err := strconv.ParseInt(lease, 16, 64)
		if err != nil {
			b.t.Fatal(err)
		}
		options = append(options, clientv3.WithLease(clientv3.LeaseID(id)))
	}
	if _, err := b.client.Put(within(b.t), key, value, options...); err != nil {
		b.t.Fatalf("put %s: %v", key, err)
	}
}

func (b *cliBench) del(key string) {
	b.t.Helper()
	if _, err := b.client.Delete(within(b.t), key); err != nil {
		b.t.Fatalf("delete %s: %v", key, err)
	}
}

// keys are those that begin with a prefix, in their order.
func (b *cliBench) keys(prefix string) (keys []string) {
	b.t.Helper()
	got, err := b.client.Get(within(b.t), prefix, clientv3.WithPrefix(), clientv3.WithKeysOnly())
	if err != nil {
		b.t.Fatalf("get %s: %v", prefix, err)
	}
	for _, kv := range got.Kvs {
		keys = append(keys, string(kv.Key))
	}
	return keys
}

func (b *cliBench) there(key string) bool {
	b.t.Helper()
	return slices.Contains(b.keys(key), key)
}

// lease grants one of so many seconds and returns its id as the keys hold it.
func (b *cliBench) lease(seconds int64) string {
	b.t.Helper()
	lease, err := b.client.Grant(within(b.t), seconds)
	if err != nil {
		b.t.Fatalf("grant a lease: %v", err)
	}
	return fmt.Sprintf("%x", int64(lease.ID))
}

func (b *cliBench) claim(lock, lease string) string {
	b.t.Helper()
	key := lock + "/" + lease
	b.put(key, "", lease)
	return key
}

// run runs the program and returns its exit code and what it printed. It is patient,
// as the machine may be busy.
func (b *cliBench) run(stdin string, args ...string) (code int, stdout, stderr string) {
	b.t.Helper()
	return b.runIn(b.t.TempDir(), stdin, args...)
}

// runIn runs it with the audit log below a folder.
func (b *cliBench) runIn(state, stdin string, args ...string) (code int, stdout, stderr string) {
	b.t.Helper()
	cmd := exec.Command(locktop(b.t), append(args, "--endpoints", b.endpoint)...)
	cmd.Env = append(os.Environ(), "XDG_STATE_HOME="+state, "ETCDCTL_DIAL_TIMEOUT=20s", "ETCDCTL_COMMAND_TIMEOUT=20s")
	var out, errs bytes.Buffer
	cmd.Stdin, cmd.Stdout, cmd.Stderr = strings.NewReader(stdin), &out, &errs
	_ = cmd.Run() // the exit code says it
	return cmd.ProcessState.ExitCode(), out.String(), errs.String()
}

func TestDoctor(t *testing.T) {
	t.Parallel()
	b := newCLI(t)
	holder := b.claim("/ok/lock", b.lease(600))
	rows := []struct {
		name   string
		before func()
		args   []string
		code   int
		want   string
		reason string
	}{
		{"healthy", func() {}, []string{"doctor"}, 0, " on 1 lock", "a lock with time left"},
		{"empty prefix", func() {}, []string{"doctor", "--prefix", "/none/"}, 0, `no lock under "/none/"`, "nothing there is nothing wrong"},
		{"foreign key", func() {
			b.put("/mutex/cfg/setting", "x", "")
			b.claim("/mutex/cfg", b.lease(600))
		}, []string{"doctor"}, 1, "error foreign key blocks (certain): /mutex/cfg/setting", "it blocks"},
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
			kv := model.KV{Key: key, CreateRev: rev, ModRev: rev, Version: 1}
			if strings.HasSuffix(key, "/1f") {
				kv.Lease = 0x1f
			}
			listed.KVs = append(listed.KVs, kv)
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
		{"of no lock nothing is well", list(), false, "Nothing was judged: there is no lock; no lock under all keys (0 keys there)"},
		{"keys that are no claims are not judged", list("/a/config"), true, "Nothing was judged: there is no lock; no lock under all keys (1 key there)"},
		{"not all was seen", list("/a/1f"), true, "No problems in what could be seen of 1 lock"},
		{"an info is no problem, and not nothing", append(list("/a/1f"), old), false, "0 errors, 0 warnings, 1 info on 1 lock"},
		{"what was found stands, whatever was not seen", append(list("/a/1f"), old), true, "0 errors, 0 warnings, 1 info on 1 lock"},
	} {
		s := store.New()
		s.Apply(model.Batch{Events: row.events})
		var o report.Observation
		for _, b := range s.Bare() {
			o.Bare = append(o.Bare, report.Bare{Bare: b})
		}
		if got := report.Summary(s.View, s.Locks(), o, row.blind); got != row.want {
			t.Errorf("%s: %q, want %q", row.reason, got, row.want)
		}
	}
}

// A doctor that is sent away has found nothing, neither good nor bad.
func TestADoctorThatIsEndedEarlyCouldNotLook(t *testing.T) {
	// Alone: the member says how many watch all members of this process.
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
	t.Parallel()
	b := newCLI(t)
	b.put("/mutex/cfg/setting", "x", "")
	b.claim("/mutex/cfg", b.lease(600))
	code, out, errs := b.run("", "describe", "/mutex/cfg")
	for _, want := range []string{"state    blocked", "/mutex/cfg/setting", "foreign key blocks (certain)", "do: move the data elsewhere", "$ etcdctl get --prefix '/mutex/cfg/'"} {
		if code != 0 || !strings.Contains(out, want) {
			t.Fatalf("exit %d, no %q in\n%s%s", code, want, out, errs)
		}
	}
	b.claim("/well", b.lease(600))
	for _, row := range []struct {
		args   []string
		says   bool
		reason string
	}{
		{[]string{"describe", "/well"}, true, "its lease was read"},
		{[]string{"describe", "/well", "--leases", "none"}, false, "nothing was read"},
		{[]string{"describe", "/mutex/cfg"}, false, "there is one"},
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
	t.Parallel()
	b := newCLI(t)
	cmd := exec.Command(locktop(t), "events", "-o", "jsonl", "--endpoints", b.endpoint)
	out, _ := lines(t, cmd)
	defer cmd.Process.Kill()
	first, second := b.lease(60), b.lease(60)
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
		b.claim(fmt.Sprintf("/lock%d", tries), first)
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
	b.del(lock + "/" + first)
	if err := json.Unmarshal([]byte(untilLine(t, out, `"kind":"handover"`)), &e); err != nil {
		t.Fatal(err)
	}
	if e.Lock != lock || e.Claim.Lease != second || e.Cause != "released" || e.Confidence != "hint" || e.Gap == nil { // a delete by hand looks like an unlock
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
	t.Parallel()
	b := newCLI(t)
	a, w := b.lease(600), b.lease(600)
	holder, waiter := b.claim("/lock", a), b.claim("/lock", w)
	b.put("/registry-of/a", "also on the lease", a)

	code, _, errs := b.run("", "break", "/lock")
	if code != exitBad || !strings.Contains(errs, "--armed") || !b.there(holder) {
		t.Fatalf("unarmed: exit %d, %s", code, errs)
	}
	code, out, errs := b.run("", "break", "/lock", "--dry-run")
	for _, want := range []string{"goes: " + holder + ", which holds /lock; next is", "goes: /registry-of/a", "by hand: etcdctl lease revoke " + a, "dry run: nothing was done"} {
		if code != 0 || !strings.Contains(out, want) || !b.there(holder) {
			t.Fatalf("dry run: exit %d, no %q in\n%s%s", code, want, out, errs)
		}
	}
	code, _, errs = b.run("/m\n", "break", "/lock", "--armed")
	if code != exitBad || !strings.Contains(errs, "not the lock's name") || !b.there(holder) {
		t.Fatalf("wrong name: exit %d, %s", code, errs)
	}
	code, out, errs = b.run("/lock\n", "break", "/lock", "--armed")
	if code != 0 || b.there(holder) || b.there("/registry-of/a") || !b.there(waiter) || !strings.Contains(out, "revoked by you") {
		t.Fatalf("revoke: exit %d\n%s%s", code, out, errs)
	}
	code, out, errs = b.run("", "break", "/lock", "--armed", "--yes", "--claim", waiter)
	if code != 0 || b.there(waiter) || !strings.Contains(out, "deleted by you") {
		t.Fatalf("guarded delete: exit %d\n%s%s", code, out, errs)
	}
	if code, _, errs = b.run("", "break", "/lock", "--armed", "--yes"); code != exitBad || !strings.Contains(errs, "there is no lock") {
		t.Errorf("nothing left: exit %d, %s", code, errs)
	}
}

func TestBreakWritesItsJournalFirst(t *testing.T) {
	t.Parallel()
	b := newCLI(t)
	b.claim("/lock", b.lease(600))
	state := t.TempDir()
	cmd := exec.Command(locktop(t), "break", "/lock", "--armed", "--yes", "--endpoints", b.endpoint)
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
	t.Parallel()
	b := newCLI(t)
	b.put("/mine/one", "me", b.lease(600))
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
