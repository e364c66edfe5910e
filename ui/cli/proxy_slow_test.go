//go:build slow

package cli

import (
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"
	"time"

	"locktop/demo/etcdtest"
	"locktop/watcher/hostile"
)

// TestWhatHappensIsToldBesideTheCommand reads standard error, where the events are as
// long as the command has the output.
func TestWhatHappensIsToldBesideTheCommand(t *testing.T) {
	t.Parallel()
	b := newCLIOn(t, installedServer(t))
	tmp := t.TempDir()
	cmd := exec.Command("sh", "-c", `exec "$@" 2>&1 >/dev/null`, "sh", locktop(t), "proxy", "--endpoints", b.endpoint, "--",
		"sh", "-c", "while etcdctl lock /jobs/x true; do :; done")
	cmd.Env = append(os.Environ(), "TMPDIR="+tmp, "ETCDCTL_API=3")
	out, _ := lines(t, cmd)
	// The proxy knows who it is. What it tells and what the watch tells come by two ways: on a
	// busy machine the first line may be told before that is known here.
	untilLine(t, out, "sh took /jobs/x")
	cmd.Process.Signal(os.Interrupt)
	cmd.Wait()
	if code := cmd.ProcessState.ExitCode(); code != 128+15 {
		t.Errorf("exit %d after an interrupt: want that of a command which SIGTERM ended", code)
	}
	checkNothingLeft(t, tmp)
}

// TestEndpointsOfTwoClusters: a program that goes through both would take its lock twice.
func TestEndpointsOfTwoClusters(t *testing.T) {
	t.Parallel()
	one, twin, other := hostile.Start(t, "127.0.0.1:0"), hostile.Start(t, "127.0.0.1:0"), hostile.Start(t, "127.0.0.1:0")
	other.Become(0xbb, 10)
	for _, r := range []struct {
		second, says, reason string
		code                 int
	}{
		{twin.Addr, "", "two members of one cluster", exitOK},
		{other.Addr, one.Addr + " belongs to cluster c1, and " + other.Addr + " to cluster bb: name the endpoints of one cluster", "a copy of the cluster", exitBad},
		{"127.0.0.1:1", "warning: 127.0.0.1:1 did not say which cluster it belongs to", "a member that is down is no reason not to start, and is named", exitOK},
	} {
		endpoints := one.Addr + "," + r.second
		code, out, errs := behind(t, t.TempDir(), []string{"--endpoints", endpoints}, "true")
		if code != r.code || !strings.Contains(errs, r.says) || r.says == "" && strings.Contains(errs, "belongs to") {
			t.Errorf("%s: proxy: exit %d, want %d and %q: %s%s", r.reason, code, r.code, r.says, out, errs)
		}
		if r.code != exitBad {
			continue
		}
		if code, out, errs := ranTo(t, "contend", "--armed", "/l", "--endpoints", endpoints); code != exitBad || !strings.Contains(errs, r.says) {
			t.Errorf("%s: contend: exit %d, want %q: %s%s", r.reason, code, r.says, out, errs)
		}
		if wrote := slices.Concat(one.Wrote(), other.Wrote()); len(wrote) > 0 {
			t.Errorf("it wrote %v", wrote)
		}
	}
}

