package process

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"strings"
	"time"
)

// Check asks once whether something is as it should be: the error says how it is instead. It is
// over soon after its context.
type Check func(context.Context) error

// outputMost is how much of the last line of a command stands in an error.
const outputMost = 200

// CheckExec runs a command, without a shell and in a group of its own, which is killed with the
// context: it has to end with exit code 0. The error has the last line that it printed.
func CheckExec(words, env []string) Check {
	return func(ctx context.Context) error {
		var said bytes.Buffer
		out := &Lines{Each: func(line []byte) {
			if text := bytes.TrimSpace(line); len(text) > 0 {
				said.Reset()
				said.Write(text[:min(len(text), outputMost)])
			}
		}}
		cmd := exec.CommandContext(ctx, words[0], words[1:]...)
		cmd.Env, cmd.Stdout, cmd.Stderr, cmd.SysProcAttr = append(os.Environ(), env...), out, out, Apart()
		cmd.Cancel = func() error { return SignalGroup(cmd.Process, os.Kill) }
		cmd.WaitDelay = time.Second
		err := cmd.Run()
		out.End()
		switch {
		case ctx.Err() != nil:
			return fmt.Errorf("it did not end in time: %s", said.String())
		case err != nil && said.Len() > 0:
			return fmt.Errorf("%w: %s", innermost(err), strings.ToValidUTF8(said.String(), "?"))
		case err != nil:
			return innermost(err)
		}
		return nil
	}
}

// CheckHTTP wants an answer below 400. It follows no redirect, and uses no proxy of the environment.
func CheckHTTP(url string) Check {
	ask := AskHTTP(url)
	return func(ctx context.Context) error {
		answer, err := ask.once(ctx)
		if err != nil {
			return err
		}
		status, _, _ := strings.Cut(string(answer), "\n")
		if status >= "400" || status < "200" {
			return errors.New("it answered " + status)
		}
		return nil
	}
}

// CheckTCP wants that somebody takes a connection.
func CheckTCP(address string) Check {
	return func(ctx context.Context) error {
		c, err := (&net.Dialer{Timeout: probeWithin}).DialContext(ctx, "tcp", address)
		if err != nil {
			return innermost(err)
		}
		return c.Close()
	}
}
