package contender

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"slices"
	"strings"

	"locktop/demo/resource"
)

// guard is a contender's side of the guarded resource.
type guard struct {
	url  string
	http *http.Client
}

// newGuard returns nil for no address.
func newGuard(addr string) *guard {
	if addr == "" {
		return nil
	}
	// A connection for each access: there are few, and none is left behind.
	return &guard{url: "http://" + addr, http: &http.Client{
		Timeout: askWithin, Transport: &http.Transport{DisableKeepAlives: true}}}
}

// reading is what was read of a lock's register, and with which claim.
type reading struct {
	hold
	set []int64
}

// read shows the claim's token and reads the lock's register.
func (g *guard) read(ctx context.Context, contender string, h hold) (reading, error) {
	a, err := g.access(ctx, resource.Access{Contender: contender, Lock: h.lock, Token: h.token})
	return reading{h, a.Set}, err
}

// write shows the token of the time of the reading and writes what was read back,
// with one number more: a random one, which nobody else has.
func (g *guard) write(ctx context.Context, contender string, r reading) error {
	set := append(slices.Clone(r.set), rand.Int64N(1<<53))
	_, err := g.access(ctx, resource.Access{Contender: contender, Lock: r.lock, Token: r.token, Write: true, Set: set})
	return err
}

// refusedError is that the resource refused an access by its token.
type refusedError struct {
	verb           string
	token, highest int64
}

func (e *refusedError) Error() string {
	return fmt.Sprintf("%s the resource: refused: token %d is older than %d", e.verb, e.token, e.highest)
}

// access asks the resource. That it refuses is an error too.
func (g *guard) access(ctx context.Context, a resource.Access) (resource.Answer, error) {
	verb := "read"
	if a.Write {
		verb = "write"
	}
	var ans resource.Answer
	text, err := g.post(ctx, resource.AccessPath, a)
	if err == nil {
		err = json.Unmarshal(text, &ans)
	}
	if err != nil {
		return resource.Answer{}, fmt.Errorf("%s the resource: %w", verb, err)
	}
	if !ans.Accepted {
		return ans, &refusedError{verb, a.Token, ans.Highest}
	}
	return ans, nil
}

// rule tells the resource which tokens to refuse.
func (g *guard) rule(ctx context.Context, r resource.Rule) error {
	if _, err := g.post(ctx, resource.RulePath, r); err != nil {
		return fmt.Errorf("set the rule of the resource: %w", err)
	}
	return nil
}

// post sends a value to the resource, and returns its answer.
func (g *guard) post(ctx context.Context, path string, v any) ([]byte, error) {
	body, err := json.Marshal(v)
	if err != nil {
		return nil, err
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, g.url+path, bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	resp, err := g.http.Do(req)
	if err != nil {
		return nil, err
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(io.LimitReader(resp.Body, resource.MaxAccess))
	if err == nil && resp.StatusCode != http.StatusOK {
		err = fmt.Errorf("it says: %s", strings.TrimSpace(string(text)))
	}
	return text, err
}
