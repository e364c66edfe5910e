package contender

import (
	"bytes"
	"io"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"locktop/demo/cluster"
	"locktop/demo/etcdtest"
	"locktop/demo/labtest"
	"locktop/demo/process"
	"locktop/model"
	"locktop/model/text"
)

func TestContenderArgsRoundTrip(t *testing.T) {
	stdin := strings.NewReader("")
	want := Options{Name: "c1", Locks: []string{"-x=/y", "/z"}, Recipe: RecipeElectionRPC, Endpoints: []string{"a:1", "b:2"},
		TTL: 7, NoLease: true, Full: true, Rounds: 3, Manual: true, Workers: 2, IgnoreDone: true, Resource: "r:1", Hold: 1500 * time.Millisecond, Think: time.Second, QuickStart: 3 * time.Second, Between: 2 * time.Second, Seed: 1<<64 - 1, EndWith: stdin}
	got, err := parseArgs(want.Args(), stdin)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, got, cmp.Comparer(func(a, b io.Reader) bool { return a == b })); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	if _, err := parseArgs([]string{"--name=x"}, stdin); err == nil {
		t.Error("no lock was accepted")
	}
}

func TestContenderRefuses(t *testing.T) {
	good := Options{Name: "c", Locks: []string{"/l"}, Recipe: RecipeMutex, Endpoints: []string{"127.0.0.1:1"}, TTL: 1}
	tests := []struct {
		mod    func(*Options)
		reason string
	}{
		{func(o *Options) { o.Name = "" }, "nobody could tell it from others"},
		{func(o *Options) { o.Locks = nil }, "no lock"},
		{func(o *Options) { o.Locks = []string{""} }, "a lock without a name"},
		{func(o *Options) { o.Locks = []string{"/l", "/l/"} }, "its keys would have two slashes"},
		{func(o *Options) { o.Locks = []string{"/l", "/m", "/l"} }, "its session has it already"},
		{func(o *Options) { o.Recipe = "rwmutex" }, "not one that it knows"},
		{func(o *Options) { o.Endpoints = nil }, "nowhere to go"},
		{func(o *Options) { o.TTL = 0 }, "the client would take 60 s instead"},
		{func(o *Options) { o.NoLease = true }, "only the server makes leases for others"},
		{func(o *Options) { o.Hold = -1 }, "no time runs backwards"},
		{func(o *Options) { o.Between = -1 }, "nor between two locks"},
		{func(o *Options) { o.Rounds = -1 }, "less than never"},
		{func(o *Options) { o.Workers = 2; o.Recipe = RecipeRWRead }, "whose key is whose would not be known"},
		{func(o *Options) { o.Manual = true }, "nobody could tell it anything"},
		{func(o *Options) { o.Manual = true; o.EndWith = strings.NewReader(""); o.Workers = 2 }, "told whom?"},
	}
	for _, tt := range tests {
		o := good
		tt.mod(&o)
		if err := Run(t.Context(), o, io.Discard); err == nil {
			t.Errorf("%s: accepted", tt.reason)
		}
	}
}

func TestDecodeBelief(t *testing.T) {
	good := `{"at":"2026-01-02T03:04:05Z","contender":"c1","pid":7,"state":"holding","lock":"/l","key":"/l/1f","lease":"1f","token":9}`
	b, pid, err := DecodeBelief([]byte(good))
	if err != nil {
		t.Fatal(err)
	}
	want := model.Belief{At: time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC), Contender: "c1", Lock: "/l",
		State: model.BeliefHolding, Key: "/l/1f", Lease: 0x1f, Token: 9}
	if diff := cmp.Diff(want, b); diff != "" || pid != 7 {
		t.Errorf("pid %d, -want +got:\n%s", pid, diff)
	}
	bad := []struct{ line, reason string }{
		{"panic: runtime error", "no JSON"},
		{"{}", "says nothing"},
		{strings.Replace(good, "holding", "confused", 1), "a state that nobody knows"},
		{strings.Replace(good, `"lease":"1f"`, `"lease":"xyz"`, 1), "a lease that is no number"},
		{strings.Replace(good, `"pid":7`, `"pid":-7`, 1), "a signal to it would go to a group"},
		{strings.Replace(good, `"c1"`, `""`, 1), "nobody"},
	}
	for _, tt := range bad {
		if _, _, err := DecodeBelief([]byte(tt.line)); err == nil {
			t.Errorf("%s: %s was accepted", tt.reason, tt.line)
		}
	}
}

// TestNamesOfAnyBytesAreToldWhole: JSON has no bytes that are not UTF-8, and who reads a lock's name
// looks for that lock in etcd.
func TestNamesOfAnyBytesAreToldWhole(t *testing.T) {
	for _, r := range []struct{ reason, lock, readable string }{
		{"a name that is UTF-8 is told as it is", "/lock/账单", `"lock":"/lock/账单","key":`},
		{"one that is not, in a form that a person can read, and its bytes", "/lock/\xff\xfe", `"lock":"/lock/\\xff\\xfe","lock_base64":"L2xvY2sv//4="`},
	} {
		var out bytes.Buffer
		(&teller{out: &out}).say(BeliefLine{Contender: "c", PID: 7, State: model.BeliefHolding, Lock: r.lock, Key: r.lock + "/1f"})
		b, _, err := DecodeBelief(out.Bytes())
		if err != nil || b.Lock != r.lock || b.Key != r.lock+"/1f" || !strings.Contains(out.String(), r.readable) {
			t.Errorf("%s: read %q and %q (%v) from %s; want %s in it", r.reason, b.Lock, b.Key, err, &out, r.readable)
		}
	}
}

