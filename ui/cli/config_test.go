package cli

import (
	"bytes"
	"encoding/json"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"go.etcd.io/etcd/client/pkg/v3/srv"
)

// connectionVariables are the variables that say something of a connection. No test has those of the person who
// runs it.
func connectionVariables() (names []string) {
	for _, kv := range os.Environ() {
		if name, _, _ := strings.Cut(kv, "="); strings.HasPrefix(name, "ETCDCTL_") || strings.HasPrefix(name, "LOCKTOP_") {
			names = append(names, name)
		}
	}
	return names
}

// atHome are the variables that say where the files of a person are. Each test has none of them,
// but for what other tests left, as labs are recorded.
func atHome(dir string) map[string]string {
	return map[string]string{"XDG_CONFIG_HOME": filepath.Join(dir, "config"), "XDG_STATE_HOME": filepath.Join(dir, "state"), "HOME": filepath.Join(dir, "home")}
}

// home is a world with nothing but a file of profiles, if that has a text.
func home(t *testing.T, profiles string) (dir string) {
	t.Helper()
	dir = t.TempDir()
	for name, sub := range atHome(dir) {
		t.Setenv(name, sub)
	}
	if profiles == "" {
		return dir
	}
	file := filepath.Join(dir, "config", "locktop", "profiles.yaml")
	if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte(profiles), 0o600); err != nil {
		t.Fatal(err)
	}
	return dir
}

// run runs the command line in this process.
func run(t *testing.T, args ...string) (code int, out, errs string) {
	t.Helper()
	var o, e bytes.Buffer
	code = Main(args, strings.NewReader(""), &o, &e)
	return code, o.String(), e.String()
}

// configured is what config -o json says, by name.
func configured(t *testing.T, args ...string) map[string]shownValue {
	t.Helper()
	code, out, errs := run(t, append([]string{"config", "-o", "json"}, args...)...)
	var c shownConfig
	if err := json.Unmarshal([]byte(out), &c); code != exitOK || err != nil {
		t.Fatalf("exit %d, %v: %s", code, err, errs)
	}
	all := map[string]shownValue{}
	for _, v := range c.Values {
		all[v.Name] = v
	}
	return all
}

func TestFlagsBeforeEnvironmentBeforeProfile(t *testing.T) {
	const profiles = "p:\n  endpoints: [10.0.0.3:1]\n  user: three\n  namespace: /n3/\n  dial-timeout: 3s\n  lease-budget: 3\n  prefixes: [/p3/, /q3/]\n  recipes: {/r3/: mutex}\n  expect: {/r3/: 3}\n  cacert: ca.pem\n  insecure-skip-tls-verify: true\n"
	rows := []struct {
		name, variable, value, flag string
		want                        [4]string // by default, profile, variable, flag
	}{
		{"endpoints", "ETCDCTL_ENDPOINTS", "10.0.0.2:1,10.0.0.2:2", "10.0.0.1:1", [4]string{"127.0.0.1:2379", "10.0.0.3:1", "10.0.0.2:1 10.0.0.2:2", "10.0.0.1:1"}},
		{"user", "ETCDCTL_USER", "two", "one", [4]string{"", "three", "two", "one"}},
		{"namespace", "LOCKTOP_NAMESPACE", "/n2/", "/n1/", [4]string{"", "/n3/", "/n2/", "/n1/"}},
		{"dial-timeout", "ETCDCTL_DIAL_TIMEOUT", "2m", "1m", [4]string{"2s", "3s", "2m0s", "1m0s"}},
		{"lease-budget", "LOCKTOP_LEASE_BUDGET", "2", "1", [4]string{"20", "3", "2", "1"}},
		{"recipe", "LOCKTOP_RECIPE", "/r2/=mutex", "/r1/=mutex", [4]string{"", "/r3/=mutex", "/r2/=mutex", "/r1/=mutex"}},
		{"expect", "LOCKTOP_EXPECT", "/r2/=2", "/r1/=1", [4]string{"", "/r3/=3", "/r2/=2", "/r1/=1"}},
		{"keepalive-time", "ETCDCTL_KEEPALIVE_TIME", "2m", "1m", [4]string{"2s", "2s", "2m0s", "1m0s"}},
		{"theme", "LOCKTOP_THEME", "light", "mono", [4]string{"auto", "auto", "light", "mono"}},
		{"color", "LOCKTOP_COLOR", "never", "always", [4]string{"auto", "auto", "never", "always"}},
	}
	for _, r := range rows {
		t.Run(r.name, func(t *testing.T) {
			dir := home(t, profiles)
			look := func(args ...string) string {
				v := configured(t, args...)[r.name]
				return strings.Join(v.Values, " ") + " " + v.Origin
			}
			inProfile := r.want[1] + " default"
			if r.want[1] != r.want[0] {
				inProfile = r.want[1] + " " + filepath.Join(dir, "config/locktop/profiles.yaml") + ":"
			}
			if got := look(); got != r.want[0]+" default" {
				t.Errorf("nothing said: %q", got)
			}
			if got := look("--profile", "p"); !strings.HasPrefix(got, inProfile) {
				t.Errorf("the profile says it: %q, want %q", got, inProfile)
			}
			t.Setenv(r.variable, r.value)
			t.Setenv("LOCKTOP_PROFILE", "p")
			want := r.want[2] + " " + r.variable
			if got := look(); got != want {
				t.Errorf("the environment says it: %q, want %q", got, want)
			}
			if got, want := look("--"+r.name, r.flag), r.want[3]+" --"+r.name; got != want {
				t.Errorf("a flag says it: %q, want %q", got, want)
			}
		})
	}
	dir := home(t, profiles)
	all := configured(t, "--profile", "p")
	if d := cmp.Diff([]string{"/n3//p3/", "/n3//q3/"}, all["prefix"].Values); d != "" {
		t.Errorf("prefixes are below the namespace:\n%s", d)
	}
	if got, want := all["cacert"].Values[0], filepath.Join(dir, "config/locktop/ca.pem"); got != want {
		t.Errorf("cacert %q, want %q: files are beside the file of profiles", got, want)
	}
}

