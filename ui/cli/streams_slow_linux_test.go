//go:build slow

package cli

import (
	"bytes"
	"fmt"
	"os/exec"
	"strings"
	"testing"

	"locktop/watcher/hostile"
)

// TestStreamsThatAreClosed: who closes a standard stream does not want what is said there,
// and gets the exit code. One that takes nothing is another matter: the answer is lost.
func TestStreamsThatAreClosed(t *testing.T) {
	t.Parallel()
	s := hostile.Start(t, "127.0.0.1:0")
	s.Become(0xaa, 10, hostile.Key("/lock/a", 0xa1, 5), hostile.Key("/lock/a", 0xa2, 6))
	sick := hostile.Start(t, "127.0.0.1:0")
	k := hostile.Key("/lock/a", 0xa1, 5)
	k.Lease = 0
	sick.Become(0xaa, 10, k, hostile.Key("/lock/a", 0xa2, 6))
	dir := t.TempDir()
	for _, r := range []struct {
		args string
		on   *hostile.Server
		code int
	}{
		{"ls", s, exitOK}, {"ls -o json", s, exitOK}, {"doctor", s, exitOK}, {"doctor --fail-on warning", sick, exitFailed}, {"describe /lock/a", s, exitOK},
		{"describe /lock/none", s, exitBad}, {"discover", s, exitOK}, {"events --for 2s", s, exitOK}, {"break /lock/a --dry-run", s, exitOK},
		{"report --for 2s", s, exitOK}, {"top --for 2s", s, exitOK}, {"record " + dir + "/rec --for 2s", s, exitOK}, {"", s, exitOK}, {"version", nil, exitOK},
	} {
		for _, streams := range []struct {
			how string
			// full: what is printed is lost; code, unless it is worse already
			lost bool
		}{
			{">&-", false}, {"2>&-", false}, {"<&-", false}, {">&- 2>&-", false}, {">&- <&-", false}, {"2>&- <&-", false}, {">&- 2>&- <&-", false},
			{">/dev/null", false}, {">/dev/full", true}, {"1</dev/null", true}, {">/dev/full 2>&-", true}, {">/dev/full 2>/dev/full", true},
		} {
			t.Run(r.args+" "+streams.how, func(t *testing.T) {
				t.Parallel()
				args := r.args
				if r.on != nil {
					args += " --prefix /lock/ --endpoints " + r.on.Addr
				}
				if strings.HasPrefix(args, "record") {
					args = strings.Replace(args, "/rec", "/"+fmt.Sprintf("%x", streams.how), 1)
				}
				cmd := exec.Command("sh", "-c", `exec "$L" `+args+" "+streams.how)
				cmd.Env = append(cleanEnv(t.TempDir()), "HOME="+t.TempDir(), "L="+locktop(t))
				var out, errs bytes.Buffer
				cmd.Stdout, cmd.Stderr = &out, &errs
				_ = cmd.Run() // its code is looked at
				want := r.code
				if prints := !strings.HasPrefix(args, "record") && !strings.HasPrefix(args, "events") && r.args != "describe /lock/none"; streams.lost && prints {
					want = exitBad
				}
				if code := cmd.ProcessState.ExitCode(); code != want || strings.Contains(errs.String(), "panic") {
					t.Errorf("exit %d, want %d:\n%s%s", code, want, &out, &errs)
				}
				if strings.Contains(streams.how, ">") && !strings.HasPrefix(streams.how, "2") && out.Len() > 0 {
					t.Errorf("it printed %s", &out)
				}
			})
		}
	}
}
