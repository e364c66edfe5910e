package control

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"locktop/model"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// source delivers what is reported.
type source chan model.Event

func (s source) Next(ctx context.Context, _ model.Want) (model.Batch, error) {
	select {
	case e := <-s:
		return model.Batch{Events: []model.Event{e}}, nil
	case <-ctx.Done():
		return model.Batch{}, ctx.Err()
	}
}

// asks sends a line and returns the answer.
func asks(t *testing.T, c net.Conn, line string) string {
	t.Helper()
	if err := c.SetDeadline(time.Now().Add(20 * time.Second)); err != nil {
		t.Error(err)
	}
	if _, err := io.WriteString(c, line+"\n"); err != nil {
		t.Error(err)
	}
	text, err := bufio.NewReader(c).ReadString('\n')
	if err != nil {
		t.Errorf("%s: %v", line, err)
	}
	return text
}

// TestManyAtOnce: as many as there may be wait, look and act at the same time, one more is
// told so, and at the end all are let go and the socket is gone.
func TestManyAtOnce(t *testing.T) {
	path := filepath.Join(t.TempDir(), "s")
	l, err := Listen(path)
	if err != nil {
		t.Fatal(err)
	}
	events := make(source, 1000)
	ctx, cancel := context.WithCancel(t.Context())
	served := make(chan error, 1)
	go func() {
		served <- Serve(ctx, []Door{l}, Room{Source: events, Report: func(e model.Event) { events <- e },
			Do: func(_ context.Context, a model.Action) model.Outcome { return model.Outcome{Action: a, Done: true} }})
	}()
	var conns []net.Conn
	for range clientsMax {
		c, err := net.Dial("unix", path)
		if err != nil {
			t.Fatal(err)
		}
		defer c.Close()
		if got := asks(t, c, `{"do":"list"}`); got != "{\"ok\":true}\n" { // it is served now
			t.Error(got)
		}
		conns = append(conns, c)
	}
	for line, want := range map[string]string{
		`{"do":"list"}{"do":"heal"}`: "a line has one request",
		`{"do":"list"} x`:            "a line has one request",
		` {"do":"list"} `:            `"ok":true`,
	} {
		if got := asks(t, conns[0], line); !strings.Contains(got, want) {
			t.Errorf("%s: %s, want %s", line, got, want)
		}
	}
	more, err := net.Dial("unix", path)
	if err != nil {
		t.Fatal(err)
	}
	defer more.Close()
	if text, err := io.ReadAll(more); err != nil || !strings.Contains(string(text), "16 are connected already") {
		t.Errorf("%s %v", text, err)
	}
	var all sync.WaitGroup
	for i, c := range conns {
		all.Go(func() {
			line, want := `{"do":"wait","ended":"a","within":"20s"}`, `: a has ended`
			if i%2 == 1 {
				line, want = `{"do":"heal"}`, `"ok":true`
			}
			if got := asks(t, c, line); !strings.Contains(got, want) {
				t.Errorf("%s: %s, want %s", line, got, want)
			}
		})
	}
	events <- model.Contender{At: time.Now(), Name: "a", PID: 7, Proc: model.ProcRunning}
	events <- model.Contender{At: time.Now(), Name: "a", PID: 7, Proc: model.ProcEnded, Ended: "exit 0"}
	all.Wait()
	if got := asks(t, conns[0], `{"do":"judge"}`); !strings.Contains(got, `"live":false,"verdict":"unknown"`) {
		t.Errorf("nothing is watched, so nothing is well: %s", got)
	}
	hangs := make(chan string, 1)
	if _, err := io.WriteString(conns[1], `{"do":"wait","lock":"/l","holder":"a","within":"10m"}`+"\n"); err != nil {
		t.Error(err)
	}
	go func() {
		text, _ := bufio.NewReader(conns[1]).ReadString('\n') // it may be cut off without a word
		hangs <- text
	}()
	if got := asks(t, conns[2], `{"do":"list"}`); !strings.Contains(got, `"ended":"exit 0"`) {
		t.Error(got)
	}
	cancel()
	if err := <-served; err != nil {
		t.Error(err)
	}
	var a struct{ OK bool }
	if text := <-hangs; text != "" && (json.Unmarshal([]byte(text), &a) != nil || a.OK) {
		t.Errorf("a wait that was cut off is not met: %s", text)
	}
	if _, err := os.Lstat(path); !os.IsNotExist(err) {
		t.Errorf("the socket is still there: %v", err)
	}
}

