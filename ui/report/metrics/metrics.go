package metrics

import (
	"cmp"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"locktop/model"
	"locktop/model/journal"
	"locktop/model/locks"
	"locktop/model/status"
	"locktop/model/store"
)

// Bounds of what is told apart.
const (
	// DefaultSeries is how many series there are at most unless somebody says otherwise.
	DefaultSeries = 2_000
	// LeastSeries is the least that may be asked for: what there is without any lock of its
	// own.
	LeastSeries = 1_000
	groupsMax   = 8   // pairs of prefix and recipe that have series of their own
	perLock     = 5   // series of a lock, and two for each finding of it
	prefixesMax = 20  // that have series of their own
	membersMax  = 20  // the same of members
	findingsMax = 100 // kinds of findings
)

// toldFor is for how long a finding is told after it ended: an alert sees each, though it lasts
// for less than a minute, where Prometheus scrapes once a minute.
const toldFor = 150 * time.Second

// buckets are seconds: from what serve can tell apart to what nobody should wait.
var buckets = []float64{0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300, 1800}

// Exporter tells what a state knows. Its methods are safe for concurrent use.
type Exporter struct {
	// Recording says how the recording does that is written, nil: there is none.
	Recording func() Recording
	// WallTime is what the clock of this machine shows for a time of the state, nil: that time.
	WallTime func(time.Time) time.Time

	series int

	mu                sync.Locker // guards the state
	state             *store.View
	cost              func() model.Cost
	groups            map[group]bool // those that have series of their own
	waits, holds, gap *prometheus.HistogramVec
	handovers, ends   *prometheus.CounterVec
	leftOut           prometheus.Counter
	ended             map[ofLock]ended // the findings of locks that came of late and are told though they are over

	scrape   sync.Mutex     // guards what follows, which is kept between scrapes to be cheap
	patterns map[string]int // the name of a lock → its place in found
	byName   map[string]int // its pattern → the same
	found    []lock
}

// group is what histograms are told apart by.
type group struct{ prefix, recipe string }

// rest is the group of all that have none of their own.
var rest = group{"other", "other"}

var byGroup = []string{"prefix", "recipe"}

// New returns an exporter of a state that mu guards. It has so many series at most. Cost
// says what looking costs.
func New(s *store.View, mu sync.Locker, series int, cost func() model.Cost) *Exporter {
	seconds := func(name, help string) *prometheus.HistogramVec {
		return prometheus.NewHistogramVec(prometheus.HistogramOpts{Name: "locktop_" + name, Help: help, Buckets: buckets}, byGroup)
	}
	count := func(name, help string, more ...string) *prometheus.CounterVec {
		return prometheus.NewCounterVec(prometheus.CounterOpts{Name: "locktop_" + name, Help: help}, append(slices.Clone(byGroup), more...))
	}
	x := &Exporter{series: series, mu: mu, state: s, cost: cost, groups: map[group]bool{}, ended: map[ofLock]ended{}, patterns: map[string]int{}, byName: map[string]int{},
		waits:     seconds("wait_seconds", "How long the new holder had waited for the lock, if the wait was seen from its beginning."),
		holds:     seconds("hold_seconds", "How long a holder held until it let go or lost its key, if the hold was seen from its beginning."),
		gap:       seconds("handover_gap_seconds", "For how long nobody held between two holders."),
		handovers: count("handovers_total", "Changes of holder, by the likeliest reason why the previous holder went.", "cause"),
		ends:      count("holders_gone_total", "Holders whose key went, by the likeliest reason; with or without a successor.", "cause"),
		leftOut:   prometheus.NewCounter(prometheus.CounterOpts{Name: "locktop_journal_left_out_total", Help: "Entries of the journal that were not counted: more happened than is kept."}),
	}
	x.begin(rest)
	return x
}

