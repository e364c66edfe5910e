package cli

import (
	"context"
	"crypto/rand"
	"errors"
	"io/fs"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"locktop/model"
	"locktop/ui/cli/control"
	"locktop/ui/cli/session"
)

// controls are the doors of a lab, or of the proxy, for scripts.
type controls struct {
	socket string // path of a socket, "" for none
	http   string // address for HTTP, "" for none
	file   string // that has the token, or gets one; "" for a token that is told
	token  string
	web    *control.Web // once it listens
}

func (c *controls) add(cmd *cobra.Command, address string) {
	fl := cmd.Flags()
	fl.StringVar(&c.socket, "control", "", "make a socket here for scripts, for your user alone: lines of JSON, {\"do\":\"list\"}, listen, inject, heal, wait or judge")
	fl.StringVar(&c.http, "control-http", address, "take the same by HTTP, on an address of loopback like 127.0.0.1:0: POST with Authorization: Bearer TOKEN")
	fl.StringVar(&c.file, "control-token", "", "file that has the token, or is written with a new one (default: a new one, which is printed)")
}

// tokenMax bounds a token, which is one line.
const tokenMax = 4096

// readToken has the token of the file, or a new one, which a file that is not there gets.
func (c *controls) readToken(ctx context.Context) error {
	if c.file != "" {
		data, err := readInput(ctx, c.file, tokenMax)
		if err == nil {
			if c.token = strings.TrimSpace(string(data)); c.token == "" || strings.ContainsAny(c.token, " \t\r\n") {
				return bad("--control-token %s: want one word", c.file)
			}
			return nil
		}
		if !errors.Is(err, fs.ErrNotExist) {
			return bad("--control-token: %v", err)
		}
	}
	c.token = rand.Text()
	if c.file == "" {
		return nil
	}
	file, err := os.OpenFile(c.file, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err == nil {
		_, err = file.WriteString(c.token + "\n")
		err = errors.Join(err, file.Close())
	}
	if err != nil {
		return bad("--control-token: %v", err)
	}
	return nil
}

// listen opens the doors that there are to be, and serves them once the room is open. What it returns
// ends them.
func (c *controls) listen(ctx context.Context, e *env, r *labRun) (end func() error, err error) {
	if c.file != "" && c.http == "" {
		return nil, bad("--control-token %s: a token is for --control-http ADDRESS, which is missing", c.file)
	}
	var doors []control.Door
	closed := func(err error) (func() error, error) {
		for _, d := range doors {
			err = errors.Join(err, d.Close())
		}
		return nil, err
	}
	if c.socket != "" {
		l, err := control.Listen(c.socket)
		if err != nil {
			return nil, bad("--control: %v", err)
		}
		doors = append(doors, l)
	}
	if c.http != "" {
		if err := c.readToken(ctx); err != nil {
			return closed(err)
		}
		if c.web, err = control.ListenWeb(c.http, c.token); err != nil {
			return closed(bad("--control-http: %v", err))
		}
		doors = append(doors, c.web)
	}
	if len(doors) == 0 {
		return func() error { return nil }, nil
	}
	ended := make(chan error, 1)
	opened := false
	r.join(func(ctx context.Context, src model.Source) model.Source {
		opened = true
		mine, theirs := session.Fork(ctx, src)
		go func() {
			ended <- control.Serve(ctx, doors, control.Room{Source: mine, Pins: e.pins, Do: r.do, Listen: r.lab.Listen, Report: r.lab.Report})
		}()
		return theirs
	})
	return func() error {
		if !opened { // the room is closed by now
			_, err := closed(nil)
			return err
		}
		return <-ended
	}, nil
}

// sockets are the files that have to go if the lab is killed.
func (c *controls) sockets() []string {
	if c.socket == "" {
		return nil
	}
	return []string{c.socket}
}

// webAddress is where the control is by HTTP, and with which token, for a person.
func (c *controls) webAddress() string {
	switch {
	case c.web == nil:
		return ""
	case c.file != "":
		return "control: " + c.web.Address + ", token in " + c.file
	}
	return "control: " + c.web.Address + ", token " + c.token
}
