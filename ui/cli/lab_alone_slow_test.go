//go:build slow

package cli

import (
	"bufio"
	"encoding/json"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	clientv3 "go.etcd.io/etcd/client/v3"

	"locktop/demo/labtest"
)

// TestLabForATest: a lab says in one line where it is, does by HTTP what it is asked, and ends with its
// standard input, with nothing left behind.
func TestLabForATest(t *testing.T) {
	t.Parallel()
	tmp, token := t.TempDir(), filepath.Join(t.TempDir(), "token")
	cmd := exec.Command(locktop(t), "lab", "--json", "--with-stdin", "--members", "1", "--control-token", token)
	cmd.Env = append(os.Environ(), "TMPDIR="+tmp, "XDG_STATE_HOME="+tmp+"-state")
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
	t.Cleanup(func() {
		_ = cmd.Process.Kill() // it has ended, if all is well
	})
	lines := bufio.NewReader(out)
	var ready struct {
		Endpoints, Members []string
		Control, Token     string
	}
	if line, err := lines.ReadBytes('\n'); err != nil || json.Unmarshal(line, &ready) != nil || len(ready.Endpoints) != 1 || ready.Endpoints[0] == ready.Members[0] {
		t.Fatalf("%v %s", err, line)
	}
	if data, err := os.ReadFile(token); err != nil || strings.TrimSpace(string(data)) != ready.Token {
		t.Errorf("the token of the file is %q (%v), told was %q", data, err, ready.Token)
	}
	post := func(body string) (status int, endpoints []string) {
		r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, ready.Control, strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("Authorization", "Bearer "+ready.Token)
		a, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		defer a.Body.Close()
		var said struct{ Endpoints []string }
		if err := json.NewDecoder(a.Body).Decode(&said); err != nil {
			t.Error(err)
		}
		return a.StatusCode, said.Endpoints
	}
	status, mine := post(`{"do":"listen","target":"a"}`)
	if status != 200 || len(mine) != 1 {
		t.Fatalf("%d %v", status, mine)
	}
	client := labtest.NewClient(t, mine...)
	lease, err := client.Grant(t.Context(), 2)
	if err == nil {
		_, err = client.Put(t.Context(), "/app/l/694d", "", clientv3.WithLease(lease.ID))
	}
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range []struct {
		body   string
		status int
	}{
		{`{"do":"wait","lock":"/app/l","queue":1}`, 200},
		{`{"do":"inject","fault":"freeze","target":"b"}`, 422},
		{`{"do":"inject","fault":"freeze","target":"a"}`, 200},
		{`{"do":"wait","lock":"/app/l","queue":0,"within":"20s"}`, 200},
		{`{"do":"heal"}`, 200},
	} {
		if status, _ := post(r.body); status != r.status {
			t.Errorf("%s: %d, want %d", r.body, status, r.status)
		}
	}
	if err := in.Close(); err != nil {
		t.Error(err)
	}
	rest, err := io.ReadAll(lines)
	if err != nil || len(rest) > 0 {
		t.Errorf("%v %s", err, rest)
	}
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	select {
	case err := <-ended:
		if err != nil {
			t.Error(err)
		}
	case <-time.After(20 * time.Second):
		t.Error("it outlives its test")
	}
	if left, _ := filepath.Glob(filepath.Join(tmp, "*")); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
}
