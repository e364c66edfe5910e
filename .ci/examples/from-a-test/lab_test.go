// A test in Go: locktop is on the PATH. In the place of etcdctl stands your own program.
package worker_test

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"os/exec"
	"testing"
)

func TestTheLockIsFreeAfterTheTTL(t *testing.T) {
	lab := startLab(t)
	a := lab.do(t, `{"do":"listen","target":"a"}`)
	worker := exec.Command("etcdctl", "--endpoints", a.Endpoints[0], "lock", "--ttl=5", "/app/report", "sleep", "60")
	if err := worker.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() { _ = worker.Process.Kill(); _ = worker.Wait() }()
	lab.do(t, `{"do":"wait","lock":"/app/report","queue":1}`)
	lab.do(t, `{"do":"inject","fault":"freeze","target":"a"}`)
	lab.do(t, `{"do":"wait","lock":"/app/report","nobody":true,"within":"8s"}`)
}

type lab struct{ Control, Token string }

type answer struct {
	OK        bool
	Error     string
	Endpoints []string
}

func startLab(t *testing.T) (l lab) {
	t.Helper()
	cmd := exec.Command("locktop", "lab", "--json", "--with-stdin")
	in, _ := cmd.StdinPipe() // the lab ends with it
	out, _ := cmd.StdoutPipe()
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { in.Close(); _ = cmd.Wait() })
	line, err := bufio.NewReader(out).ReadBytes('\n')
	if err != nil || json.Unmarshal(line, &l) != nil {
		t.Fatal(err, string(line))
	}
	return l
}

func (l lab) do(t *testing.T, request string) (a answer) {
	t.Helper()
	r, _ := http.NewRequest("POST", l.Control, bytes.NewReader([]byte(request)))
	r.Header.Set("Authorization", "Bearer "+l.Token)
	reply, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer reply.Body.Close()
	if err := json.NewDecoder(reply.Body).Decode(&a); err != nil || !a.OK {
		t.Fatal(fmt.Sprint(request, ": ", a.Error, err))
	}
	return a
}
