package process

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"syscall"
	"time"
)

// Bounds of a probe: how often it asks by HTTP and looks at a file, how long it waits for an
// answer, and how much of one it reads.
const (
	probeEvery  = 100 * time.Millisecond
	lookEvery   = 20 * time.Millisecond
	probeWithin = time.Second
	probeMost   = 64 << 10
)

// Probe asks a program what it believes.
type Probe struct {
	every time.Duration
	// once is the answer now, nil for none that is of this program.
	once func(context.Context) ([]byte, error)
}

// Run asks again and again until ctx ends, and hands over each answer that is not the one
// before. failed is told why there was none, once for each reason.
func (p Probe) Run(ctx context.Context, heard func(answer []byte), failed func(error)) {
	every := time.NewTicker(p.every)
	defer every.Stop()
	last, why := []byte(nil), ""
	for {
		answer, err := p.once(ctx)
		switch {
		case ctx.Err() != nil:
			return
		case err != nil:
			if err.Error() != why {
				why = err.Error()
				failed(err)
			}
		default:
			if why = ""; answer != nil && !bytes.Equal(answer, last) {
				last = answer
				heard(answer)
			}
		}
		select {
		case <-ctx.Done():
			return
		case <-every.C:
		}
	}
}

// AskHTTP asks at an address: an answer is its status and its body, from a line each on. It
// follows no redirect, and uses no proxy of the environment.
func AskHTTP(url string) Probe {
	client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}, Timeout: probeWithin,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	return Probe{probeEvery, func(ctx context.Context) ([]byte, error) { return askOnce(ctx, client, url) }}
}

// askOnce is the status and the body of one answer, with the end of a line.
func askOnce(ctx context.Context, client *http.Client, url string) ([]byte, error) {
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return nil, err
	}
	answer, err := client.Do(r)
	if err != nil {
		return nil, innermost(err) // the address, and a port that is new each time, say nothing
	}
	defer answer.Body.Close()
	body, err := readMost(answer.Body, "the answer")
	if err != nil {
		return nil, err
	}
	return append(append([]byte(answer.Status+"\n"), body...), '\n'), nil
}

// AskFile reads a file that the program writes, or puts in the place of the one before. What
// is there now was written by somebody before the program, and is no answer.
func AskFile(path string) Probe {
	before, err := os.Stat(path)
	if err != nil {
		before = nil // what will be there is new
	}
	return Probe{lookEvery, func(context.Context) ([]byte, error) { return readOnce(path, before) }}
}

// errNoFile is the answer of what is not a regular file: reading it could wait for ever, or do
// something.
var errNoFile = errors.New("it is not a regular file")

// readOnce is what a file says now, nil if it is still as it was before.
func readOnce(path string, before os.FileInfo) ([]byte, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, innermost(err)
	}
	if !info.Mode().IsRegular() {
		return nil, errNoFile
	}
	// It may have become something else meanwhile: opening that must not wait either.
	file, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, innermost(err)
	}
	defer file.Close()
	switch info, err = file.Stat(); {
	case err != nil:
		return nil, innermost(err)
	case !info.Mode().IsRegular():
		return nil, errNoFile
	case before != nil && os.SameFile(info, before) && info.ModTime().Equal(before.ModTime()) && info.Size() == before.Size():
		return nil, nil
	}
	if err := file.SetReadDeadline(time.Now().Add(probeWithin)); err != nil && !errors.Is(err, os.ErrNoDeadline) {
		return nil, err
	}
	return readMost(file, "the file")
}

// readMost reads all that there is, or says that it is too much.
func readMost(from io.Reader, what string) ([]byte, error) {
	data, err := io.ReadAll(io.LimitReader(from, probeMost+1))
	if err == nil && len(data) > probeMost {
		err = fmt.Errorf("%s has more than %d bytes", what, probeMost)
	}
	if err != nil {
		return nil, innermost(err)
	}
	return data, nil
}

// innermost is the cause of an error, without where it was.
func innermost(err error) error {
	for inner := err; inner != nil; inner = errors.Unwrap(inner) {
		err = inner
	}
	return err
}
