package process

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"time"
)

// Bounds of a probe: how often it asks, how long it waits for an answer, and how much of one
// it reads.
const (
	probeEvery  = 100 * time.Millisecond
	probeWithin = time.Second
	probeMost   = 64 << 10
)

// Probe asks a program by HTTP, again and again until ctx ends, and writes each answer that is
// not the one before: its status and its body, a line each. failed is told why there was none,
// once for each reason. It follows no redirect, and uses no proxy of the environment.
func Probe(ctx context.Context, url string, w io.Writer, failed func(error)) {
	transport := &http.Transport{DisableKeepAlives: true}
	client := http.Client{Transport: transport, Timeout: probeWithin, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	last, why := []byte(nil), ""
	for every := time.NewTicker(probeEvery); ; {
		answer, err := askOnce(ctx, &client, url)
		switch {
		case ctx.Err() != nil:
			every.Stop()
			return
		case err != nil:
			if err.Error() != why {
				why = err.Error()
				failed(err)
			}
		default:
			if why = ""; !bytes.Equal(answer, last) {
				last = answer
				_, _ = w.Write(answer) // it keeps lines
			}
		}
		select {
		case <-ctx.Done():
			every.Stop()
			return
		case <-every.C:
		}
	}
}

// askOnce is the status and the body of one answer, with the end of a line.
func askOnce(ctx context.Context, client *http.Client, url string) ([]byte, error) {
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return nil, err
	}
	answer, err := client.Do(r)
	if err != nil {
		for inner := err; inner != nil; inner = errors.Unwrap(inner) {
			err = inner // the address, and a port that is new each time, say nothing
		}
		return nil, err
	}
	defer answer.Body.Close()
	body, err := io.ReadAll(io.LimitReader(answer.Body, probeMost+1))
	if err == nil && len(body) > probeMost {
		err = fmt.Errorf("the answer has more than %d bytes", probeMost)
	}
	if err != nil {
		return nil, err
	}
	return append(append([]byte(answer.Status+"\n"), body...), '\n'), nil
}
