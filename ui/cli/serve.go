package cli

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"crypto/subtle"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"os"
	"runtime"
	"strings"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"
	"github.com/spf13/cobra"

	"locktop/model"
	"locktop/model/locks"
	"locktop/model/text"
	"locktop/ui/cli/session"
	"locktop/ui/report/metrics"
	"locktop/watcher"
	"locktop/watcher/pace"
	"locktop/watcher/recording"
)

// serveRun is the command serve.
type serveRun struct {
	e         *env
	listen    string
	cert, key string
	tokenFile string
	series    int
	record    recordFlags
}

// Bounds of the port of serve.
const (
	guestsMax    = 64 // connections at once that rest, of those who were let in
	strangersMax = 64 // and of those who have not asked for anything that they may have
	scrapesMax   = 4  // answers that are made at once
	tokenLeast   = 16 // bytes
	tokenMost    = 4 << 10
	goodbyeTime  = time.Second
	idleTime     = 5 * time.Second // so that who asks nothing keeps nobody out for long
)

// What serve does otherwise than a console, since nobody looks on.
const (
	serveDrain = 300 * time.Millisecond // what happens is taken in together; each event has the time at which it came
	serveSpans = 25_000                 // of what claims did before: the recording has the rest
)

func serveCmd(e *env) *cobra.Command {
	f := serveRun{e: e}
	cmd := &cobra.Command{
		Use:   "serve",
		Short: "watch unattended, and answer Prometheus",
		Long: "serve watches the prefixes of the flags without a screen, until it is ended. It answers on --listen:\n" +
			"\n" +
			"  /metrics   for Prometheus: waits, holds, handovers, findings, the locks with the longest waits, and the watch itself\n" +
			"  /healthz   200 while the keys of all prefixes are known as they are now, else 503 with what is not seen\n" +
			"\n" +
			"Numbers and UUIDs in the names of locks become *, so locks of one kind are one series. serve only\n" +
			"reads the cluster. It looks at a busy cluster ten times a second, so times may be late by 100 ms.\n" +
			"Only this machine can reach the port. Any other address needs a certificate and a token, since\n" +
			"serve tells the names of locks.\n" +
			"\n" +
			"With --record serve also writes down what it sees, for an incident that nobody watched: \"locktop\n" +
			"replay DIR --at 10:04:05\" shows it, and ls, describe, doctor, events and report read it with\n" +
			"--recording DIR. Only the owner may read the files. They have the names of the keys, and the values\n" +
			"only with --values; without them a replay cannot know what only a value tells. --keep and --max say\n" +
			"when the oldest files go. If serve cannot write, it goes on, says so in its metrics, and tries again.",
		Example: "  locktop serve --prefix /jobs/ --record /var/lib/locktop --keep 24h --max 1GiB\n" +
			"  curl -s http://127.0.0.1:9738/metrics | grep locktop_findings",
		Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := inRange("--series", f.series, metrics.LeastSeries, 100_000, ""); err != nil {
				return err
			}
			if err := f.record.check(cmd); err != nil {
				return err
			}
			return f.run(cmd.Context())
		},
	}
	cmd.Flags().StringVar(&f.listen, "listen", "127.0.0.1:9738", "the address to answer on")
	cmd.Flags().StringVar(&f.cert, "listen-cert", "", "the certificate of that address, a PEM file")
	cmd.Flags().StringVar(&f.key, "listen-key", "", "its key, a PEM file")
	cmd.Flags().StringVar(&f.tokenFile, "listen-token", "", "a file with the token that a caller has to send (Authorization: Bearer)")
	cmd.Flags().IntVar(&f.series, "series", metrics.DefaultSeries, "keep at most so many series")
	f.record.add(cmd)
	return cmd
}

