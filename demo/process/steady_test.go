package process

import (
	"context"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"
)

// TestChecks: each says what is wrong, and nothing where all is well; a command that does not end is
// killed with all that it started.
func TestChecks(t *testing.T) {
	web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/well" {
			w.WriteHeader(http.StatusServiceUnavailable)
		}
	}))
	defer web.Close()
	gone, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	if err := gone.Close(); err != nil {
		t.Fatal(err)
	}
	for _, r := range []struct {
		check  Check
		want   string // "" for well
		reason string
	}{
		{CheckExec([]string{"true"}, nil), "", "it ends with 0"},
		{CheckExec([]string{"sh", "-c", "echo first; echo $JOBS twice; exit 3"}, []string{"JOBS=job 7"}), "exit status 3: job 7 twice", "its last line says why"},
		{CheckExec([]string{"sh", "-c", "echo looking; sleep 60 & sleep 60"}, nil), "it did not end in time: looking", "nobody waits for ever"},
		{CheckExec([]string{"./no-such-program"}, nil), "no such file", "it is not there"},
		{CheckHTTP(web.URL + "/well"), "", "it answers"},
		{CheckHTTP(web.URL), "it answered 503 Service Unavailable", "it answers that it is not well"},
		{CheckHTTP("http://" + gone.Addr().String()), "refused", "nobody answers"},
		{CheckTCP(web.Listener.Addr().String()), "", "somebody takes the connection"},
		{CheckTCP(gone.Addr().String()), "refused", "nobody does"},
	} {
		within := 20 * time.Second
		if strings.HasPrefix(r.want, "it did not") {
			within = 200 * time.Millisecond
		}
		ctx, cancel := context.WithTimeout(t.Context(), within)
		begun := time.Now()
		err := r.check(ctx)
		cancel()
		if (err == nil) != (r.want == "") || err != nil && !strings.Contains(err.Error(), r.want) {
			t.Errorf("%s: %v, want %q", r.reason, err, r.want)
		}
		if took := time.Since(begun); took > 15*time.Second {
			t.Errorf("%s: took %s", r.reason, took)
		}
	}
}