// busy delivers a fault only when something was reported after it, and another event before both.
type busy struct {
	reported chan model.Event
	next     []model.Event
}

func (s *busy) Next(ctx context.Context, _ model.Want) (model.Batch, error) {
	if len(s.next) == 0 {
		e, err := source(s.reported).Next(ctx, model.Want{})
		if err != nil {
			return e, err
		}
		if _, fault := e.Events[0].(model.FaultOn); !fault {
			return e, nil
		}
		after, err := source(s.reported).Next(ctx, model.Want{})
		if err != nil {
			return after, err
		}
		s.next = []model.Event{model.Contender{At: time.Now(), Name: "b", Proc: model.ProcRunning}, e.Events[0], after.Events[0]}
	}
	e := s.next[0]
	s.next = s.next[1:]
	return model.Batch{Events: []model.Event{e}}, nil
}

// TestWhatWasDoneIsListed: a request is answered from a state that has all that was reported
// before it, however busy the source is with something else.
func TestWhatWasDoneIsListed(t *testing.T) {
	path := filepath.Join(t.TempDir(), "s")
	l, err := Listen(path)
	if err != nil {
		t.Fatal(err)
	}
	reported := make(chan model.Event, 10)
	ctx, cancel := context.WithCancel(t.Context())
	served := make(chan error, 1)
	go func() {
		served <- Serve(ctx, []Door{l}, Room{Source: &busy{reported: reported}, Report: func(e model.Event) { reported <- e },
			Do: func(_ context.Context, a model.Action) model.Outcome {
				reported <- model.FaultOn{At: time.Now(), ID: 1, Fault: a.Fault}
				return model.Outcome{Action: a, Done: true}
			}})
	}()
	c, err := net.Dial("unix", path)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	asks(t, c, `{"do":"inject","fault":"pause","target":"a"}`)
	if got := asks(t, c, `{"do":"list"}`); !strings.Contains(got, `"faults":[{"fault":"pause","target":"a"`) {
		t.Errorf("the fault is in force: %s", got)
	}
	cancel()
	if err := <-served; err != nil {
		t.Error(err)
	}
}

// TestWhatIsThereAlready: only a socket that nobody listens on is replaced.
func TestWhatIsThereAlready(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "s")
	l, err := Listen(path)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Listen(path); err == nil || !strings.Contains(err.Error(), "somebody listens on") {
		t.Errorf("it is in use: %v", err)
	}
	if err := l.Listener.Close(); err != nil { // as if it was killed: the file stays
		t.Fatal(err)
	}
	l, err = Listen(path)
	if err != nil {
		t.Fatalf("nobody listens: %v", err)
	}
	if err := l.Close(); err != nil {
		t.Error(err)
	}
	for _, r := range []struct {
		make   func(path string) error
		reason string
	}{
		{func(path string) error { return os.WriteFile(path, nil, 0o600) }, "a file"},
		{func(path string) error { return os.Mkdir(path, 0o700) }, "a folder"},
		{func(path string) error { return os.Symlink(dir, path) }, "a link"},
	} {
		if err := r.make(path); err != nil {
			t.Fatal(err)
		}
		if _, err := Listen(path); err == nil || !strings.Contains(err.Error(), "is not a socket") {
			t.Errorf("%s: %v", r.reason, err)
		}
		if err := os.Remove(path); err != nil {
			t.Error(fmt.Errorf("%s is lost: %w", r.reason, err))
		}
	}
	if left, err := os.ReadDir(dir); err != nil || len(left) > 0 {
		t.Errorf("left behind: %v %v", left, err)
	}
}

// ending is a context that has ended and whose children have not heard of it yet.
type ending struct{ context.Context }

func (ending) Err() error { return context.Canceled }

// sourceOf ends with its own context, which is the parent of the one that it is asked with.
type sourceOf struct{ context.Context }

func (s sourceOf) Next(context.Context, model.Want) (model.Batch, error) {
	return model.Batch{}, s.Err()
}