// Count takes in an entry of the journal, once. Its caller has to own the state meanwhile.
func (ex *Exporter) Count(e *journal.Entry) error {
	ex.leftOut.Add(float64(e.LeftOut))
	handover := e.Kind == journal.Handover
	switch gone := handover || e.Kind == journal.Left && e.WasHolder; {
	case e.Lock == "":
	case e.Kind == journal.Finding:
		ex.remember(e.Lock, e.Code, ended{e.At, e.Confidence, e.Severity})
	case gone && e.Cause == journal.CauseExpired:
		// With a TTL of some seconds a holder that renewed late has lost its lock before anybody
		// can find that it is dead.
		if late, was := ex.ended[ofLock{e.Lock, model.CodeKeepaliveStalled}]; was {
			ex.remember(e.Lock, model.CodeDeadHolder, ended{e.At, late.confidence, late.severity})
		}
	}
	got := e.Kind == journal.Acquired || e.Kind == journal.Shared
	if !handover && !(e.Kind == journal.Left && e.WasHolder) && !got {
		return nil
	}
	g := ex.groupOf(e.Lock, ex.state.Lock(e.Lock))
	timed := !e.Past && !e.Unseen
	if (handover || got) && timed && !e.WaitedAtLeast && e.Waited > 0 {
		ex.waits.WithLabelValues(g.prefix, g.recipe).Observe(e.Waited.Seconds())
	}
	if got {
		return nil
	}
	ex.ends.WithLabelValues(g.prefix, g.recipe, string(e.Cause)).Inc()
	if timed && !e.HeldAtLeast {
		ex.holds.WithLabelValues(g.prefix, g.recipe).Observe(e.Held.Seconds())
	}
	if handover {
		ex.handovers.WithLabelValues(g.prefix, g.recipe, string(e.Cause)).Inc()
		if timed {
			ex.gap.WithLabelValues(g.prefix, g.recipe).Observe(e.Gap.Seconds())
		}
	}
	return nil
}

// ofLock is a kind of finding of one lock.
type ofLock struct {
	lock string
	code model.Code
}

// ended is when a finding was last there, and how sure and how bad it was.
type ended struct {
	at         time.Time
	confidence model.Confidence
	severity   model.Severity
}

// remember keeps when a finding was last there: it came, or it is over. There are no more of them than series.
func (ex *Exporter) remember(lock string, code model.Code, e ended) {
	is := ofLock{lock, code}
	was, known := ex.ended[is]
	if e.severity == model.SevInfo { // it is over
		if !known {
			return // it came before what is kept, or there was no room
		}
		e.confidence, e.severity = was.confidence, was.severity
	}
	if !known && len(ex.ended) >= ex.series {
		ex.forget()
	}
	if known || len(ex.ended) < ex.series {
		ex.ended[is] = e
	}
}

// forget drops what is no longer told.
func (ex *Exporter) forget() {
	now := ex.state.Now()
	maps.DeleteFunc(ex.ended, func(_ ofLock, e ended) bool { return now.Sub(e.at) > toldFor })
}

// groupOf returns the group of a lock, which is made if there is room.
func (ex *Exporter) groupOf(lock string, l *locks.Lock) group {
	g := group{prefix: label(ex.state.Coverage().PrefixOf(lock)), recipe: "unknown"}
	if l != nil { // else it has no keys any more
		g.recipe = l.Recipe().Name
	}
	if !ex.groups[g] {
		if len(ex.groups) >= groupsMax {
			return rest
		}
		ex.groups[g] = true
		ex.begin(g)
	}
	return g
}

// begin tells a group's counters from 0 on: of one that begins at 5 Prometheus does not know
// that it rose.
func (ex *Exporter) begin(g group) {
	for _, cause := range []journal.Cause{journal.CauseReleased, journal.CauseExpired, journal.CauseRevoked, journal.CauseDeleted, journal.CauseReplaced, journal.CauseUnknown} {
		ex.handovers.WithLabelValues(g.prefix, g.recipe, string(cause))
		ex.ends.WithLabelValues(g.prefix, g.recipe, string(cause))
	}
	for _, h := range []*prometheus.HistogramVec{ex.waits, ex.holds, ex.gap} {
		h.WithLabelValues(g.prefix, g.recipe)
	}
}

// Describe implements prometheus.Collector: what there is to tell depends on the locks.
func (ex *Exporter) Describe(chan<- *prometheus.Desc) {}

