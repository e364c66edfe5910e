package cli

import (
	"bufio"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"locktop/demo/etcdtest"
	"locktop/watcher/recording"
)

const prometheusFiles = "../../.prometheus"

// served is locktop serve as a process of its own.
type served struct {
	t   *testing.T
	url string
	cmd *exec.Cmd
}

func serveOn(t *testing.T, endpoints string, flags ...string) *served {
	t.Helper()
	cmd := exec.Command(locktop(t), append([]string{"serve", "--endpoints", endpoints, "--prefix", "/jobs/", "--listen", "127.0.0.1:0"}, flags...)...)
	cmd.Env = append(cmd.Environ(), "HOME="+t.TempDir())
	errs, err := cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	start(t, cmd)
	line, err := bufio.NewReader(errs).ReadString('\n')
	url := regexp.MustCompile(`answering on (http\S+)/metrics`).FindStringSubmatch(line)
	if err != nil || url == nil {
		t.Fatalf("%v: %s", err, line)
	}
	go io.Copy(io.Discard, errs)
	return &served{t, url[1], cmd}
}

// get asks for a page, with a token unless it is "".
func (s *served) get(path, token string) (code int, text string) {
	s.t.Helper()
	r, err := http.NewRequest("GET", s.url+path, nil)
	if err != nil {
		s.t.Fatal(err)
	}
	if token != "" {
		r.Header.Set("Authorization", "Bearer "+token)
	}
	a, err := (&http.Client{Timeout: time.Minute}).Do(r)
	if err != nil {
		s.t.Fatal(err)
	}
	defer a.Body.Close()
	b, err := io.ReadAll(a.Body)
	if err != nil {
		s.t.Fatal(err)
	}
	return a.StatusCode, string(b)
}

