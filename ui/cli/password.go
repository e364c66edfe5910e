package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/charmbracelet/x/term"

	"locktop/model"
)

// passwordWays is what to do where nobody can be asked.
const passwordWays = "set ETCDCTL_PASSWORD, or name a file with --password-file or in a profile; on a terminal it is asked for"

// hidden stands for a secret wherever one could be shown.
const hidden = "xxxxx"

// credentials are what a connection logs in with; no user: it does not.
type credentials struct{ user, password string }

// shownUser is a user as it may be shown: what stands behind a colon may be a password.
func shownUser(user string) string {
	if name, _, found := strings.Cut(user, ":"); found {
		return name + ":" + hidden
	}
	return user
}

// login finds user and password once, and asks for the password if it has to.
func (e *env) login(ctx context.Context) error {
	if e.creds != (credentials{}) {
		return nil
	}
	user, password, err := e.givenPassword(ctx)
	if err != nil || user == "" {
		return err
	}
	if password == "" {
		if password, err = e.askPassword(ctx, user); err != nil {
			return err
		}
	}
	e.creds = credentials{user, password}
	return nil
}

// givenPassword is the user, and the password if there is one. As for etcdctl a user
// is USER:PASSWORD where no password is given beside it.
func (e *env) givenPassword(ctx context.Context) (user, password string, err error) {
	user = e.flags.user
	if user == "" {
		return "", "", nil
	}
	source := e.passwordSource()
	if name, rest, found := strings.Cut(user, ":"); found && (source == "" || e.from(source).rank < e.from("user").rank) {
		return name, rest, nil
	}
	switch source {
	case "password":
		password = e.flags.password
	case "password-file":
		password, err = e.readPassword(ctx, e.flags.passwordFile)
	}
	return user, password, err
}

// passwordSource is which of the flags gives the password: the one said in a better
// place, "" for none. That of a profile is for the user of the profile alone.
func (e *env) passwordSource() string {
	source := "password"
	if e.flags.password == "" || e.flags.passwordFile != "" && e.from("password-file").rank > e.from("password").rank {
		source = "password-file"
	}
	if source == "password-file" && e.flags.passwordFile == "" {
		return ""
	}
	if e.from(source).rank == fromProfile && e.from("user").rank > fromProfile {
		if theirs := e.profile.values["user"]; theirs == nil || theirs[0] != e.flags.user {
			return ""
		}
	}
	return source
}

// maxPassword is more than any password has.
const maxPassword = 4096

// readPassword reads a file with a password on its only line.
func (e *env) readPassword(ctx context.Context, name string) (string, error) {
	text, err := readInput(ctx, name, maxPassword)
	e.warnIfOpen(name)
	if err != nil {
		return "", bad("%s: %v", e.from("password-file").name, err)
	}
	password := strings.TrimSuffix(strings.TrimSuffix(string(text), "\n"), "\r")
	if password == "" || strings.ContainsAny(password, "\r\n\x00") {
		return "", bad("%s: %s does not hold a password on one line", e.from("password-file").name, name)
	}
	return password, nil
}

// warnIfOpen tells that a file with a secret can be read by everybody.
func (e *env) warnIfOpen(name string) {
	if info, err := os.Stat(name); err == nil && info.Mode().Perm()&0o004 != 0 {
		fmt.Fprintf(e.err, "locktop: warning: everybody on this machine can read the password in %s (chmod 600)\n", model.Printable(name))
	}
}

// askPassword asks at the terminal, without showing what is typed. A signal ends it,
// and leaves the terminal as it was.
func (e *env) askPassword(ctx context.Context, user string) (string, error) {
	if !isTerminal(e.in) || !isTerminal(e.err) {
		return "", bad("no password for user %q: %s", shownUser(user), passwordWays)
	}
	fd := e.in.(*os.File).Fd()
	before, err := term.GetState(fd)
	if err != nil {
		return "", fmt.Errorf("asking for the password: %w", err)
	}
	fmt.Fprintf(e.err, "Password of %s at %s: ", model.Printable(shownUser(user)), model.Printable(e.where()))
	defer fmt.Fprintln(e.err)
	type answer struct {
		text []byte
		err  error
	}
	typed := make(chan answer, 1)
	go func() { // it stays until a line is typed, or the program ends
		text, err := term.ReadPassword(fd)
		typed <- answer{text, err}
	}()
	select {
	case <-ctx.Done():
		return "", errors.Join(ctx.Err(), term.Restore(fd, before))
	case a := <-typed:
		if a.err != nil || len(a.text) == 0 {
			return "", bad("no password was typed for user %q", shownUser(user))
		}
		return string(a.text), nil
	}
}