// TestASentenceOfOursIsToldAsAMessage: English in the line, for whoever reads it, and named besides, so that
// a screen says it in its own language. Words of others stay as they came.
func TestASentenceOfOursIsToldAsAMessage(t *testing.T) {
	for _, r := range []struct {
		reason       string
		said         model.Message
		text, inZh   string
		another      string // takes the place of the text on the way
		isNoSentence bool
	}{
		{"of two arguments, one a number", model.Say("program-refused", "put", "write", int64(5), int64(7)), "put: write the resource: refused: token 5 is older than 7", "put：write 资源：拒绝，令牌 5 比 7 旧", "", false},
		{"of none", model.Say("program-drops"), "renews no more", "不再续租", "", false},
		{"an error of another", quote("put: disk on fire"), "put: disk on fire", "put: disk on fire", "", true},
		{"a backslash of another", quote(`no file C:\x`), `no file C:\x`, `no file C:\\x`, "", true},
		{"a line that names a sentence and says something else", model.Say("program-drops"), "it renews", "it renews", "it renews", true},
	} {
		l := BeliefLine{Contender: "c", PID: 7, State: model.BeliefHolding, Lock: "/lock/a"}
		if l.put(r.said); r.another != "" {
			l.Text = r.another
		}
		var out bytes.Buffer
		(&teller{out: &out}).say(l)
		b, _, err := DecodeBelief(out.Bytes())
		if zh := text.Render(text.Chinese, b.Says()); err != nil || b.Text != r.text || zh != r.inZh || b.Said.IsZero() != r.isNoSentence {
			t.Errorf("%s: %q, in Chinese %q, a sentence of ours: %v (%v)", r.reason, b.Text, zh, !b.Said.IsZero(), err)
		}
	}
}

// alone starts a contender by itself, connected to endpoint, and returns its
// standard input and the lines that it prints.
func alone(t *testing.T, endpoint string) (*exec.Cmd, io.Closer, func() model.Belief) {
	t.Helper()
	o := Options{Name: "c", Locks: []string{"/l"}, Recipe: RecipeMutex, Endpoints: []string{endpoint},
		TTL: 60, Hold: time.Hour, EndWith: &bytes.Buffer{}}
	args := append(labtest.SelfAs(asContender), o.Args()...)
	cmd := exec.Command(args[0], args[1:]...)
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = cmd.Process.Kill() })
	lines := labtest.NewLineReader(out)
	return cmd, in, func() model.Belief {
		t.Helper()
		b, _, err := DecodeBelief(lines())
		if err != nil {
			t.Fatal(err)
		}
		return b
	}
}

func TestContenderEndsWithStdinAndLetsGo(t *testing.T) {
	c, err := cluster.Start(t.Context(), cluster.Options{Members: 1, Dir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	cmd, in, next := alone(t, c.MemberEndpoints()[0])
	for next().State != model.BeliefHolding {
	}
	cli := labtest.NewClient(t, c.MemberEndpoints()...)
	if q := labtest.Queue(t, cli, "/l"); len(q) != 1 {
		t.Fatalf("keys %q", q)
	}
	in.Close()
	if err := cmd.Wait(); err != nil {
		t.Errorf("it ended with %v", err)
	}
	if q := labtest.Queue(t, cli, "/l"); len(q) != 0 {
		t.Errorf("left behind: %q", q)
	}
	leases, err := cli.Leases(t.Context())
	if err != nil || len(leases.Leases) != 0 {
		t.Errorf("left behind: %v (%v)", leases, err)
	}
}

func TestContenderWithoutEtcd(t *testing.T) {
	nobody := etcdtest.Nobody(t)
	cmd, _, next := alone(t, nobody)
	b := next()
	for b.Text == "" {
		b = next()
	}
	if b.State != model.BeliefIdle || !strings.Contains(b.Text, nobody) {
		t.Errorf("%+v does not say what failed", b)
	}
	begun := time.Now()
	if err := cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	if err := cmd.Wait(); err != nil {
		t.Errorf("it ended with %v", err)
	}
	if took := time.Since(begun); took > leaveWithin+10*time.Second {
		t.Errorf("it took %v to end", took)
	}
}

// TestSingleKeyTriesInVain: one who waits for a single key says of each try that it
// failed, and then waits on: so the tries of a herd can be counted.
func TestSingleKeyTriesInVain(t *testing.T) {
	endpoint, cli := oneEtcd(t)
	if _, err := cli.Put(t.Context(), "/l", "somebody"); err != nil {
		t.Fatal(err)
	}
	h := &heard{t: t}
	r := contendWith(t, h, Options{Name: "a", Locks: []string{"/l"}, Recipe: RecipeSingle,
		Endpoints: []string{endpoint}, TTL: 30, Rounds: 1, Hold: time.Millisecond, Think: time.Millisecond})
	states := func() (all []model.BeliefState) {
		for _, b := range h.lines() {
			all = append(all, b.State)
		}
		return all
	}
	for deadline := time.Now().Add(labtest.Patience); len(states()) < 4; {
		if time.Now().After(deadline) {
			t.Fatalf("it said %v", h.lines())
		}
		time.Sleep(5 * time.Millisecond)
	}
	if _, err := cli.Delete(t.Context(), "/l"); err != nil {
		t.Fatal(err)
	}
	if !process.Wait(r.ended, labtest.Patience) {
		t.Fatalf("it has not ended after a round: %+v", h.lines())
	}
	want := []model.BeliefState{model.BeliefIdle, model.BeliefWaiting, model.BeliefIdle, model.BeliefWaiting,
		model.BeliefHolding, model.BeliefLeaving, model.BeliefIdle}
	if diff := cmp.Diff(want, states()); diff != "" {
		t.Errorf("what it said (-want +got):\n%s", diff)
	}
	if got := h.lines()[2].Text; got != triedInVain {
		t.Errorf("of its first try it said %q", got)
	}
}