// Collect implements prometheus.Collector.
func (ex *Exporter) Collect(out chan<- prometheus.Metric) {
	for _, c := range []prometheus.Collector{ex.waits, ex.holds, ex.gap, ex.handovers, ex.ends, ex.leftOut} {
		c.Collect(out)
	}
	for _, m := range ex.gauges() {
		out <- m
	}
}

// gauges are what the state says now. The state is held no longer than it takes to look at
// each lock once.
func (ex *Exporter) gauges() []prometheus.Metric {
	ex.scrape.Lock()
	defer ex.scrape.Unlock()
	var g gauges
	ex.mu.Lock()
	ex.watch(&g)
	ex.locks(&g)
	ex.findings(&g)
	ex.mu.Unlock()
	ex.most(&g)
	if ex.Recording != nil {
		ex.Recording().tell(&g)
	}
	return g
}

// watch tells what is seen, and what looking costs.
func (ex *Exporter) watch(g *gauges) {
	s := ex.state
	watches := s.Coverage().Watches()
	for _, w := range watches[:min(len(watches), prefixesMax)] {
		prefix := label(w.Prefix)
		g.add("prefix_live", "Whether the keys under a prefix are known as they are now.", truth(w.State == locks.Live), "prefix", prefix)
		if !w.SeenAt.IsZero() {
			g.add("prefix_seen_timestamp_seconds", "When the keys under a prefix were last known to be complete.", unix(ex.wallTime(w.SeenAt)), "prefix", prefix)
		}
		g.typed(prometheus.CounterValue, "prefix_missed_seconds_total", "For how long nothing was seen of a prefix, so that what happened then stays unknown.", w.Missed.Seconds(), "prefix", prefix)
	}
	g.add("prefixes", "Prefixes that are watched.", float64(len(watches)))
	g.add("prefixes_not_live", "Prefixes whose keys are not known as they are now.", float64(len(slices.DeleteFunc(slices.Clone(watches), func(w *locks.Watch) bool { return w.State == locks.Live }))))
	cost := ex.cost()
	g.add("requests_per_second", "Requests of locktop to etcd, averaged over some seconds.", cost.RPS)
	g.add("lease_readings_budget", "Lease readings that are allowed in a second.", float64(cost.Budget))
	g.typed(prometheus.CounterValue, "lease_readings_total", "Lease readings since the start.", float64(cost.Readings))
	g.add("events_behind", "Events that wait to be taken in.", float64(cost.Behind))
	g.add("revision", "The revision up to which the keys are known.", float64(s.KeysRev()))
	if c := s.Cluster(); !c.At.IsZero() {
		up, down := 0, 0
		for _, m := range c.Members {
			down += int(truth(!m.Unasked && (!m.Err.IsZero() || m.NoLeader)))
			up += int(truth(m.Err.IsZero() && !m.NoLeader && !m.Unasked))
		}
		g.add("members", "Members of the cluster.", float64(len(c.Members)))
		g.add("members_serving", "Members that answer and know a leader.", float64(up))
		g.add("members_not_serving", "Members that were asked, and do not answer or know no leader.", float64(down))
		if !c.Silent() {
			g.add("has_leader", "Whether a member that answers knows a leader; missing while none answers.", truth(c.KnowsLeader()))
		}
		g.add("alarms", "Alarms of etcd in force.", float64(len(c.Alarms)))
		for _, m := range c.Members[:min(len(c.Members), membersMax)] {
			g.member(m)
		}
		if a := c.Agreed; a.Answered() > 0 {
			g.add("linearizable_latency_seconds", "How long half of the requests of the last half minute took at most to which the leader has to agree.", a.Usual.Seconds())
			g.add("linearizable_latency_max_seconds", "How long the longest of them took.", a.Longest.Seconds())
		}
		g.add("linearizable_requests_failed", "How many of them were not answered, or not in time.", float64(c.Agreed.Failed))
	}
}

