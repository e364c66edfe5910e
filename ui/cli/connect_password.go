package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
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
func (a *access) login(ctx context.Context) error {
	if a.creds != (credentials{}) {
		return nil
	}
	user, password, err := a.givenPassword(ctx)
	if err != nil || user == "" {
		return err
	}
	if password == "" {
		if password, err = a.askPassword(ctx, user); err != nil {
			return err
		}
	}
	a.creds = credentials{user, password}
	return nil
}

// givenPassword is the user, and the password if there is one. As for etcdctl a user
// is USER:PASSWORD where no password is given beside it.
func (a *access) givenPassword(ctx context.Context) (user, password string, err error) {
	user = a.flags.user
	if user == "" {
		return "", "", nil
	}
	source := a.passwordSource()
	if name, rest, found := strings.Cut(user, ":"); found && (source == "" || a.originOf(source).rank < a.originOf("user").rank) {
		return name, rest, nil
	}
	switch source {
	case "password":
		password = a.flags.password
	case "password-file":
		password, err = a.readPassword(ctx, a.flags.passwordFile)
	}
	return user, password, err
}

// passwordSource is which of the flags gives the password: the one said in a better
// place, "" for none. That of a profile is for the user of the profile alone.
func (a *access) passwordSource() string {
	source := "password"
	if a.flags.password == "" || a.flags.passwordFile != "" && a.originOf("password-file").rank > a.originOf("password").rank {
		source = "password-file"
	}
	if source == "password-file" && a.flags.passwordFile == "" {
		return ""
	}
	if a.originOf(source).rank == fromProfile && a.originOf("user").rank > fromProfile {
		if theirs := a.profile.values["user"]; theirs == nil || theirs[0] != a.flags.user {
			return ""
		}
	}
	return source
}

// maxPassword is more than any password has.
const maxPassword = 4096

// readPassword reads a file with a password on its only line.
func (a *access) readPassword(ctx context.Context, name string) (string, error) {
	text, err := readInput(ctx, name, maxPassword)
	warnIfOpen(a.err, "password", name)
	switch {
	case ctx.Err() != nil:
		return "", ctx.Err()
	case err != nil:
		return "", bad("%s: %v", a.originOf("password-file").name, err)
	}
	password := strings.TrimSuffix(strings.TrimSuffix(string(text), "\n"), "\r")
	if password == "" || strings.ContainsAny(password, "\r\n\x00") {
		return "", bad("%s: %s does not hold a password on one line", a.originOf("password-file").name, name)
	}
	return password, nil
}

// warnIfOpen tells that a file with a secret can be read by everybody.
func warnIfOpen(to io.Writer, what, name string) {
	if info, err := os.Stat(name); err == nil && info.Mode().Perm()&0o004 != 0 {
		fmt.Fprintf(to, "locktop: warning: everybody on this machine can read the %s in %s (chmod 600)\n", what, model.Printable(name))
	}
}

// askPassword asks at the terminal, without showing what is typed. A signal ends it,
// and leaves the terminal as it was.
func (a *access) askPassword(ctx context.Context, user string) (string, error) {
	if !isTerminal(a.in) || !isTerminal(a.stderr) {
		return "", bad("no password for user %q: %s", shownUser(user), passwordWays)
	}
	fd := a.in.(*os.File).Fd()
	before, err := term.GetState(fd)
	if err != nil {
		return "", fmt.Errorf("asking for the password: %w", err)
	}
	fmt.Fprintf(a.err, "Password of %s at %s: ", model.Printable(shownUser(user)), model.Printable(a.where()))
	defer fmt.Fprintln(a.err)
	text, err := await(ctx, func() ([]byte, error) { return term.ReadPassword(fd) })
	switch {
	case ctx.Err() != nil:
		return "", errors.Join(ctx.Err(), term.Restore(fd, before))
	case err != nil || len(text) == 0:
		return "", bad("no password was typed for user %q", shownUser(user))
	}
	return string(text), nil
}