func TestConfigSaysWhereEverythingIsFrom(t *testing.T) {
	const secret = "hunter2sEcReT"
	dir := home(t, "production:\n  label: PRODUCTION\n  color: red\n  endpoints: ['10.0.0.1:2379', '10.0.0.2:2379']\n  password: "+secret+"\n  user: ops\n  read-only: true\n")
	t.Setenv("ETCDCTL_CACERT", "/ca.pem")
	t.Setenv("TMPDIR", dir)
	code, out, errs := run(t, "config", "--profile", "production", "--prefix", "/jobs/", "--lang", "zh")
	if code != exitOK || strings.Contains(out+errs, secret) {
		t.Fatalf("exit %d: %s%s", code, out, errs)
	}
	var got []string
	for line := range strings.Lines(strings.ReplaceAll(out, dir, "DIR")) {
		got = append(got, strings.Join(strings.Fields(line), " "))
	}
	want := strings.Split(`PATH VALUE ORIGIN
profiles DIR/config/locktop/profiles.yaml XDG_CONFIG_HOME
audit log DIR/state/locktop/actions.jsonl XDG_STATE_HOME (not there)
folders of labs DIR TMPDIR

NAME VALUE ORIGIN
profile production --profile
label PRODUCTION DIR/config/locktop/profiles.yaml:2: label
color red DIR/config/locktop/profiles.yaml:3: color
read-only true DIR/config/locktop/profiles.yaml:7: read-only
armed false default
endpoints 10.0.0.1:2379, 10.0.0.2:2379 DIR/config/locktop/profiles.yaml:4: endpoints
discovery-srv - default
discovery-srv-name - default
insecure-discovery true default
insecure-transport true default
cacert /ca.pem ETCDCTL_CACERT
cert - default
key - default
insecure-skip-tls-verify false default
user ops DIR/config/locktop/profiles.yaml:6: user
password xxxxx DIR/config/locktop/profiles.yaml:5: password
password-file - default
dial-timeout 2s default
command-timeout 5s default
keepalive-time 2s default
keepalive-timeout 6s default
namespace - default
prefix /jobs/ --prefix
recipe - default
expect - default
long - default
warn-wait 0s default
lease-budget 20 default
ascii false default
wide-signs false default
color auto default
theme auto default
lang zh --lang`, "\n")
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("-want +got:\n%s", d)
	}
}

