//go:build slow

package lessons

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	clientv3 "go.etcd.io/etcd/client/v3"
	"go.etcd.io/etcd/client/v3/concurrency"

	"locktop/demo/cluster"
	"locktop/demo/etcdtest"
	"locktop/demo/labtest"
	"locktop/model"
	"locktop/model/findings"
	"locktop/model/text"
)

// missing fails the test: with the tag slow every program has to be there.
func missing(t *testing.T, what error) {
	t.Helper()
	t.Fatal(what)
}

var requiredEtcdctl = regexp.MustCompile(`go\.etcd\.io/etcd/etcdctl/v3 v(\S+)`)

// buildEtcdctl builds the etcdctl that testdata/etcdctl requires, and keeps it in the user's cache.
var buildEtcdctl = sync.OnceValues(func() (string, error) {
	dir := filepath.Join("testdata", "etcdctl")
	mod, err := os.ReadFile(filepath.Join(dir, "go.mod"))
	if err != nil {
		return "", err
	}
	cache, err := os.UserCacheDir()
	version := requiredEtcdctl.FindSubmatch(mod)
	if err != nil || version == nil {
		return "", errors.Join(err, errors.New("no etcdctl is required"))
	}
	path := filepath.Join(cache, "locktop-test", "etcdctl-"+string(version[1]))
	if _, err := os.Stat(path); err == nil {
		return path, nil
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return "", err
	}
	ctx, cancel := context.WithTimeout(context.Background(), 15*time.Minute)
	defer cancel()
	fresh := fmt.Sprintf("%s.%d", path, os.Getpid())
	build := exec.CommandContext(ctx, "go", "build", "-o", fresh, "go.etcd.io/etcd/etcdctl/v3")
	build.Dir = dir
	if out, err := build.CombinedOutput(); err != nil {
		return "", fmt.Errorf("%w: %s", err, out)
	}
	return path, os.Rename(fresh, path)
})

// shell is a terminal in which etcdctl speaks to a cluster.
type shell struct {
	t   *testing.T
	dir string
	env []string
	cli *clientv3.Client
}

// everyEtcdctl runs a test with the oldest etcdctl on its server and with the newest on the server
// that is linked in.
func everyEtcdctl(t *testing.T, test func(*testing.T, *shell)) {
	open := func(t *testing.T, etcdctl string, endpoints ...string) *shell {
		s := &shell{t: t, dir: t.TempDir(), cli: labtest.NewClient(t, endpoints...)}
		if err := os.Symlink(etcdctl, filepath.Join(s.dir, "etcdctl")); err != nil {
			t.Fatal(err)
		}
		s.env = append(os.Environ(), "PATH="+s.dir+":"+os.Getenv("PATH"), "ETCDCTL_ENDPOINTS="+strings.Join(endpoints, ","))
		return s
	}
	t.Run("3.4", func(t *testing.T) {
		t.Parallel()
		var programs [2]string
		for i, name := range []string{"etcd", "etcdctl"} {
			path, err := exec.LookPath(name)
			if err != nil {
				missing(t, err)
			}
			programs[i] = path
		}
		_, endpoint := etcdtest.Run(t, programs[0], "http", "--log-level", "error")
		test(t, open(t, programs[1], endpoint))
	})
	t.Run("3.7", func(t *testing.T) {
		t.Parallel()
		path, err := buildEtcdctl()
		if err != nil {
			missing(t, err)
		}
		c, err := cluster.Start(t.Context(), cluster.Options{Members: 3, Dir: t.TempDir()})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(c.Close)
		test(t, open(t, path, c.MemberEndpoints()...))
	})
}

// runs runs a line to its end and returns what it printed.
func (s *shell) runs(line string) (string, error) {
	s.t.Helper()
	ctx, cancel := context.WithTimeout(s.t.Context(), labtest.Patience)
	defer cancel()
	cmd := exec.CommandContext(ctx, "bash", "-o", "pipefail", "-c", line)
	cmd.Dir, cmd.Env = s.dir, s.env
	out, err := cmd.CombinedOutput()
	return string(out), err
}

