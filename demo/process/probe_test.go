package process

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"
)

// TestProbe: each answer that is not the one before is heard once, a redirect is not followed,
// and that there is no answer, or one without end, is told once.
func TestProbe(t *testing.T) {
	var mu sync.Mutex
	path, asked := "/idle", 0
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		defer mu.Unlock()
		switch asked++; path {
		case "/elsewhere":
			http.Redirect(w, r, "/other", http.StatusFound)
		case "/endless":
			_, _ = io.WriteString(w, strings.Repeat("x", probeMost+1))
		case "/standby":
			w.WriteHeader(http.StatusServiceUnavailable)
			_, _ = io.WriteString(w, "standby")
		default:
			_, _ = io.WriteString(w, "{\"state\":\""+path[1:]+"\"}\n")
		}
		if r.URL.Path != "/state" {
			t.Errorf("it asked for %s", r.URL.Path)
		}
	}))
	defer server.Close()
	heard, failed := make(chan string, 1000), make(chan error, 1000)
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan struct{})
	go func() {
		defer close(done)
		AskHTTP(server.URL+"/state").Run(ctx, func(answer []byte) {
			for line := range bytes.Lines(answer) {
				heard <- string(bytes.TrimSpace(line))
			}
		}, func(err error) { failed <- err })
	}()
	hears := func(want string) {
		t.Helper()
		for {
			select {
			case got := <-heard:
				if got == want {
					return
				}
			case <-time.After(time.Minute):
				t.Fatalf("it did not hear %q", want)
			}
		}
	}
	become := func(p string) {
		mu.Lock()
		defer mu.Unlock()
		path = p
	}
	hears(`{"state":"idle"}`)
	become("/holding")
	hears(`{"state":"holding"}`)
	become("/standby")
	hears("503 Service Unavailable")
	hears("standby")
	become("/elsewhere")
	hears("302 Found")
	become("/endless")
	select {
	case err := <-failed:
		if !strings.Contains(err.Error(), "more than") {
			t.Error(err)
		}
	case <-time.After(time.Minute):
		t.Fatal("nobody was told that the answer has no end")
	}
	mu.Lock()
	before := asked
	mu.Unlock()
	for end := time.Now().Add(time.Minute); ; time.Sleep(10 * time.Millisecond) { // it goes on asking
		mu.Lock()
		more := asked > before+2
		mu.Unlock()
		if more {
			break
		}
		if time.Now().After(end) {
			t.Fatal("it asks no more")
		}
	}
	cancel()
	<-done
	if len(failed) > 0 {
		t.Errorf("it was told again: %v", <-failed)
	}
	for close(heard); ; {
		line, more := <-heard
		if !more {
			break
		}
		if strings.Contains(line, "200 OK") || strings.Contains(line, "state") {
			t.Errorf("heard again: %s", line)
		}
	}
}
