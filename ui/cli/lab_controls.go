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

func (f *controls) add(cmd *cobra.Command, address string) {
	fl := cmd.Flags()
	fl.StringVar(&f.socket, "control", "", "make a socket here for scripts, for your user alone: lines of JSON, {\"do\":\"list\"}, listen, inject, heal, wait or judge")
	fl.StringVar(&f.http, "control-http", address, "take the same by HTTP, on an address of loopback like 127.0.0.1:0: POST with Authorization: Bearer TOKEN")
	fl.StringVar(&f.file, "control-token", "", "file that has the token, or is written with a new one (default: a new one, which is printed)")
}

// tokenMax bounds a token, which is one line.
const tokenMax = 4096

// readToken has the token of the file, or a new one, which a file that is not there gets.
func (f *controls) readToken(ctx context.Context) error {
	if f.file != "" {
		data, err := readInput(ctx, f.file, tokenMax)
		if err == nil {
			if f.token = strings.TrimSpace(string(data)); f.token == "" || strings.ContainsAny(f.token, " \t\r\n") {
				return bad("--control-token %s: want one word", f.file)
			}
			return nil
		}
		if !errors.Is(err, fs.ErrNotExist) {
			return bad("--control-token: %v", err)
		}
	}
	f.token = rand.Text()
	if f.file == "" {
		return nil
	}
	file, err := os.OpenFile(f.file, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err == nil {
		_, err = file.WriteString(f.token + "\n")
		err = errors.Join(err, file.Close())
	}
	if err != nil {
		return bad("--control-token: %v", err)
	}
	return nil
}

// listen opens the doors that there are to be, and serves them once the room is open. What it returns
// ends them.
func (f *controls) listen(ctx context.Context, e *env, r *labRun) (end func() error, err error) {
	if f.file != "" && f.http == "" {
		return nil, bad("--control-token %s: a token is for --control-http ADDRESS, which is missing", f.file)
	}
	var doors []control.Door
	closed := func(err error) (func() error, error) {
		for _, d := range doors {
			err = errors.Join(err, d.Close())
		}
		return nil, err
	}
	if f.socket != "" {
		l, err := control.Listen(f.socket)
		if err != nil {
			return nil, bad("--control: %v", err)
		}
		doors = append(doors, l)
	}
	if f.http != "" {
		if err := f.readToken(ctx); err != nil {
			return closed(err)
		}
		if f.web, err = control.ListenWeb(f.http, f.token); err != nil {
			return closed(bad("--control-http: %v", err))
		}
		doors = append(doors, f.web)
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
func (f *controls) sockets() []string {
	if f.socket == "" {
		return nil
	}
	return []string{f.socket}
}

// webAddress is where the control is by HTTP, and with which token, for a person.
func (f *controls) webAddress() string {
	switch {
	case f.web == nil:
		return ""
	case f.file != "":
		return "control: " + f.web.Address + ", token in " + f.file
	}
	return "control: " + f.web.Address + ", token " + f.token
}
