//go:build slow

package cli

import (
	"context"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"time"
)

// TestTheCertificateIsNotLentToAnotherUser is another user of the machine who writes,
// and makes himself root, through the port of a proxy with our certificate.
func TestTheCertificateIsNotLentToAnotherUser(t *testing.T) {
	t.Parallel()
	etcdctl := require(t, "etcdctl")
	if os.Geteuid() != 0 {
		t.Skip("only root can start a process of another user")
	}
	a := newAuthority(t)
	cluster, secure := a.tlsProcess()
	cmd := exec.Command(locktop(t), append([]string{"proxy", "--endpoints", cluster}, secure...)...)
	cmd.Env = append(os.Environ(), "TMPDIR="+t.TempDir())
	out, _ := lines(t, cmd)
	_, port, _ := strings.Cut(untilLine(t, out, "proxy ready"), "ETCD_ENDPOINTS=")
	ctl := func(uid uint32, words string) (string, error) {
		ctx, cancel := context.WithTimeout(t.Context(), 3*time.Second) // some of its commands never give up
		defer cancel()
		c := exec.CommandContext(ctx, etcdctl, strings.Fields(words)...)
		c.Dir, c.Env = "/", []string{"ETCDCTL_API=3", "ETCDCTL_ENDPOINTS=" + port, "ETCDCTL_DIAL_TIMEOUT=1s", "ETCDCTL_COMMAND_TIMEOUT=2s"}
		c.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: uid, Gid: uid}}
		c.WaitDelay = time.Second
		text, err := c.CombinedOutput()
		return string(text), err
	}
	for _, words := range []string{"put /a theirs", "user add me:pw"} {
		if text, err := ctl(65534, words); err == nil {
			t.Errorf("another user may %s: %s", words, text)
		}
	}
	if line := untilLine(t, out, "refused a connection"); !strings.Contains(line, "uid 65534") {
		t.Errorf("%q does not say whose", line)
	}
	if text, err := ctl(0, "get /a --print-value-only"); err != nil || text != "" {
		t.Errorf("%v: the key is %q", err, text)
	}
	if text, err := ctl(0, "put /a ours"); err != nil || text != "OK\n" {
		t.Errorf("one's own program: %v: %s", err, text)
	}
	if text, err := ctl(0, "user add me:pw"); err == nil || !strings.Contains(text, "the proxy of locktop passes") {
		t.Errorf("one's own program makes a user: %v: %s", err, text)
	}
	cmd.Process.Signal(os.Interrupt)
	cmd.Wait()
}
