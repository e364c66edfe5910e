//go:build slow

package cluster

import (
	"context"
	"io"
	"net"
	"os"
	"os/exec"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"locktop/demo/etcdtest"
	"locktop/demo/labtest"
	"locktop/demo/process"
)

func asProcesses(o *Options) { o.Process = labtest.SelfAs(asMember) }

func TestMemberProcesses(t *testing.T) {
	c := breakable(t, 3, asProcesses)
	cli := labtest.NewClient(t, c.MemberEndpoints()...)
	put(t, cli)
	if pids := c.PIDs(); len(pids) != 3 {
		t.Errorf("processes %v", pids)
	}
	lead := labtest.LeaderOf(t, c)
	timed(t, "pause the leader", func() error { return c.PauseMember(lead) })
	wantErr(t, c.PauseMember(lead), lead+" is paused already")
	var next string
	timed(t, "another leader", func() error { next = labtest.LeaderOf(t, c); return nil })
	if next == lead {
		t.Errorf("%s is paused and leads", lead)
	}
	timed(t, "resume", func() error { return c.ResumeMember(lead) })
	labtest.Eventually(t, "it follows the new one", func() bool { return knows(t, c, lead) == labtest.LeaderOf(t, c) })

	cut := labtest.LeaderOf(t, c)
	timed(t, "isolate the leader", func() error { return c.Isolate(cut) })
	timed(t, "another leader", func() error { labtest.LeaderOf(t, c); return nil })
	labtest.Eventually(t, "it gives up to lead", func() bool { return knows(t, c, cut) == "" })
	timed(t, "join", func() error { return c.Join(cut) })
	labtest.Eventually(t, "it follows", func() bool { return knows(t, c, cut) == labtest.LeaderOf(t, c) })

	victim := another(c, labtest.LeaderOf(t, c))
	timed(t, "stop "+victim, func() error { return c.StopMember(victim) })
	timed(t, "start "+victim, func() error { return c.StartMember(t.Context(), victim) })
	proc, err := os.FindProcess(c.PIDs()[victim])
	if err != nil {
		t.Fatal(err)
	}
	if err := proc.Kill(); err != nil {
		t.Fatal(err)
	}
	labtest.Eventually(t, "it is noticed", func() bool { return slices.Equal(c.Down(), []string{victim}) })
	wantErr(t, c.StopMember(victim), victim+" has ended already (killed)")
	wantErr(t, c.PauseMember(victim), victim+" has ended (killed): start it first")
	timed(t, "start "+victim, func() error { return c.StartMember(t.Context(), victim) })
	put(t, cli)

	paused := labtest.LeaderOf(t, c) // and so it ends
	if err := c.PauseMember(paused); err != nil {
		t.Fatal(err)
	}
	if err := c.StopMember(another(c, paused)); err != nil {
		t.Fatal(err)
	}
}

func TestMemberProcessThatCannotStart(t *testing.T) {
	tests := []struct {
		program []string
		words   string
		reason  string
	}{
		{[]string{"/does/not/exist"}, "no such file", "no program"},
		{[]string{"false"}, "it ended (exit status 1)", "it says nothing and ends"},
	}
	for _, tt := range tests {
		_, err := Start(t.Context(), Options{Members: 1, Dir: t.TempDir(), Process: tt.program})
		if err == nil || !strings.Contains(err.Error(), "start member m1: ") || !strings.Contains(err.Error(), tt.words) {
			t.Errorf("%s: %v", tt.reason, err)
		}
	}
	l, err := process.Listen()
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	o := Options{Members: 1, Dir: t.TempDir(), ClientAddrs: []string{l.Addr().String()}}
	asProcesses(&o)
	_, err = Start(t.Context(), o)
	wantErr(t, err, syscall.EADDRINUSE.Error())
}

func TestRunMember(t *testing.T) {
	wantErr(t, RunMember(t.Context(), nil, strings.NewReader(""), io.Discard), "the lab starts this")
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	var stdin io.Closer
	var next func() []byte
	var used []string
	ended := make(chan error, 1)
	etcdtest.OnPorts(t, 2, func(addrs []string) error {
		dir := t.TempDir()
		p := memberPlan{Name: "m1", Dir: dir + "/m1", Log: dir + "/log", Client: addrs[0], Advertise: addrs[0],
			Peer: addrs[1], PeerLink: addrs[1], Cluster: "m1=http://" + addrs[1], Quota: MaxFill}
		if got, err := parseMemberPlan(p.args()); err != nil || got != p {
			t.Errorf("%+v became %+v (%v)", p, got, err)
		}
		in, w := io.Pipe()
		stdout, out := io.Pipe()
		go func() { ended <- RunMember(ctx, p.args(), in, out) }()
		next, stdin, used = labtest.NewLineReader(stdout), w, addrs
		line := string(next())
		if strings.Contains(line, `"in_use":true`) {
			return <-ended
		}
		if !strings.HasPrefix(line, `{"id":`) {
			t.Errorf("it began with %s", line)
		}
		return nil
	})
	if line := string(next()); !strings.Contains(line, `{"ready":true}`) {
		t.Errorf("it went on with %s", line)
	}
	begun := time.Now()
	stdin.Close()
	if err := <-ended; err != nil {
		t.Error(err)
	}
	t.Logf("it ended with its standard input in %v", time.Since(begun).Round(time.Millisecond))
	labtest.WantFree(t, used...)
}

// A port that somebody takes between the choice and the bind costs a try, for every
// kind of port, and the person is told.
func TestAClusterFindsOtherPorts(t *testing.T) {
	for kind, addressOf := range map[string]func(memberPlan) string{"client": func(p memberPlan) string { return p.Client }, "peer": func(p memberPlan) string { return p.Peer }} {
		var stolen string
		var told []string
		o := Options{Members: 1, Dir: t.TempDir(), Moves: func(from []string, _ error) { told = append(told, from...) },
			Start: func(cmd *exec.Cmd) error {
				if stolen == "" {
					plan, err := parseMemberPlan(cmd.Args[len(cmd.Args)-1:])
					if err != nil {
						return err
					}
					l, err := net.Listen("tcp", addressOf(plan))
					if err != nil {
						return err
					}
					t.Cleanup(func() { l.Close() })
					stolen = addressOf(plan)
				}
				return cmd.Start()
			}}
		asProcesses(&o)
		c, err := Start(t.Context(), o)
		if err != nil {
			t.Fatal(err)
		}
		defer c.Close()
		if at := c.MemberEndpoints()[0]; stolen == "" || at == stolen || !slices.Contains(told, stolen) {
			t.Errorf("%s: stolen was %q, it serves at %s and said %q", kind, stolen, at, told)
		}
		// Nobody is given the port of a member that is stopped.
		if err := c.StopMember("m1"); err != nil {
			t.Fatal(err)
		}
		if kept, err := net.ListenPacket("udp", c.MemberEndpoints()[0]); !process.PortTaken(err) {
			t.Errorf("the port of a stopped member is not kept: %v", err)
			if err == nil {
				kept.Close()
			}
		}
	}
}