// says runs a line that has to end well and to print that.
func (s *shell) says(line string, want ...string) string {
	s.t.Helper()
	out, err := s.runs(line)
	if err != nil {
		s.t.Errorf("%s: %v: %s", line, err, out)
	}
	for _, w := range want {
		if !strings.Contains(out, w) {
			s.t.Errorf("%s prints %q, want %q", line, out, w)
		}
	}
	return out
}

// printed is what a program that runs on has printed so far.
type printed struct {
	mu  sync.Mutex
	buf bytes.Buffer
}

func (p *printed) Write(b []byte) (int, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.buf.Write(b)
}

// starts starts a line that runs on until the test ends, or what it returns is called.
func (s *shell) starts(line string) (out func() string, end func()) {
	s.t.Helper()
	ctx, cancel := context.WithCancel(s.t.Context())
	cmd := exec.CommandContext(ctx, "bash", "-c", "exec "+line)
	p := &printed{}
	cmd.Dir, cmd.Env, cmd.Stdout, cmd.Stderr, cmd.WaitDelay = s.dir, s.env, p, p, time.Second
	if err := cmd.Start(); err != nil {
		s.t.Fatal(err)
	}
	end = sync.OnceFunc(func() { cancel(); _ = cmd.Wait() })
	s.t.Cleanup(end)
	return func() string { p.mu.Lock(); defer p.mu.Unlock(); return p.buf.String() }, end
}

// locked is the key of a lock that a session has now, and the lease as etcdctl writes it.
func (s *shell) locked(names ...string) (keys []string, lease string, id clientv3.LeaseID) {
	s.t.Helper()
	session, err := concurrency.NewSession(s.cli, concurrency.WithTTL(60))
	if err != nil {
		s.t.Fatal(err)
	}
	s.t.Cleanup(session.Orphan)
	for _, name := range names {
		m := concurrency.NewMutex(session, name)
		ctx, cancel := context.WithTimeout(s.t.Context(), 300*time.Millisecond)
		err := m.Lock(ctx)
		cancel()
		if err != nil { // it waits, with a key
			_, err = s.cli.Put(s.t.Context(), fmt.Sprintf("%s/%x", name, session.Lease()), "", clientv3.WithLease(session.Lease()))
		}
		if err != nil {
			s.t.Fatal(err)
		}
		keys = append(keys, fmt.Sprintf("%s/%x", name, session.Lease()))
	}
	return keys, fmt.Sprintf("%x", session.Lease()), session.Lease()
}

func (s *shell) revoke(id clientv3.LeaseID) {
	s.t.Helper()
	if _, err := s.cli.Revoke(s.t.Context(), id); err != nil {
		s.t.Fatal(err)
	}
}

func (s *shell) put(key, value string) {
	s.t.Helper()
	if _, err := s.cli.Put(s.t.Context(), key, value); err != nil {
		s.t.Fatal(err)
	}
}

func (s *shell) has(key, want string) {
	s.t.Helper()
	r, err := s.cli.Get(s.t.Context(), key)
	if err != nil {
		s.t.Fatal(err)
	}
	got := "nothing"
	if len(r.Kvs) > 0 {
		got = string(r.Kvs[0].Value)
	}
	if got != want {
		s.t.Errorf("%s has %q, want %q", key, got, want)
	}
}

// field is the first value of a field that etcdctl printed.
func field(out, name string) string {
	for _, line := range strings.Split(out, "\n") {
		if rest, ok := strings.CutPrefix(line, `"`+name+`" : `); ok {
			return rest
		}
	}
	return ""
}

// fill puts what somebody saw in the place of the words in capitals.
func fill(line string, pairs ...string) string { return strings.NewReplacer(pairs...).Replace(line) }

// etcdctlOf are the commands of a lesson, a continued line as one.
func etcdctlOf(t *testing.T, lesson string) []string {
	t.Helper()
	d, err := Lesson(lesson)
	if err != nil {
		t.Fatal(err)
	}
	return strings.Split(strings.ReplaceAll(strings.Join(d.Lesson.Etcdctl, "\n"), "\\\n", ""), "\n")
}

