package cli

import (
	"context"
	"fmt"
	"io"
	"strings"
	"testing"

	clientv3 "go.etcd.io/etcd/client/v3"

	"locktop/watcher/hostile"
)

// An argument is a prefix: of ls, top, events and doctor alike.
func TestPlacesAsArguments(t *testing.T) {
	home(t, "")
	s := hostile.Start(t, "127.0.0.1:0")
	s.Become(0xaa, 10, hostile.Key("/jobs/a/1", 1, 5), hostile.Key("/jobs/b/1", 2, 6), hostile.Key("/other/c/1", 3, 7))
	name := aQueueOnRecord(t)
	for _, row := range []struct {
		reason     string
		env        string
		args       []string
		code       int
		want, wont string
	}{
		{"a prefix", "", []string{"ls", "/jobs/"}, exitOK, "/jobs/b", "/other"},
		{"a lock", "", []string{"ls", "/jobs/a"}, exitOK, "/jobs/a", "/jobs/b"},
		{"two", "", []string{"ls", "/jobs/a", "/other/"}, exitOK, "/other/c", "/jobs/b"},
		{"beside the flag", "", []string{"ls", "/jobs/a", "--prefix", "/other/"}, exitOK, "/other/c", "/jobs/b"},
		{"before the environment, as a flag is", "/other/", []string{"ls", "/jobs/"}, exitOK, "/jobs/b", "/other"},
		{"the environment alone", "/other/", []string{"ls"}, exitOK, "/other/c", "/jobs"},
		{"all, whatever the environment says", "/other/", []string{"ls", "-A"}, exitOK, "/jobs/b", ""},
		{"within the namespace", "", []string{"ls", "a", "--namespace", "/jobs/"}, exitOK, "/jobs/a", "/jobs/b"},
		{"all of the namespace", "", []string{"ls", "-A", "--namespace", "/jobs/"}, exitOK, "/jobs/b", "/other"},
		{"doctor", "", []string{"doctor", "/jobs/"}, exitOK, "2 locks", ""},
		{"all and one contradict each other", "", []string{"ls", "-A", "/jobs/"}, exitBad, "leave it out, or the prefix", ""},
		{"the same of the flag", "", []string{"top", "-A", "--prefix", "/jobs/"}, exitBad, "leave it out, or the prefix", ""},
		{"a variable of a script that is empty", "", []string{"events", ""}, exitBad, "--all-prefixes", ""},
		{"a recording is asked for its prefixes, too", "", []string{"ls", "/jobs/b", "--recording", name}, exitOK, "/jobs/b", "/jobs/a"},
		{"a recording is not over later", "", []string{"ls", "-w", "--recording", name}, exitBad, "events --recording", ""},
		{"events of a recording are over", "", []string{"events", "-w", "--recording", name}, exitBad, "--watch has no meaning", ""},
		{"a list and events are no JSON", "", []string{"ls", "-w", "-o", "json"}, exitBad, "events -o json", ""},
	} {
		t.Run(row.reason, func(t *testing.T) {
			t.Setenv("LOCKTOP_PREFIX", row.env)
			args := row.args
			if !strings.Contains(strings.Join(args, " "), "--recording") {
				args = append(args, "--endpoints", s.Addr)
			}
			code, out, errs := inProcess(t, nil, args...)
			if code != row.code || !strings.Contains(out+errs, row.want) || row.wont != "" && strings.Contains(out, row.wont) {
				t.Errorf("exit %d, want %d, %q and no %q\n%s%s", code, row.code, row.want, row.wont, out, errs)
			}
		})
	}
}

// ls --watch prints the list, and then what happens.
func TestWatchOfAList(t *testing.T) {
	home(t, "")
	endpoint := member(t)
	c := unbound(t, endpoint)
	lock := func(name string) {
		l, err := c.Grant(within(t), 600)
		if err == nil {
			_, err = c.Put(within(t), fmt.Sprintf("%s/%x", name, l.ID), "", clientv3.WithLease(l.ID))
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	lock("/jobs/a")
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	read, write := io.Pipe()
	e := &env{}
	e.streams = streams{in: strings.NewReader(""), out: write, err: io.Discard, stdout: write}
	root := e.rootCmd()
	root.SetArgs([]string{"ls", "/jobs/", "-w", "--endpoints", endpoint})
	ended := make(chan error, 1)
	go func() {
		_, err := root.ExecuteContextC(ctx)
		ended <- err
		write.Close()
	}()
	var seen strings.Builder
	buf := make([]byte, 4096)
	put, got := false, false
	for {
		n, err := read.Read(buf)
		seen.Write(buf[:n])
		if !put && strings.Contains(seen.String(), "/jobs/a") {
			put = true
			lock("/jobs/b")
		}
		if !got && strings.Contains(seen.String(), "/jobs/b") {
			got = true
			cancel()
		}
		if err != nil {
			break
		}
	}
	if err := <-ended; err != nil || !got {
		t.Errorf("%v\n%s", err, &seen)
	}
}

// One table has all exit codes: a command whose 1 is an answer does not say with it that it was
// interrupted.
func TestExitTable(t *testing.T) {
	known := map[string]bool{}
	for _, c := range commandTree((&env{}).rootCmd()) {
		known[nameOf(c)] = true
	}
	for _, r := range exitTable {
		for _, c := range r.commands {
			if !known[c] {
				t.Errorf("there is no command %q", c)
			}
		}
	}
	for command, want := range map[string]bool{"ls": false, "doctor": true, "report": true, "drill run": true, "drill suite": true, "drill check": true, "demo": true, "proxy": false} {
		if tellsWithOne(command) != want {
			t.Errorf("%s tells with 1: %v", command, !want)
		}
	}
}