func TestTLSToTheCluster(t *testing.T) {
	t.Parallel()
	etcdctl := require(t, "etcdctl")
	a := newAuthority(t)
	client, secure := a.tlsProcess()
	ls := func(endpoint string, flags ...string) (int, string) {
		code, out, errs := program(t, t.TempDir(), append([]string{"ls", "--endpoints", endpoint}, flags...)...)
		return code, out + errs
	}
	if code, out := ls("https://"+client, secure...); code != 0 {
		t.Errorf("with https: exit %d: %s", code, out)
	}
	rows := []struct {
		endpoint string
		flags    []string
		reason   string
	}{
		{client, nil, "plain text to TLS"},
		{"https://" + client, nil, "an authority that nobody knows"},
		{client, secure[:2], "no certificate of one's own"},
		{"http://" + client, secure, "http is no TLS, whatever the flags say"},
	}
	for _, r := range rows {
		if code, out := ls(r.endpoint, r.flags...); code != exitBad || !strings.Contains(out, "no endpoint answers ("+r.endpoint+": ") {
			t.Errorf("%s: exit %d: %s", r.reason, code, out)
		}
	}
	old := certificate(4, "old")
	old.NotAfter = time.Now().Add(-time.Minute)
	a.sign("old", old)
	want := a.path("old") + " (CN=old) expired on " + old.NotAfter.UTC().Format("2006-01-02 15:04")
	if code, out := ls(client, "--cacert", a.path("ca"), "--cert", a.path("old"), "--key", a.path("old-key")); code != exitBad || !strings.Contains(out, want) {
		t.Errorf("a certificate that has expired: exit %d: %s; want %q", code, out, want)
	}
	for _, endpoint := range []string{client, "https://" + client} {
		code, out, errs := behind(t, t.TempDir(), append([]string{"--endpoints", endpoint}, secure...), etcdctl, "put", "/a", "b")
		if code != 0 || out != "OK\n" {
			t.Errorf("behind the proxy before %s: exit %d: %s%s", endpoint, code, out, errs)
		}
	}
}

// tlsProcess starts an etcd that wants a certificate of its clients, and returns its
// endpoint and the flags of the client named "client".
func (a *authority) tlsProcess() (endpoint string, secure []string) {
	a.t.Helper()
	a.sign("server", certificate(2, "server"))
	a.sign("client", certificate(3, "client"))
	_, endpoint = etcdtest.Run(a.t, require(a.t, "etcd"), "https",
		"--cert-file", a.path("server"), "--key-file", a.path("server-key"), "--trusted-ca-file", a.path("ca"), "--client-cert-auth")
	secure = []string{"--cacert", a.path("ca"), "--cert", a.path("client"), "--key", a.path("client-key")}
	until(a.t, "etcd answers", func() bool {
		code, _, _ := program(a.t, a.t.TempDir(), append([]string{"ls", "--endpoints", endpoint}, secure...)...)
		return code == 0
	})
	return endpoint, secure
}

func TestACommandBehindTheProxy(t *testing.T) {
	t.Parallel()
	b := newCLIOn(t, installedServer(t))
	rows := []struct {
		command []string
		code    int
		out     string // whole
		errs    []string
		reason  string
	}{
		{[]string{"etcdctl", "put", "/a", "b"}, 0, "OK\n", []string{"proxy ready: ETCD_ENDPOINTS=127.0.0.1:"}, "its output is passed on untouched"},
		{[]string{"etcdctl", "get", "/a"}, 0, "/a\nb\n", nil, "and it was the cluster that it wrote to"},
		{[]string{"sh", "-c", "exit 3"}, 3, "", []string{"locktop: sh ended: exit 3"}, "a failure is no success"},
		{[]string{"sh", "-c", "kill -9 $$"}, 137, "", []string{"locktop: sh ended: killed"}, "nor is a violent end"},
		{[]string{"/no/such/program"}, 2, "", []string{"locktop: ", "/no/such/program: no such file or directory"}, "what cannot be started is named"},
		{[]string{"no-such-program"}, 2, "", []string{`"no-such-program": executable file not found`}, "what cannot be found is named"},
	}
	for _, r := range rows {
		t.Run(r.reason, func(t *testing.T) {
			tmp := t.TempDir()
			code, out, errs := behind(t, tmp, []string{"--endpoints", b.endpoint}, r.command...)
			if code != r.code || out != r.out {
				t.Errorf("exit %d, %q; want %d, %q\n%s", code, out, r.code, r.out, errs)
			}
			for _, want := range r.errs {
				if !strings.Contains(errs, want) {
					t.Errorf("no %q in\n%s", want, errs)
				}
			}
			checkNothingLeft(t, tmp)
		})
	}
	if got, err := b.client.Get(within(t), "/a"); err != nil || len(got.Kvs) != 1 || string(got.Kvs[0].Value) != "b" {
		t.Errorf("directly the value is %v, %v", got, err)
	}
}