// TestTheSourceEndsFirst: the source and the socket end with one context. A source that hears
// of it first is no fault; one that ends by itself is.
func TestTheSourceEndsFirst(t *testing.T) {
	for _, r := range []struct {
		given, of context.Context
		fails     bool
		reason    string
	}{
		{ending{t.Context()}, ending{t.Context()}, false, "the end was wanted"},
		{t.Context(), ending{t.Context()}, true, "nobody ended it"},
	} {
		l, err := Listen(filepath.Join(t.TempDir(), "s"))
		if err != nil {
			t.Fatal(err)
		}
		if err := Serve(r.given, []Door{l}, Room{Source: sourceOf{r.of}}); (err != nil) != r.fails {
			t.Errorf("%s: %v", r.reason, err)
		}
	}
}

// TestWeb: a request by HTTP is answered as at the socket, to whoever has the token alone, and what is
// under way ends with the lab.
func TestWeb(t *testing.T) {
	for _, address := range []string{"0.0.0.0:0", "example.com:80", "127.0.0.1"} {
		if _, err := ListenWeb(address, "secret"); err == nil {
			t.Errorf("%s: it is not on loopback, or no address", address)
		}
	}
	w, err := ListenWeb("127.0.0.1:0", "secret")
	if err != nil {
		t.Fatal(err)
	}
	events := make(source, 1000)
	ctx, cancel := context.WithCancel(t.Context())
	served := make(chan error, 1)
	go func() {
		served <- Serve(ctx, []Door{w}, Room{Source: events, Report: func(e model.Event) { events <- e },
			Listen: func(name string) ([]string, error) { return []string{"127.0.0.1:1"}, nil },
			Do: func(_ context.Context, a model.Action) model.Outcome {
				return model.Outcome{Action: a, Done: a.Fault.Target == "a", Err: "there is no b"}
			}})
	}()
	client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}, Timeout: 20 * time.Second}
	ask := func(method, path, token, body string) (int, string) {
		r, err := http.NewRequestWithContext(t.Context(), method, w.Address+path, strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		if token != "" {
			r.Header.Set("Authorization", "Bearer "+token)
		}
		a, err := client.Do(r)
		if err != nil {
			return 0, err.Error()
		}
		defer a.Body.Close()
		text, err := io.ReadAll(a.Body)
		if err != nil {
			t.Error(err)
		}
		return a.StatusCode, string(text)
	}
	for _, r := range []struct {
		method, path, token, body string
		status                    int
		want                      string
	}{
		{"POST", "/", "", `{"do":"list"}`, 401, "send the token"},
		{"POST", "/", "guess", `{"do":"list"}`, 401, "send the token"},
		{"GET", "/", "secret", "", 405, "POST a request"},
		{"POST", "/list", "secret", `{"do":"list"}`, 405, "POST a request"},
		{"POST", "/", "secret", `{"do":"list"}`, 200, `{"ok":true}`},
		{"POST", "/", "secret", `{"do":"listen","target":"a"}`, 200, `"endpoints":["127.0.0.1:1"]`},
		{"POST", "/", "secret", `{"do":"listen"}`, 422, "needs a target"},
		{"POST", "/", "secret", `{"do":"inject","fault":"pause","target":"a"}`, 200, `"ok":true`},
		{"POST", "/", "secret", `{"do":"inject","fault":"pause","target":"b"}`, 422, "there is no b"},
		{"POST", "/", "secret", `{"do":"dance"}`, 422, "nothing to do"},
		{"POST", "/", "secret", strings.Repeat(" ", requestMax+1), 413, "at most"},
		{"POST", "/", "secret", `{"do":"wait","lock":"/l","queue":1,"within":"10ms"}`, 422, "waited 10ms for 1 key on /l"},
	} {
		if status, got := ask(r.method, r.path, r.token, r.body); status != r.status || !strings.Contains(got, r.want) {
			t.Errorf("%s %s %s: %d %s, want %d %s", r.method, r.path, r.body, status, got, r.status, r.want)
		}
	}
	hangs := make(chan int, 1)
	go func() {
		status, _ := ask("POST", "/", "secret", `{"do":"wait","lock":"/l","queue":1,"within":"10m"}`)
		hangs <- status
	}()
	cancel()
	if err := <-served; err != nil {
		t.Error(err)
	}
	if status := <-hangs; status == http.StatusOK {
		t.Error("a wait that was cut off is not met")
	}
}