func TestEndpointsOfADomain(t *testing.T) {
	asked := ""
	real := lookupSRV
	t.Cleanup(func() { lookupSRV = real })
	lookupSRV = func(service, domain, name string) (*srv.SRVClients, error) {
		asked = service + " " + domain + " " + name
		if domain == "nowhere" {
			return nil, &net.DNSError{Err: "no such host", Name: domain}
		}
		return &srv.SRVClients{Endpoints: []string{"http://127.0.0.1:1", "https://127.0.0.1:2"}}, nil
	}
	rows := []struct {
		args         []string
		asked, wants string
		reason       string
	}{
		{[]string{"-d", "a.example"}, "etcd-client a.example ", "http://127.0.0.1:1: connect: connection refused; https://127.0.0.1:2: ", "both are tried"},
		{[]string{"--discovery-srv", "a.example", "--discovery-srv-name", "x", "--insecure-discovery=false"}, "etcd-client a.example x", "no endpoint answers (https://127.0.0.1:2: ", "that without TLS is left out"},
		{[]string{"-d", "nowhere"}, "etcd-client nowhere ", "--discovery-srv nowhere: lookup nowhere: no such host", "the cause is said"},
	}
	for _, r := range rows {
		code, out, errs := run(t, append([]string{"ls", "--dial-timeout", "10s"}, r.args...)...)
		if code != exitBad || asked != r.asked || !strings.Contains(errs, r.wants) || out != "" {
			t.Errorf("%s: exit %d, asked %q, said %q", r.reason, code, asked, errs)
		}
	}
	asked = ""
	t.Setenv("ETCDCTL_DISCOVERY_SRV", "a.example")
	if _, _, errs := run(t, "ls", "--endpoints", "127.0.0.1:3"); asked != "" || !strings.Contains(errs, "127.0.0.1:3") {
		t.Errorf("endpoints named by a flag stand before a domain in the environment: asked %q, %s", asked, errs)
	}
}

// TestNamespace: what is named lies below it, what is shown is the whole key.
func TestNamespace(t *testing.T) {
	t.Parallel()
	locktop(t) // built before the time runs
	endpoint := member(t)
	c := unbound(t, endpoint)
	settle(t, c)
	for _, args := range [][]string{{"ls"}, {"ls", "--prefix", "orders"}, {"describe", "orders"}, {"describe", "/locks/orders"},
		{"break", "orders", "--dry-run"}} {
		out, errs := ran(t, t.TempDir(), "", append(args, "--endpoints", endpoint, "--namespace", "/locks/", "--dial-timeout", "20s", "--command-timeout", "20s")...)
		if !strings.Contains(out, "/locks/orders") || strings.Contains(out, "/jobs/nightly") {
			t.Errorf("%q: %s%s", args, out, errs)
		}
	}
}

func TestTransportThatHasToBeSecure(t *testing.T) {
	code, _, errs := run(t, "ls", "--insecure-transport=false", "--endpoints", "http://127.0.0.1:1")
	if code != exitBad || !strings.Contains(errs, "rules out http:// endpoints (http://127.0.0.1:1)") {
		t.Errorf("exit %d: %s", code, errs)
	}
	secure, err := tlsFlags{always: true}.config([]string{"127.0.0.1:1"})
	if err != nil || secure == nil {
		t.Errorf("%v, %v: want TLS", secure, err)
	}
}

// TestEveryCommandOnAClusterHearsTheEnvironment: the one that it names does not answer.
func TestEveryCommandOnAClusterHearsTheEnvironment(t *testing.T) {
	dir := home(t, "")
	t.Setenv("ETCDCTL_ENDPOINTS", "127.0.0.1:1")
	for _, args := range [][]string{{}, {"ls"}, {"describe", "/l"}, {"doctor"}, {"events"}, {"discover"}, {"break", "/l", "--dry-run"},
		{"record", filepath.Join(dir, "r")}, {"contend", "--armed", "/l"}, {"proxy"}} {
		if code, _, errs := run(t, args...); code != exitBad || !strings.Contains(errs, "no endpoint answers (127.0.0.1:1: ") {
			t.Errorf("%q: exit %d: %s", args, code, errs)
		}
	}
}
