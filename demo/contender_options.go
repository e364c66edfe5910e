package demo

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"

	"go.etcd.io/etcd/client/v3/concurrency"
)

// Recipes that a contender knows: those of the Go client's package concurrency.
const (
	RecipeMutex    = "mutex"
	RecipeElection = "election"
)

// ContenderOptions says what a contender does.
type ContenderOptions struct {
	// Name is what it calls itself, in its lines and as the value of an election.
	Name string
	// Lock is the lock's name, without a slash at its end.
	Lock string
	// Recipe is RecipeMutex or RecipeElection.
	Recipe string
	// Endpoints are etcd's addresses, host:port or URLs.
	Endpoints []string
	// TTL is what it asks for its session, in seconds, at least 1.
	TTL int
	// Hold and Think are how long it keeps the lock and how long it does without:
	// means, which vary by a third (Hold) and by 60% (Think).
	Hold, Think time.Duration
	// Seed makes the variations repeat.
	Seed uint64
	// EndWith, if set, is read to its end, at which the contender ends too: standard
	// input, where that is a pipe which a parent holds open.
	EndWith io.Reader
}

// Check rejects options that cannot work, and says what would.
func (o ContenderOptions) Check() error {
	switch {
	case o.Name == "":
		return errors.New("contend: no name")
	case o.Lock == "" || strings.HasSuffix(o.Lock, "/"):
		return fmt.Errorf("contend: %q is no name of a lock: want one that does not end with /", o.Lock)
	case o.Recipe != RecipeMutex && o.Recipe != RecipeElection:
		return fmt.Errorf("contend for %s: recipe %q: want %s or %s", o.Lock, o.Recipe, RecipeMutex, RecipeElection)
	case len(o.Endpoints) == 0:
		return fmt.Errorf("contend for %s: no endpoints", o.Lock)
	case o.TTL < 1:
		return fmt.Errorf("contend for %s: a TTL of %d s: want 1 or more", o.Lock, o.TTL)
	case o.Hold < 0 || o.Think < 0:
		return fmt.Errorf("contend for %s: a negative duration", o.Lock)
	}
	return nil
}

// EndWithStdinFlag is the flag by which the lab tells the contenders that it starts
// to end with their standard input.
const EndWithStdinFlag = "end-with-stdin"

// Args are the options as flags and one argument, the lock: what the lab appends to
// Options.Self. For EndWith the flag [EndWithStdinFlag] stands.
func (o ContenderOptions) Args() []string {
	args := []string{
		"--name=" + o.Name,
		"--recipe=" + o.Recipe,
		"--endpoints=" + strings.Join(o.Endpoints, ","),
		"--ttl=" + strconv.Itoa(o.TTL),
		"--hold=" + o.Hold.String(),
		"--think=" + o.Think.String(),
		"--seed=" + strconv.FormatUint(o.Seed, 10),
	}
	if o.EndWith != nil {
		args = append(args, "--"+EndWithStdinFlag)
	}
	return append(args, "--", o.Lock)
}

// recipe is how a contender competes, with one session.
type recipe struct {
	// acquire returns when the lock is had, or ctx ended.
	acquire func(ctx context.Context) error
	// release gives the claim back; it does no harm where there is none.
	release func(ctx context.Context) error
}

// newRecipe binds the recipe that o names to a session.
func newRecipe(o ContenderOptions, s *concurrency.Session) recipe {
	if o.Recipe == RecipeElection {
		e := concurrency.NewElection(s, o.Lock)
		return recipe{
			acquire: func(ctx context.Context) error { return e.Campaign(ctx, o.Name) },
			release: e.Resign,
		}
	}
	m := concurrency.NewMutex(s, o.Lock)
	return recipe{acquire: m.Lock, release: func(ctx context.Context) error {
		if err := m.Unlock(ctx); !errors.Is(err, concurrency.ErrLockReleased) {
			return err
		}
		return nil
	}}
}