// run watches and answers until ctx ends.
func (r *serveRun) run(ctx context.Context) (err error) {
	token, err := r.checkListen(ctx)
	if err != nil {
		return err
	}
	speaks, err := r.e.listenTLS(ctx, r.cert, r.key)
	if err != nil {
		return err
	}
	listener, err := net.Listen("tcp", r.listen)
	if err != nil {
		return bad("cannot answer on %s: %v (--listen)", r.listen, err)
	}
	scheme := "http"
	if speaks != nil {
		listener, scheme = tls.NewListener(listener, speaks), "https"
	}
	defer listener.Close()
	r.e.inStep = true
	w, err := r.e.watch(ctx, watcher.Options{Prefixes: r.e.flags.prefixes, Timing: watcher.Timing{Drain: serveDrain}})
	if err != nil {
		return err
	}
	defer w.close()
	oneProcessor()
	s := newServing(w.Session, r.series)
	s.x.WallTime = pace.Process.Shown
	stop, err := r.record.begin(r.e.err, s, pace.Now)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, stop()) }()

	fmt.Fprintf(r.e.err, "watching %s at %s; answering on %s://%s/metrics%s; ctrl-c ends it\n",
		strings.Join(quoted(r.e.flags.prefixes), ", "), w.Name, scheme, listener.Addr(), r.record.words())
	return s.serve(ctx, listener, token)
}

// serve takes in what happens and answers on a listener until ctx ends. Callers have to send the
// token, nil for none.
func (s *serving) serve(ctx context.Context, listener net.Listener, token []byte) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	server := portServer(token, s.routes())
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		if err := server.Serve(listener); !errors.Is(err, http.ErrServerClosed) {
			cancel(bad("answering on %s: %v", listener.Addr(), err))
		}
	}()
	err := s.follow(ctx)
	if why := context.Cause(ctx); why != nil && !errors.Is(why, context.Canceled) {
		err = why
	}
	goodbye, done := context.WithTimeout(context.WithoutCancel(ctx), goodbyeTime)
	defer done()
	if server.Shutdown(goodbye) != nil {
		_ = server.Close() // who is still there has had his time
	}
	<-ended
	return err
}

// portServer answers on a port. Callers have to send the token, nil for none.
func portServer(token []byte, to http.Handler) *http.Server {
	book := newGuestBook()
	return &http.Server{Handler: withToken(token, book.admit(to)), ConnState: book.state, ConnContext: book.context,
		ReadHeaderTimeout: 5 * time.Second, ReadTimeout: 10 * time.Second, WriteTimeout: 10 * time.Second, IdleTimeout: idleTime, MaxHeaderBytes: 16 << 10,
		ErrorLog: log.New(io.Discard, "", 0)} // what guests do wrong would fill the log of a service
}

// oneProcessor has this program run on one processor at a time, unless the environment says
// otherwise: of a second one that is woken to help, most of the work is to be woken.
func oneProcessor() {
	if os.Getenv("GOMAXPROCS") == "" {
		runtime.GOMAXPROCS(1)
	}
}

// checkListen refuses what would tell the names of locks to strangers, and returns the token,
// nil for none.
func (r *serveRun) checkListen(ctx context.Context) (token []byte, err error) {
	host, _, err := net.SplitHostPort(r.listen)
	if err != nil {
		return nil, bad("--listen %q: want ADDRESS:PORT, such as 127.0.0.1:9738", r.listen)
	}
	if (r.cert == "") != (r.key == "") {
		return nil, bad("--listen-cert and --listen-key go together")
	}
	if r.tokenFile != "" {
		if token, err = readToken(ctx, r.tokenFile, r.e.flags.commandTimeout); err != nil {
			return nil, err
		}
		warnIfOpen(r.e.err, "token", r.tokenFile)
	}
	if !local(host) && (token == nil || r.cert == "") {
		return nil, bad("--listen %s: other machines could read the names of the locks there; that needs --listen-cert, --listen-key and --listen-token", r.listen)
	}
	return token, nil
}

// local says whether nobody but this machine gets to an address.
func local(host string) bool {
	ip := net.ParseIP(host)
	return host == "localhost" || ip != nil && ip.IsLoopback()
}

