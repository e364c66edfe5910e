//go:build slow

package cli

import (
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	clientv3 "go.etcd.io/etcd/client/v3"

	"locktop/demo/etcdtest"
)

// alert is one that a Prometheus has.
type alert struct {
	State               string
	Labels, Annotations map[string]string
}

// alarmed starts a Prometheus that scrapes serve each second by the rules of the house, as
// change makes them, and returns what it has of an alert that fires, nil if it does not.
func alarmed(t *testing.T, s *served, change func(string) string) (firing func(name string) *alert) {
	t.Helper()
	prometheus, dir := require(t, "prometheus"), t.TempDir()
	rules, err := os.ReadFile(filepath.Join(prometheusFiles, "alerts.yml"))
	if err == nil {
		err = os.WriteFile(filepath.Join(dir, "alerts.yml"), []byte(change(string(rules))), 0o600)
	}
	config := filepath.Join(dir, "prometheus.yml")
	if err == nil {
		err = os.WriteFile(config, fmt.Appendf(nil, "global: {scrape_interval: 1s, evaluation_interval: 1s}\nrule_files: [alerts.yml]\n"+
			"scrape_configs: [{job_name: locktop, static_configs: [{targets: [%q]}]}]\n", strings.TrimPrefix(s.url, "http://")), 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
	var api string
	etcdtest.OnPorts(t, 1, func(addrs []string) error {
		api = "http://" + addrs[0] + "/api/v1/alerts"
		start(t, exec.Command(prometheus, "--config.file", config, "--storage.tsdb.path", filepath.Join(dir, "data"), "--web.listen-address", addrs[0]))
		return nil
	})
	return func(name string) *alert {
		a, err := http.Get(api)
		if err != nil {
			return nil
		}
		defer a.Body.Close()
		var said struct{ Data struct{ Alerts []alert } }
		if json.NewDecoder(a.Body).Decode(&said) != nil {
			return nil
		}
		for _, x := range said.Data.Alerts {
			if x.Labels["alertname"] == name && x.State == "firing" {
				return &x
			}
		}
		return nil
	}
}

// fires waits for an alert, which has a minute from what it is about. It is waited for longer, to
// say by how much it was late.
func fires(t *testing.T, name string, firing func(string) *alert, since time.Time) *alert {
	t.Helper()
	for end := since.Add(4 * time.Minute); ; time.Sleep(100 * time.Millisecond) {
		if a := firing(name); a != nil {
			took := time.Since(since)
			if t.Logf("%s fired after %.1f s", name, took.Seconds()); took > time.Minute {
				t.Errorf("%s fired after %s, and a minute is what it has", name, took)
			}
			return a
		}
		if time.Now().After(end) {
			t.Fatalf("%s did not fire", name)
		}
	}
}

// calm says that alerts do not fire.
func calm(t *testing.T, firing func(string) *alert, names ...string) {
	t.Helper()
	for _, name := range names {
		if a := firing(name); a != nil {
			t.Errorf("what is well alarms: %s %v", name, a.Annotations)
		}
	}
}

// walk does what an alert says, as it stands there: it writes the page for the ticket, which has
// to tell of some things, and returns the command that opens the console.
func walk(t *testing.T, a *alert, wants ...string) (console *exec.Cmd) {
	t.Helper()
	look := a.Annotations["look"]
	said := regexp.MustCompile(`^on \S+: (locktop replay .*); for the ticket: (locktop report .*)$`).FindStringSubmatch(look)
	if said == nil {
		t.Fatalf("%s says: %s", a.Labels["alertname"], look)
	}
	here := t.TempDir()
	line := func(command string) *exec.Cmd {
		cmd := exec.Command("sh", "-c", command)
		cmd.Dir, cmd.Env = here, append(cleanEnv(here), "HOME="+here, "PATH="+filepath.Dir(locktop(t))+":"+os.Getenv("PATH"))
		return cmd
	}
	for end := time.Now().Add(time.Minute); ; time.Sleep(100 * time.Millisecond) { // a serve that is slow has yet to write it
		out, err := line(said[2]).CombinedOutput()
		if err == nil || strings.Contains(string(out), "not all could be seen") {
			break
		}
		if time.Now().After(end) {
			t.Fatalf("%s: %s: %v\n%s", a.Labels["alertname"], said[2], err, out)
		}
	}
	page, err := os.ReadFile(filepath.Join(here, "incident.html"))
	for _, want := range wants {
		if err != nil || !strings.Contains(string(page), want) {
			t.Errorf("%s: the page for the ticket (%v) does not tell of %s", a.Labels["alertname"], err, want)
		}
	}
	return line(said[1])
}

// TestFromTheAlertToItsCause has a real Prometheus look at serve while a lock is blocked and
// two sessions wait for each other. What its alerts say is done as it stands there: the console
// opens at the moment, and the page for the ticket tells of it. Then the server goes, and then
// serve itself, of which the recording is left.
func TestFromTheAlertToItsCause(t *testing.T) {
	t.Parallel() // it waits most of the time
	etcd, endpoint := etcdtest.Run(t, require(t, "etcd"), "http")
	s := serveOn(t, endpoint, "--record", filepath.Join(t.TempDir(), "a ring"))
	firing := alarmed(t, s, func(rules string) string { return rules })
	began := time.Now()
	blocked(t, endpoint, "/jobs/stuck")
	deadlock(t, endpoint, "/jobs/lock-a", "/jobs/lock-b")
	deadlocked := fires(t, "LockDeadlock", firing, began)
	walk(t, fires(t, "LockBlocked", firing, began), "/jobs/stuck", "foreign-key")
	calm(t, firing, "LocktopBlind", "EtcdNoQuorum", "LockMassLoss", "LockTwoAct")
	term := onTerminal(t, walk(t, deadlocked, "lock-cycle", "/jobs/lock-a"))
	term.sees(t, 0, "deadlock")
	term.press("q")
	began = time.Now()
	etcd.Stop()
	walk(t, fires(t, "LocktopBlind", firing, began), "/jobs/lock-a")
	began = time.Now()
	if err := s.cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	for end := time.Now().Add(4 * time.Minute); firing("LockBlocked") != nil; time.Sleep(100 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatal("serve is not missed")
		}
	}
	walk(t, fires(t, "LocktopBlind", firing, began), "/jobs/lock-a")
}

// TestTheOtherAlertsFire: a holder that does not renew, a wait that is too long, many holders
// that lose their leases at once, and a cluster without a quorum, in one cluster of three. The
// wait is made shorter.
func TestTheOtherAlertsFire(t *testing.T) {
	t.Parallel() // it waits most of the time
	etcd := require(t, "etcd")
	var members []*etcdtest.Process
	var endpoints []string
	etcdtest.OnPorts(t, 6, func(addrs []string) error {
		members, endpoints = nil, addrs[:3]
		var cluster []string
		for i := range endpoints {
			cluster = append(cluster, fmt.Sprintf("m%d=http://%s", i, addrs[3+i]))
		}
		for i, client := range endpoints {
			url, peer := "http://"+client, "http://"+addrs[3+i]
			members = append(members, etcdtest.NewProcess(etcd, addrs[3+i], "--name", fmt.Sprintf("m%d", i), "--data-dir", t.TempDir(), "--listen-client-urls", url,
				"--advertise-client-urls", url, "--listen-peer-urls", peer, "--initial-advertise-peer-urls", peer, "--initial-cluster", strings.Join(cluster, ",")))
		}
		return etcdtest.StartAll(members...)
	})
	for _, m := range members {
		t.Cleanup(m.Stop)
	}
	s := serveOn(t, strings.Join(endpoints, ","), "--record", filepath.Join(t.TempDir(), "ring"))
	firing := alarmed(t, s, func(rules string) string {
		if !strings.Contains(rules, "> 900") {
			t.Error("the wait that is too long is no longer 900 s")
		}
		return strings.Replace(rules, "> 900", "> 10", 1) // the link is to the moment 5 s before
	})
	c, err := clientv3.New(clientv3.Config{Endpoints: endpoints})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	claim := func(ttl int64, locks ...string) clientv3.LeaseID {
		t.Helper()
		lease, err := c.Grant(t.Context(), ttl)
		for _, lock := range locks {
			if err == nil {
				_, err = c.Put(t.Context(), fmt.Sprintf("%s/%x", lock, lease.ID), "", clientv3.WithLease(lease.ID))
			}
		}
		if err != nil {
			t.Fatal(err)
		}
		return lease.ID
	}
	const ttl = 90           // one of 60 s may be granted by the server, and is another finding
	claim(ttl, "/jobs/late") // and never renewed
	began := time.Now()
	renewal := began.Add(ttl * time.Second / 3) // when the first one is due
	claim(3600, "/jobs/late")
	var many []string
	for i := range 15 {
		many = append(many, fmt.Sprintf("/jobs/many-%c", 'a'+i))
	}
	lost := claim(3600, many...)
	walk(t, fires(t, "LockWaitedTooLong", firing, began), "/jobs/late")
	calm(t, firing, "LockMassLoss", "EtcdNoQuorum", "LocktopBlind", "LockDeadlock", "LockBlocked")
	began = time.Now()
	if _, err := c.Revoke(t.Context(), lost); err != nil {
		t.Fatal(err)
	}
	massLoss := fires(t, "LockMassLoss", firing, began)
	walk(t, fires(t, "LockHolderLate", firing, renewal), "/jobs/late")
	walk(t, massLoss, "/jobs/many-a")
	members[1].Stop()
	until(t, "one member is missed", func() bool {
		_, text := s.get("/metrics", "")
		return strings.Contains(text, "locktop_members_not_serving 1\n")
	})
	calm(t, firing, "EtcdNoQuorum", "LockTwoAct")
	began = time.Now()
	members[2].Stop()
	walk(t, fires(t, "EtcdNoQuorum", firing, began), "/jobs/late")
}