func TestServeAsksForItsToken(t *testing.T) {
	t.Parallel()
	endpoint := testServer(t)
	const token = "correct-horse-battery"
	file := filepath.Join(t.TempDir(), "token")
	if err := os.WriteFile(file, []byte(token+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	s := serveOn(t, endpoint, "--listen-token", file)
	for _, r := range []struct {
		token  string
		want   int
		reason string
	}{
		{token, http.StatusOK, "it is the one"},
		{"", http.StatusUnauthorized, "none"},
		{token + "x", http.StatusUnauthorized, "another one"},
		{token[:8], http.StatusUnauthorized, "a part of it"},
	} {
		for _, path := range []string{"/metrics", "/healthz", "/"} {
			if code, text := s.get(path, r.token); code != r.want && !(r.want == http.StatusOK && code == http.StatusServiceUnavailable) {
				t.Errorf("%s with %q: %d, want %d: %s\n%s", path, r.token, code, r.want, r.reason, text)
			}
		}
	}
}

// Without a token, a page whose name was made to lead to this machine reads nothing.
func TestServeChecksTheHost(t *testing.T) {
	for _, row := range []struct {
		host   string
		token  []byte
		want   int
		reason string
	}{
		{"127.0.0.1:9738", nil, http.StatusOK, "the address"},
		{"localhost:9738", nil, http.StatusOK, "the name"},
		{"LOCALHOST", nil, http.StatusOK, "without a port, in any case"},
		{"[::1]:9738", nil, http.StatusOK, "of the sixth version"},
		{"[::1]", nil, http.StatusOK, "the same without a port"},
		{"evil.example:9738", nil, http.StatusMisdirectedRequest, "a name that leads here"},
		{"127.0.0.1.evil.example", nil, http.StatusMisdirectedRequest, "that looks like an address"},
		{"", nil, http.StatusMisdirectedRequest, "no name"},
		{"metrics.example", []byte("correct-horse-battery"), http.StatusOK, "with a token any name: no page has the token"},
	} {
		ok := http.HandlerFunc(func(http.ResponseWriter, *http.Request) {})
		r := httptest.NewRequest("GET", "/metrics", nil)
		r.Host = row.host
		r.Header.Set("Authorization", "Bearer "+string(row.token))
		w := httptest.NewRecorder()
		withToken(row.token, ok).ServeHTTP(w, r)
		if w.Code != row.want {
			t.Errorf("%q: %d, want %d: %s", row.host, w.Code, row.want, row.reason)
		}
	}
}

func TestServeRefuses(t *testing.T) {
	home(t, "")
	short := filepath.Join(t.TempDir(), "short")
	if err := os.WriteFile(short, []byte("1234"), 0o600); err != nil {
		t.Fatal(err)
	}
	twoLines, binary := filepath.Join(t.TempDir(), "two"), filepath.Join(t.TempDir(), "binary")
	if err := errors.Join(os.WriteFile(twoLines, []byte("correct-horse\nbattery-staple\n"), 0o600), os.WriteFile(binary, []byte("correct-horse-\x00\xff-battery"), 0o600)); err != nil {
		t.Fatal(err)
	}
	pipe := filepath.Join(t.TempDir(), "pipe")
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, r := range []struct {
		args   []string
		want   string
		reason string
	}{
		{[]string{"--listen", "0.0.0.0:9738"}, "--listen-token", "other machines would read the names"},
		{[]string{"--listen", ":9738"}, "--listen-token", "no address is all of them"},
		{[]string{"--listen", "example.com:9738"}, "--listen-token", "a name may be any address"},
		{[]string{"--listen", "9738"}, "want ADDRESS:PORT", "a port alone"},
		{[]string{"--listen-cert", "a.pem"}, "go together", "half a certificate"},
		{[]string{"--listen-token", short}, "want 16 or more", "a token that one guesses"},
		{[]string{"--listen-token", twoLines}, "want one line", "no caller can send a line break"},
		{[]string{"--listen-token", binary}, "want one line", "or what is no text"},
		{[]string{"--listen-token", "/dev/zero"}, "more than 4096 bytes", "one without an end"},
		{[]string{"--listen-token", pipe, "--command-timeout", "200ms"}, "nothing came within 200ms", "a pipe into which nobody writes"},
		{[]string{"--listen-cert", short, "--listen-key", short}, "--listen-cert", "no certificate is said before anything is answered"},
		{[]string{"--listen-token", "nowhere"}, "no such file", "one that is not there"},
		{[]string{"--keep", "1h"}, "--record", "there is nothing to keep"},
		{[]string{"--values"}, "--record", "nothing is written down"},
		{[]string{"--record", ""}, "the name of a folder", "an empty variable in a unit"},
		{[]string{"--record", "x", "--keep", "1s"}, "want 10m", "less than an incident takes"},
		{[]string{"--record", "x", "--max", "1MiB"}, "want 16MiB or more", "less than a few files take"},
		{[]string{"--record", "x", "--max", "1 GB"}, "such as 512MiB", "no size"},
		{[]string{"--record", "x", "--max", "-1"}, "such as 512MiB", "less than nothing"},
		{[]string{"--series", "10"}, "want 1000 to", "too few for what there is without locks"},
	} {
		code, _, errs := inProcess(t, nil, append([]string{"serve", "--endpoints", etcdtest.Nobody(t)}, r.args...)...)
		if code != exitBad || !strings.Contains(errs, r.want) {
			t.Errorf("%v: exit %d, want %d and %q: %s\n%s", r.args, code, exitBad, r.want, r.reason, errs)
		}
	}
}

// TestAlertsOfWhatIsTold: alerts and the dashboard ask for metrics that there are.
func TestAlertsOfWhatIsTold(t *testing.T) {
	var source []byte
	for _, name := range []string{"metrics.go", "recording.go"} {
		text, err := os.ReadFile(filepath.Join("../report/metrics", name))
		if err != nil {
			t.Fatal(err)
		}
		source = append(source, text...)
	}
	var there []string
	for _, m := range regexp.MustCompile(`(?:add|count|seconds|typed)\((?:prometheus\.\w+, )?"([a-z_]+)"`).FindAllSubmatch(source, -1) {
		there = append(there, "locktop_"+string(m[1]))
	}
	for _, name := range []string{"alerts.yml", "dashboard.json"} {
		text, err := os.ReadFile(filepath.Join(prometheusFiles, name))
		if err != nil {
			t.Fatal(err)
		}
		asked := regexp.MustCompile(`locktop_[a-z_]+`).FindAllString(string(text), -1)
		if len(asked) < 8 {
			t.Errorf("%s asks for %v", name, asked)
		}
		for _, m := range asked {
			m = strings.TrimSuffix(m, "_bucket")
			if !slices.Contains(there, m) {
				t.Errorf("%s asks for %s, which nobody tells: %v", name, m, there)
			}
		}
		for _, m := range there {
			if name == "dashboard.json" && strings.HasPrefix(m, "locktop_recording_") && !slices.Contains(asked, m) {
				t.Errorf("the dashboard does not show %s: who looks later wants to know whether there is a recording", m)
			}
		}
	}
}

// TestAKillLosesASecondAtMost: what happens waits for others of its batch, and then for others
// of its frame, and is on disk within a second even so.
func TestAKillLosesASecondAtMost(t *testing.T) {
	if longest := serveDrain + recording.Lag; longest >= time.Second {
		t.Errorf("what is seen is written after %s, and a kill is to lose no more than a second", longest)
	}
}