// readToken reads a token that nobody guesses.
func readToken(ctx context.Context, file string, patience time.Duration) ([]byte, error) {
	patient, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	token, err := readInput(patient, file, tokenMost)
	switch {
	case errors.Is(err, context.DeadlineExceeded):
		return nil, bad("--listen-token %s: nothing came within %s (--command-timeout)", file, patience)
	case err != nil:
		return nil, bad("--listen-token %s: %w", file, err)
	}
	if token = bytes.TrimSpace(token); len(token) < tokenLeast {
		return nil, bad("--listen-token %s: the token has %d bytes; want %d or more", file, len(token), tokenLeast)
	}
	if bytes.ContainsFunc(token, func(r rune) bool { return r <= ' ' || r > '~' }) {
		return nil, bad("--listen-token %s: want one line of letters, digits and signs of ASCII: nobody can send another token", file)
	}
	return token, nil
}

// withToken lets in who sends the token, nil for everybody on this machine.
func withToken(token []byte, to http.Handler) http.Handler {
	if token == nil {
		return onThisMachine(to)
	}
	want := sha256.Sum256(token) // of one length, so that the time tells nothing
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		said, _ := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer ")
		if got := sha256.Sum256([]byte(said)); subtle.ConstantTimeCompare(got[:], want[:]) != 1 {
			w.Header().Set("WWW-Authenticate", "Bearer")
			w.Header().Set("Connection", "close")
			http.Error(w, "the token is missing or wrong", http.StatusUnauthorized)
			return
		}
		to.ServeHTTP(w, r)
	})
}

// onThisMachine answers who asks for this machine by an address or name of its own. A page in a
// browser may have its own name lead here (DNS rebinding): it would read what is answered.
func onThisMachine(to http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		host, _, err := net.SplitHostPort(r.Host)
		if err != nil { // without a port
			host = strings.Trim(r.Host, "[]")
		}
		if !local(strings.ToLower(host)) {
			http.Error(w, "ask for this machine as localhost or by its loopback address", http.StatusMisdirectedRequest)
			return
		}
		to.ServeHTTP(w, r)
	})
}

// serving is a session that others ask while it goes on. The state belongs to the loop, but
// for the time in which the loop waits for the next batch.
type serving struct {
	*session.Session
	mu       sync.Mutex // guards the state and cost
	cost     model.Cost
	rotation *recording.Rotation // nil: nothing is written down
	x        *metrics.Exporter
}

func newServing(on *session.Session, series int) *serving {
	s := &serving{Session: on}
	on.State.SetMaxSpans(serveSpans)
	s.x = metrics.New(on.State.View, &s.mu, series, func() model.Cost { return s.cost })
	on.OnEntry = s.x.Count
	on.OnBatch = func(b model.Batch) error {
		s.cost = b.Cost
		if s.rotation != nil {
			s.rotation.Write(b, s.State.Checkpoint)
		}
		return nil
	}
	on.OnWait = func() func() {
		s.mu.Unlock()
		return s.mu.Lock
	}
	return s
}

// follow takes in what happens until ctx ends.
func (s *serving) follow(ctx context.Context) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.Follow(ctx, 0)
}

// routes are what is answered.
func (s *serving) routes() http.Handler {
	all := prometheus.NewRegistry()
	all.MustRegister(s.x, collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}), collectors.NewBuildInfoCollector())
	mux := http.NewServeMux()
	mux.Handle("GET /metrics", inTurn(scrapesMax, promhttp.HandlerFor(all, promhttp.HandlerOpts{ErrorHandling: promhttp.HTTPErrorOnError})))
	mux.HandleFunc("GET /healthz", s.health)
	mux.HandleFunc("GET /{$}", func(w http.ResponseWriter, _ *http.Request) {
		fmt.Fprintln(w, "locktop serve: /metrics, /healthz")
	})
	return mux
}

// health says whether what is told is of now.
func (s *serving) health(w http.ResponseWriter, _ *http.Request) {
	s.mu.Lock()
	var not []string
	for _, p := range s.State.Coverage().Watches() {
		if p.State != locks.Live {
			not = append(not, model.KeysUnder(p.Prefix)+": "+model.Short(cmp.Or(text.English(p.Detail), "not listed yet"), lineMax))
		}
	}
	if len(s.State.Coverage().Watches()) == 0 {
		not = []string{"nothing is watched yet"}
	}
	s.mu.Unlock()
	if len(not) > 0 {
		http.Error(w, "not seen: "+strings.Join(not, "; "), http.StatusServiceUnavailable)
		return
	}
	fmt.Fprintln(w, "ok")
}