// TestEtcdctlOfEveryLesson: the lines that a lesson shows do what it says, once well and once where
// the lock is not held, the answer was another or the lease is lost.
func TestEtcdctlOfEveryLesson(t *testing.T) {
	tries := map[string]func(s *shell, do []string){
		"order": func(s *shell, do []string) {
			first, _, id := s.locked("/orders")
			second, _, _ := s.locked("/orders")
			out := s.says(do[0], "CreateRevision")
			if !strings.Contains(out, first[0]) || strings.Index(out, first[0]) > strings.Index(out, second[0]) {
				s.t.Errorf("the first claim does not stand first: %s", out)
			}
			s.revoke(id)
			if out := s.says(do[0], second[0]); strings.Contains(out, first[0]) {
				s.t.Errorf("a claim without a lease: %s", out)
			}
		},
		"herd":  watchAhead,
		"lease": timeToLive, "pause": timeToLive, "ttl": timeToLive,
		"byhand": watchAhead,
		"ownqueue": func(s *shell, do []string) {
			_, lease, id := s.locked("/else")
			s.says(fill(do[1], "LEASE", lease, "UUID", "u1"), "OK")
			s.put("/lock/lock10/u0", "another lock")
			out := s.says(do[0], "/lock/lock1/u1")
			if strings.Contains(out, "lock10") || field(out, "Version") != "1" {
				s.t.Errorf("with the slash: %s", out)
			}
			s.says(fill(do[1], "LEASE", lease, "UUID", "u1"), "OK")
			if out := s.says(do[0], "mine"); field(out, "Version") != "2" || field(out, "CreateRevision") == field(out, "ModRevision") {
				s.t.Errorf("written again: %s", out)
			}
			s.revoke(id)
			if out, err := s.runs(fill(do[1], "LEASE", lease, "UUID", "u1")); err == nil {
				s.t.Errorf("a lease that is lost: %s", out)
			}
		},
		"standby": func(s *shell, do []string) {
			keys, lease, _ := s.locked("/scheduler")
			s.says(do[0], keys[0])
			timeToLive(s, []string{do[1]})
			s.says("etcdctl lease revoke "+lease, "revoked")
		},
		"endings": timeToLive,
		"copies": func(s *shell, do []string) {
			s.says(do[0], "true")
			keys, _, _ := s.locked("/orders")
			s.says(do[1], keys[0])
		},
		"unlock": func(s *shell, do []string) {
			const key = "/lock|||job"
			s.put(key, "you")
			s.says(do[0], "FAILURE", "you")
			s.has(key, "you")
			s.put(key, "me")
			s.says(do[0], "SUCCESS")
			s.has(key, "nothing")
		},
		"version": func(s *shell, do []string) {
			lease := strings.Fields(s.says(do[0], "granted with TTL"))[1]
			take := fill(do[1], "LEASE", lease)
			s.put("/locks/bill", "you")
			s.says(take, "FAILURE")
			s.has("/locks/stock", "nothing")
			s.says("etcdctl del /locks/bill", "1")
			s.says(take, "SUCCESS")
			s.has("/locks/stock", "me")
			s.has("/locks/bill", "me")
			s.says(take, "FAILURE")
		},
		"lost-unlock": func(s *shell, do []string) {
			keys, lease, _ := s.locked("/leader")
			s.says(do[0], keys[0])
			s.says(fill(do[1], "LEASE", lease), "revoked")
			if out := s.says(do[0]); strings.Contains(out, keys[0]) {
				s.t.Errorf("after the lease was revoked: %s", out)
			}
		},
		"redis": func(s *shell, do []string) {
			s.put("/locks/import", "s")
			if out := s.says(do[0]); field(out, "Lease") != "0" {
				s.t.Errorf("a key without a lease: %s", out)
			}
			s.says(do[1], "1")
			s.has("/locks/import", "nothing")
			s.says(do[1], "0")
		},
		"spin": func(s *shell, do []string) {
			out := s.says(do[0], "granted with TTL")
			lease := strings.Fields(out)[1]
			s.says(fill(do[1], "LEASE", lease), "SUCCESS")
			s.has("/lock|||report", "me")
			s.says(fill(do[1], "LEASE", lease), "FAILURE")
			labtest.Eventually(s.t, "nobody renews, so it goes", func() bool {
				r, err := s.cli.Get(s.t.Context(), "/lock|||report")
				return err == nil && len(r.Kvs) == 0
			})
			if out, err := s.runs(fill(do[1], "LEASE", lease)); err == nil {
				s.t.Errorf("a put with a lease that is lost: %s", out)
			}
		},
		"fence": func(s *shell, do []string) {
			script := "#!/bin/bash\nset -o pipefail\n" + do[1] + "\n"
			write := func(text string) {
				s.t.Helper()
				if err := os.WriteFile(filepath.Join(s.dir, "write"), []byte(text), 0o755); err != nil {
					s.t.Fatal(err)
				}
			}
			// It waits, while other keys are written: then the revision at which it got the lock is another.
			write(script + "echo \"got at $ETCD_LOCK_REV\"\n")
			_, _, id := s.locked("/orders")
			out, _ := s.starts(do[0])
			labtest.Eventually(s.t, "it queues", func() bool { return len(labtest.Queue(s.t, s.cli, "/orders")) == 2 })
			created, err := s.cli.Get(s.t.Context(), "/orders/", clientv3.WithLastCreate()...)
			if err != nil {
				s.t.Fatal(err)
			}
			s.put("/else", "1")
			s.revoke(id)
			labtest.Eventually(s.t, "it has the lock", func() bool { return strings.Contains(out(), "got at") })
			token := fmt.Sprint(created.Kvs[0].CreateRevision)
			if got := field(out(), "CreateRevision"); got != token || strings.Contains(out(), "got at "+token+"\n") {
				s.t.Errorf("the token is %q, want the create revision %s, which is not ETCD_LOCK_REV: %s", got, token, out())
			}
			write(strings.Replace(script, "pipefail\n", "pipefail\netcdctl lease revoke ${ETCD_LOCK_KEY##*/}\n", 1))
			if out, err := s.runs(do[0]); err == nil || strings.Contains(out, "CreateRevision") {
				s.t.Errorf("the lease is lost, and there is a token: %s", out)
			}
		},
		"fence-reads": func(s *shell, do []string) {
			for _, n := range []string{"0", ""} { // it is not there at first
				if out := s.says(do[0]); n == "" {
					n = field(out, "ModRevision")
				}
				s.says(fill(do[1], `"N"`, `"`+n+`"`), "SUCCESS")
				s.has("data", "what I make of it")
				s.says(fill(do[1], `"N"`, `"`+n+`"`), "FAILURE")
			}
		},
		"election": func(s *shell, do []string) {
			observes, _ := s.starts(do[1])
			leads, end := s.starts(do[0])
			labtest.Eventually(s.t, "it leads", func() bool { return strings.Contains(leads(), "me") && strings.Contains(observes(), "me") })
			for _, key := range labtest.Queue(s.t, s.cli, "/leader") {
				s.says("etcdctl lease revoke " + key[strings.LastIndexByte(key, '/')+1:])
			}
			labtest.Eventually(s.t, "it says that it leads no more", func() bool { return strings.Contains(leads(), "session expired") })
			end()
		},
		"waiters": func(s *shell, do []string) {
			_, lease, _ := s.locked("/orders")
			s.says(fill(do[0], "LEASE", lease), "revoked")
			if keys := labtest.Queue(s.t, s.cli, "/orders"); len(keys) > 0 {
				s.t.Errorf("%q stay", keys)
			}
			if out, err := s.runs(fill(do[0], "LEASE", lease)); err == nil {
				s.t.Errorf("a lease that is lost: %s", out)
			}
		},
		"session": func(s *shell, do []string) {
			keys, lease, _ := s.locked("/one", "/two")
			s.says(fill(do[0], "LEASE", lease), keys...)
			s.says(fill(do[1], "LEASE", lease), "revoked")
			s.says(fill(do[0], "LEASE", lease), "already expired")
		},
		"names": func(s *shell, do []string) {
			keys, _, _ := s.locked("/orders/eu", "/orders-eu")
			if out := s.says(do[0], keys[0]); strings.Contains(out, keys[1]) {
				s.t.Errorf("%s", out)
			}
		},
		"leader": func(s *shell, do []string) {
			out := s.says(do[0], "true")
			for _, line := range strings.Split(strings.TrimSpace(out), "\n") {
				if strings.Contains(line, ", false, false, ") { // it neither leads nor learns
					s.says(fill(do[1], "MEMBER", strings.Split(line, ", ")[1]), "Leadership transferred")
					return
				}
			}
			s.t.Errorf("nobody follows: %s", out)
		},
		"deadlock": func(s *shell, do []string) {
			_, a, _ := s.locked("/x")
			_, b, _ := s.locked("/y", "/x")
			s.says(do[0], `"/x/`+a, `"/x/`+b, `"/y/`+b)
		},
	}
	for _, name := range Names() {
		if tries[name] == nil {
			t.Errorf("nobody tries the lines of lesson %s", name)
		}
	}
	everyEtcdctl(t, func(t *testing.T, s *shell) {
		for _, name := range Names() {
			t.Run(name, func(t *testing.T) {
				here := *s
				here.t = t
				if name == "leader" && len(s.cli.Endpoints()) == 1 {
					here.says(etcdctlOf(t, name)[0], "true") // alone it leads: nobody takes it over
					return
				}
				if _, err := s.cli.Delete(t.Context(), "", clientv3.WithFromKey()); err != nil {
					t.Fatal(err)
				}
				tries[name](&here, etcdctlOf(t, name))
			})
		}
	})
}

