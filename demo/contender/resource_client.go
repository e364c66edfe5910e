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
	return &guard{url: "http://" + addr + resource.AccessPath, http: &http.Client{
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

// access asks the resource. That it refuses is an error too.
func (g *guard) access(ctx context.Context, a resource.Access) (resource.Answer, error) {
	verb := "read"
	if a.Write {
		verb = "write"
	}
	body, err := json.Marshal(a)
	if err != nil {
		return resource.Answer{}, fmt.Errorf("%s the resource: %w", verb, err)
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, g.url, bytes.NewReader(body))
	if err != nil {
		return resource.Answer{}, fmt.Errorf("%s the resource: %w", verb, err)
	}
	resp, err := g.http.Do(req)
	if err != nil {
		return resource.Answer{}, fmt.Errorf("%s the resource: %w", verb, err)
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(io.LimitReader(resp.Body, resource.MaxAccess))
	if err != nil {
		return resource.Answer{}, fmt.Errorf("%s the resource: %w", verb, err)
	}
	if resp.StatusCode != http.StatusOK {
		return resource.Answer{}, fmt.Errorf("%s the resource: it says: %s", verb, strings.TrimSpace(string(text)))
	}
	var ans resource.Answer
	if err := json.Unmarshal(text, &ans); err != nil {
		return resource.Answer{}, fmt.Errorf("%s the resource: %w", verb, err)
	}
	if !ans.Accepted {
		return ans, fmt.Errorf("%s the resource: refused: token %d is older than %d", verb, a.Token, ans.Highest)
	}
	return ans, nil
}

// rule tells the resource which tokens to refuse.
func (g *guard) rule(ctx context.Context, r resource.Rule) error {
	body, err := json.Marshal(r)
	if err != nil {
		return fmt.Errorf("set the rule of the resource: %w", err)
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, strings.TrimSuffix(g.url, resource.AccessPath)+resource.RulePath, bytes.NewReader(body))
	if err != nil {
		return fmt.Errorf("set the rule of the resource: %w", err)
	}
	resp, err := g.http.Do(req)
	if err != nil {
		return fmt.Errorf("set the rule of the resource: %w", err)
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(io.LimitReader(resp.Body, resource.MaxAccess))
	switch {
	case err != nil:
		return fmt.Errorf("set the rule of the resource: %w", err)
	case resp.StatusCode != http.StatusOK:
		return fmt.Errorf("set the rule of the resource: it says: %s", strings.TrimSpace(string(text)))
	}
	return nil
}