// member tells how one member is, as seen from here.
func (g *gauges) member(m model.Member) {
	name := label(cmp.Or(m.Name, m.Endpoint))
	if m.Unasked || name == "" {
		return
	}
	if a := m.Answers; a.Answered() > 0 {
		g.add("member_latency_seconds", "How long half of the answers of a member took at most within the last half minute, of itself and seen from here.", a.Usual.Seconds(), "member", name)
		g.add("member_latency_max_seconds", "How long the longest of them took.", a.Longest.Seconds(), "member", name)
	}
	g.add("member_requests_failed", "How many requests to a member were not answered within the last half minute, or not in time.", float64(m.Answers.Failed), "member", name)
	if m.DBSize > 0 {
		g.add("member_db_bytes", "How large the database of a member is.", float64(m.DBSize), "member", name)
	}
	if m.DBQuota > 0 {
		g.add("member_db_quota_bytes", "How large it may become; missing where the member does not tell it, as before etcd 3.6.", float64(m.DBQuota), "member", name)
	}
}

// lockOf returns what is said of the locks that go by the pattern of this one. Patterns are
// remembered: to work one out costs more than all else that is said of a lock.
func (ex *Exporter) lockOf(name string) *lock {
	i, ok := ex.patterns[name]
	if !ok {
		p := Pattern(name)
		if i, ok = ex.byName[p]; !ok {
			i = len(ex.found)
			ex.found, ex.byName[p] = append(ex.found, lock{pattern: p}), i
		}
		ex.patterns[name] = i
	}
	return &ex.found[i]
}

// beginScrape empties what the last scrape found, and forgets names when most of them are gone.
func (ex *Exporter) beginScrape() {
	if len(ex.patterns) > 2*len(ex.state.Locks())+1_000 {
		clear(ex.patterns)
		clear(ex.byName)
		ex.found = ex.found[:0]
	}
	for i := range ex.found {
		ex.found[i] = lock{pattern: ex.found[i].pattern}
	}
}

// lock is what is said of the locks that go by one pattern.
type lock struct {
	pattern   string
	n         int
	waiters   int
	held      int
	since     time.Time // the first holder of them, zero for not known
	waiting   time.Time // the first waiter of them, zero for none
	level     model.Level
	findings  map[kind]time.Time // since when
	lastFound map[kind]time.Time // when those that are no mere information were last there
}

// saw notes when a kind of finding was last there.
func (l *lock) saw(is kind, at time.Time) {
	if l.lastFound == nil {
		l.lastFound = map[kind]time.Time{}
	}
	if at.After(l.lastFound[is]) {
		l.lastFound[is] = at
	}
}

// kind is a kind of finding, and how sure it is: nobody is to be woken by a hint.
type kind struct {
	code       model.Code
	confidence model.Confidence
}

// locks tells of the locks.
func (ex *Exporter) locks(g *gauges) {
	s := ex.state
	now, shown := s.Now(), ex.wallTime(s.Now())
	keys, claims := s.Counts()
	g.add("keys", "Watched keys.", float64(keys))
	g.add("claims", "Watched keys that are claims of a lock.", float64(claims))
	states, waiters := map[string]int{}, 0
	ex.beginScrape()
	for _, l := range s.Locks() {
		if len(ex.groups) < groupsMax {
			ex.groupOf(l.Name, l)
		}
		c := status.ConditionOf(s, l)
		word := c.Word
		if c.Code() != "" {
			word = "found"
		}
		states[word]++
		of := ex.lockOf(l.Name)
		of.n++
		of.level = max(of.level, c.Level)
		if !l.Recipe().HasHolder {
			continue
		}
		waiters += l.Behind()
		of.waiters += l.Behind()
		if held, _ := l.HeldFor(now); l.Holder() != nil {
			of.held++
			of.since = earlier(of.since, shown.Add(-held))
		}
		if d, _, any := l.LongestWait(now); any {
			of.waiting = earlier(of.waiting, shown.Add(-d))
		}
		for _, f := range s.FindingsOf(l) {
			if of.findings == nil {
				of.findings = map[kind]time.Time{}
			}
			is := kind{f.Code, f.Confidence}
			of.findings[is] = earlier(of.findings[is], ex.wallTime(f.Since))
			if f.Severity != model.SevInfo {
				of.saw(is, shown)
			}
		}
	}
	ex.forget()
	for is, e := range ex.ended {
		of := ex.lockOf(is.lock)
		of.level = max(of.level, e.severity.Level())
		of.saw(kind{is.code, e.confidence}, ex.wallTime(e.at))
	}
	for word, n := range states {
		g.add("locks", "Locks by how they are; found is one with a finding.", float64(n), "state", word)
	}
	g.add("waiters", "Claims that wait, in all.", float64(waiters))
}

