package control

import (
	"context"
	"crypto/subtle"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
	"time"
)

// Web takes requests by HTTP, on loopback and with a token: every process and every page of a
// browser on this machine can reach the port.
type Web struct {
	l     net.Listener
	token string
	// Address is where it is, like http://127.0.0.1:39115.
	Address string
}

// headersWithin is what a caller has to send its headers, closesWithin what a request under way has to
// end at the end.
const (
	headersWithin = 5 * time.Second
	closesWithin  = time.Second
)

// ListenWeb listens on an address of loopback.
func ListenWeb(address, token string) (*Web, error) {
	host, _, err := net.SplitHostPort(address)
	if err != nil {
		return nil, err
	}
	if ip := net.ParseIP(host); ip == nil || !ip.IsLoopback() {
		return nil, fmt.Errorf("%s: other machines could break this lab there: want an address of loopback, like 127.0.0.1:0", address)
	}
	l, err := net.Listen("tcp", address)
	if err != nil {
		return nil, err
	}
	return &Web{l, token, "http://" + l.Addr().String()}, nil
}

// Close ends it.
func (w *Web) Close() error {
	if err := w.l.Close(); err != nil && !strings.Contains(err.Error(), net.ErrClosed.Error()) {
		return err
	}
	return nil
}

func (w *Web) take(ctx context.Context, d *door, all *sync.WaitGroup) {
	free := make(chan struct{}, clientsMax)
	server := &http.Server{ReadHeaderTimeout: headersWithin, BaseContext: func(net.Listener) context.Context { return ctx },
		Handler: http.HandlerFunc(func(out http.ResponseWriter, r *http.Request) { w.serve(out, r, d, free) })}
	all.Go(func() {
		<-ctx.Done()
		ending, cancel := context.WithTimeout(context.WithoutCancel(ctx), closesWithin)
		defer cancel()
		if server.Shutdown(ending) != nil {
			_ = server.Close() // whoever still talks is cut off
		}
	})
	_ = server.Serve(w.l) // it ends with the listener
}

// serve answers one request. Only a status of 200 means that it was done, or met.
func (w *Web) serve(out http.ResponseWriter, r *http.Request, d *door, free chan struct{}) {
	given, isToken := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer ")
	status, a := http.StatusOK, answer{}
	switch {
	case !isToken || subtle.ConstantTimeCompare([]byte(given), []byte(w.token)) != 1:
		status, a.Error = http.StatusUnauthorized, "send the token: Authorization: Bearer TOKEN"
	case r.Method != http.MethodPost || r.URL.Path != "/":
		status, a.Error = http.StatusMethodNotAllowed, "POST a request to /, like {\"do\":\"list\"}"
	default:
		select {
		case free <- struct{}{}:
			status, a = w.answer(r, d)
			<-free
		default:
			status, a.Error = http.StatusServiceUnavailable, fmt.Sprintf("%d are connected already", clientsMax)
		}
	}
	out.Header().Set("Content-Type", "application/json")
	out.WriteHeader(status)
	enc := json.NewEncoder(out)
	enc.SetEscapeHTML(false)
	_ = enc.Encode(a) // nobody reads it, if that fails
}

func (w *Web) answer(r *http.Request, d *door) (int, answer) {
	body, err := io.ReadAll(io.LimitReader(r.Body, requestMax+1))
	switch {
	case err != nil:
		return http.StatusBadRequest, answer{Error: err.Error()}
	case len(body) > requestMax:
		return http.StatusRequestEntityTooLarge, answer{Error: fmt.Sprintf("a request has at most %d bytes", requestMax)}
	}
	a := d.answer(r.Context(), body)
	if !a.OK {
		return http.StatusUnprocessableEntity, a
	}
	return http.StatusOK, a
}