// watchAhead watches the claim ahead from the revision after the read.
func watchAhead(s *shell, do []string) {
	ahead, _, id := s.locked("/" + strings.Split(do[0], "/")[1])
	out := s.says(do[0], ahead[0])
	s.revoke(id) // before it is watched
	var rev int
	if _, err := fmt.Sscan(field(out, "Revision"), &rev); err != nil {
		s.t.Fatal(err, out)
	}
	seen, _ := s.starts(fill(do[1], "KEY_AHEAD", ahead[0], "N ", fmt.Sprint(rev+1)+" "))
	labtest.Eventually(s.t, "the watch sees the delete", func() bool { return strings.Contains(seen(), "DELETE") })
}

func timeToLive(s *shell, do []string) {
	keys, lease, id := s.locked("/orders")
	s.says(fill(do[0], "LEASE", lease), "granted with TTL(60s)", keys[0])
	s.revoke(id)
	s.says(fill(do[0], "LEASE", lease), "already expired")
}

// TestEtcdctlOfTheDiagnosis: every line that a finding, the console or an advice names is one that
// etcdctl takes, and names no other.
func TestEtcdctlOfTheDiagnosis(t *testing.T) {
	named := []string{"lease list", "lease timetolive ID --keys", "endpoint hashkv --cluster", "alarm disarm"}
	mention := regexp.MustCompile(`etcdctl ([a-z]+[^"]*)`)
	for _, e := range findings.Catalogue() {
		for _, m := range mention.FindAllStringSubmatch(strings.ReplaceAll(text.English(e.Mechanism)+`"`+text.English(e.Looks)+`"`+text.English(e.Do), "etcdctl", `"etcdctl`), -1) {
			if !slices.ContainsFunc(named, func(n string) bool { return strings.HasPrefix(m[1], n) }) && !strings.HasPrefix(m[1], "lock left running") {
				t.Errorf("%s names etcdctl %s: nobody tries that", e.Code, m[1])
			}
		}
	}
	everyEtcdctl(t, func(t *testing.T, s *shell) {
		keys, lease, id := s.locked("/it's")
		for _, line := range named {
			s.says("etcdctl " + fill(line, "ID", lease))
		}
		s.says("etcdctl endpoint status --cluster -w table", "IS LEADER")
		s.says("etcdctl alarm list")
		s.says("etcdctl role add ROLE", "ROLE")
		s.says(model.GrantRead("/it's/"), "updated")
		s.says(model.LeaseID(id).Etcdctl(), keys[0])
		r, err := s.cli.Get(t.Context(), keys[0])
		if err != nil {
			t.Fatal(err)
		}
		kv := r.Kvs[0]
		del := model.Action{Kind: model.DeleteClaim, Key: keys[0], CreateRev: kv.CreateRevision, ModRev: kv.ModRevision + 1}
		s.says(del.Etcdctl(), "FAILURE")
		del.ModRev--
		s.says(del.Etcdctl(), "SUCCESS")
		s.has(keys[0], "nothing")
		revoke := model.Action{Kind: model.RevokeLease, Lease: model.LeaseID(id)}
		s.says(revoke.Etcdctl(), "revoked")
		if out, err := s.runs(revoke.Etcdctl()); err == nil {
			t.Errorf("a lease that is lost: %s", out)
		}
	})
}