// most tells of those with trouble, and then of the most contended, as far as there is room.
func (ex *Exporter) most(g *gauges) {
	list := make([]*lock, 0, len(ex.found))
	for i := range ex.found {
		if l := &ex.found[i]; l.n > 0 || len(l.lastFound) > 0 {
			list = append(list, &ex.found[i])
		}
	}
	slices.SortFunc(list, func(a, b *lock) int {
		return cmp.Or(cmp.Compare(b.level, a.level), cmp.Compare(b.waiters, a.waiters), strings.Compare(a.pattern, b.pattern))
	})
	room, left := ex.series-LeastSeries, 0
	for _, l := range list {
		if need := perLock + len(l.findings) + len(l.lastFound); need <= room {
			room -= need
			l.tell(g)
		} else {
			left, room = left+l.n, 0
		}
	}
	g.add("locks_without_series", "Locks that have no series of their own, since there is no room for them (--series).", float64(left))
}

// tell adds the series of the locks that go by one pattern.
func (l *lock) tell(g *gauges) {
	name := []string{"lock", l.pattern}
	inOrder := func(a, b kind) int { return cmp.Or(cmp.Compare(a.code, b.code), a.confidence.Compare(b.confidence)) }
	for _, is := range slices.SortedFunc(maps.Keys(l.lastFound), inOrder) {
		g.add("lock_finding_seen_timestamp_seconds", "When a finding that is a warning or an error was last there of a lock of this pattern, told for 150 s after it ended; dead-holder also where the lease of a late holder ran out.", unix(l.lastFound[is]),
			append(slices.Clone(name), "code", string(is.code), "confidence", string(is.confidence))...)
	}
	if l.n == 0 {
		return // its keys are gone
	}
	g.add("lock_names", "Locks that go by this pattern.", float64(l.n), name...)
	g.add("lock_holders", "Locks of this pattern that are held.", float64(l.held), name...)
	g.add("lock_waiters", "Claims that wait for locks of this pattern.", float64(l.waiters), name...)
	if !l.since.IsZero() {
		g.add("lock_holder_since_timestamp_seconds", "Since when the oldest holder has held at least.", unix(l.since), name...)
	}
	if !l.waiting.IsZero() {
		g.add("lock_waiting_since_timestamp_seconds", "Since when the first waiter has waited at least.", unix(l.waiting), name...)
	}
	for _, is := range slices.SortedFunc(maps.Keys(l.findings), inOrder) {
		g.add("lock_finding_since_timestamp_seconds", "Since when a finding stands of a lock of this pattern.", unix(l.findings[is]),
			append(slices.Clone(name), "code", string(is.code), "confidence", string(is.confidence))...)
	}
}

// findings tells what was found, of locks and of the cluster.
func (ex *Exporter) findings(g *gauges) {
	type kind struct {
		code       model.Code
		severity   model.Severity
		confidence model.Confidence
	}
	n := map[kind]int{}
	for _, f := range ex.state.Findings() {
		n[kind{f.Code, f.Severity, f.Confidence}]++
	}
	kinds := slices.SortedFunc(maps.Keys(n), func(a, b kind) int {
		return cmp.Or(-cmp.Compare(a.severity.Level(), b.severity.Level()), strings.Compare(string(a.code), string(b.code)), cmp.Compare(a.confidence, b.confidence))
	})
	for _, k := range kinds[:min(len(kinds), findingsMax)] {
		g.add("findings", "Findings that stand.", float64(n[k]), "code", string(k.code), "severity", string(k.severity), "confidence", string(k.confidence))
	}
}

func (ex *Exporter) wallTime(t time.Time) time.Time {
	if ex.WallTime == nil {
		return t
	}
	return ex.WallTime(t)
}

func earlier(a, b time.Time) time.Time {
	if a.IsZero() || b.Before(a) {
		return b
	}
	return a
}
