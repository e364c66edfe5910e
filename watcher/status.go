package watcher

import (
	"cmp"
	"context"
	"regexp"
	"slices"
	"sort"
	"strconv"
	"strings"
	"sync"
	"time"

	pb "go.etcd.io/etcd/api/v3/etcdserverpb"
	"go.etcd.io/etcd/api/v3/v3rpc/rpctypes"
	"google.golang.org/grpc"
	"google.golang.org/grpc/connectivity"

	"locktop/model"
	"locktop/watcher/failures"
	"locktop/watcher/pace"
	"locktop/watcher/queue"
)

// statusRounds asks every endpoint that we were given how its member is. URLs
// that members advertise are not dialled: they may lead outside of what the
// person chose, or nowhere at all.
type statusRounds struct {
	etcd     *etcd
	events   *queue.Queue
	consumer *consumer
	oneLook  bool

	prefixes   []string
	leaseLists bool
	ghostsOf   map[uint64][]model.LeaseID // by member, from the last comparison
	compared   time.Time                  // when the members were last compared

	unlisted      model.Message // why the lists of leases could not be
	unlistedSince time.Time

	conns map[string]*grpc.ClientConn // by endpoint
	known map[string]uint64           // the member that last answered there
	list  []*pb.Member                // the last member list that could be read
}

// answer is what one endpoint said.
type answer struct {
	endpoint string
	resp     *pb.StatusResponse
	err      error
}

// run makes rounds until ctx ends, while anybody pulls.
func (s *statusRounds) run(ctx context.Context) {
	defer func() {
		for _, c := range s.conns {
			_ = c.Close()
		}
	}()
	for s.consumer.wait(ctx) == nil {
		began := time.Now()
		st := s.round(ctx)
		if ctx.Err() != nil {
			return
		}
		if s.consumer.sleptSince(began) {
			s.etcd.answers.forget()
			continue // members that did not answer meanwhile could not
		}
		_ = s.events.Push(ctx, st) // fails only with ctx
		if s.oneLook {
			return
		}
		pace.Sleep(ctx, pace.Uneven(s.etcd.timing.Status), nil)
	}
}

func (s *statusRounds) round(ctx context.Context) model.ClusterStatus {
	endpoints := s.etcd.endpoints()
	answers := make([]answer, len(endpoints))
	var wg sync.WaitGroup
	for i, ep := range endpoints {
		_, err := s.conn(ep)
		answers[i] = answer{endpoint: ep, err: err}
		if err == nil {
			conn := s.at(ep)
			wg.Go(func() { answers[i].resp, answers[i].err = s.ask(ctx, ep, conn) })
		}
	}
	wg.Go(func() { s.members(ctx) })
	wg.Wait()
	for _, a := range answers {
		if a.err == nil {
			s.known[a.endpoint] = a.resp.Header.GetMemberId()
		}
	}
	st := assemble(s.etcd.now(), s.list, answers, s.known)
	s.etcd.answers.tell(&st, time.Now())
	s.compare(ctx, &st)
	st.Unlisted, st.UnlistedSince = s.unlisted, s.unlistedSince
	for i := range st.Members { // until the next comparison
		st.Members[i].GhostLeases = s.ghostsOf[st.Members[i].ID]
	}
	return st
}

// conn keeps one connection per endpoint: a new one every few seconds would cost
// the cluster a TLS handshake each.
func (s *statusRounds) conn(endpoint string) (*grpc.ClientConn, error) {
	if c := s.conns[endpoint]; c != nil {
		if c.GetState() == connectivity.TransientFailure {
			c.ResetConnectBackoff()
		}
		return c, nil
	}
	c, err := s.etcd.client.Dial(endpoint)
	if err == nil {
		s.conns[endpoint] = c
	}
	return c, err
}

// at is the connection to an endpoint for all requests.
func (s *statusRounds) at(endpoint string) identified {
	return identified{s.conns[endpoint], &s.etcd.identity}
}

func (s *statusRounds) ask(ctx context.Context, endpoint string, conn identified) (resp *pb.StatusResponse, err error) {
	ctx, cancel := context.WithTimeout(ctx, s.etcd.timing.Answer)
	defer cancel()
	s.etcd.meter.Count(int(model.RequestStatus), s.etcd.now())
	connected(ctx, conn.conn)
	defer s.etcd.answers.note(endpoint, time.Now(), &err)
	return pb.NewMaintenanceClient(conn).Status(ctx, &pb.StatusRequest{})
}

// connected waits until a connection is there, or cannot be had: that is no part of how long an
// answer takes.
func connected(ctx context.Context, conn *grpc.ClientConn) {
	conn.Connect()
	for state := conn.GetState(); state == connectivity.Idle || state == connectivity.Connecting; state = conn.GetState() {
		if !conn.WaitForStateChange(ctx, state) {
			return
		}
	}
}

// members reads the member list from whatever member answers, without a quorum,
// and keeps the last one when that is refused or fails.
func (s *statusRounds) members(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, s.etcd.timing.Answer)
	defer cancel()
	s.etcd.meter.Count(int(model.RequestStatus), s.etcd.now())
	resp, err := pb.NewClusterClient(s.etcd.checked()).MemberList(ctx, &pb.MemberListRequest{Linearizable: false})
	if err == nil {
		s.list = resp.Members
	}
}

// assemble joins the member list with the answers of the endpoints.
func assemble(at time.Time, list []*pb.Member, answers []answer, known map[string]uint64) model.ClusterStatus {
	out := model.ClusterStatus{At: at}
	leader := leaderOf(answers)
	byID := map[uint64]int{}
	for _, m := range list {
		byID[m.ID] = len(out.Members)
		out.Members = append(out.Members, model.Member{ID: m.ID, Name: m.Name,
			Leader: m.ID == leader, Unasked: true})
	}
	for _, a := range answers {
		id := idOf(a, list, known)
		i, ok := byID[id]
		if !ok {
			i = len(out.Members)
			out.Members = append(out.Members, model.Member{ID: id, Leader: id != 0 && id == leader})
			if id != 0 {
				byID[id] = i
			}
		}
		m := &out.Members[i]
		m.Unasked = false
		switch {
		case m.Version != "": // another endpoint of the same member has answered
		case a.err != nil:
			m.Endpoint, m.Err = a.endpoint, failures.InShort(a.err)
		default:
			m.Endpoint, m.Err, m.Version = a.endpoint, model.Message{}, cmp.Or(a.resp.Version, "unknown")
			m.Term, m.Rev = a.resp.RaftTerm, a.resp.Header.GetRevision()
			m.NoLeader = a.resp.Leader == 0
			m.DBSize, m.DBUsed, m.DBQuota = a.resp.DbSize, a.resp.DbSizeInUse, a.resp.DbSizeQuota
			out.ClusterID = a.resp.Header.GetClusterId()
		}
	}
	sort.SliceStable(out.Members, func(i, j int) bool {
		return cmp.Or(cmp.Compare(out.Members[i].Name, out.Members[j].Name),
			cmp.Compare(out.Members[i].Endpoint, out.Members[j].Endpoint)) < 0
	})
	out.Alarms = alarms(answers, out.Members)
	return out
}

// leaderOf believes the answer with the highest term: a leader that was cut off
// takes itself for one until it notices.
func leaderOf(answers []answer) (leader uint64) {
	term := uint64(0)
	for _, a := range answers {
		if a.err == nil && a.resp.Leader != 0 && a.resp.RaftTerm >= term {
			leader, term = a.resp.Leader, a.resp.RaftTerm
		}
	}
	return leader
}

// idOf finds the member behind an endpoint: by its answer, by its last one, or by
// the URLs that members advertise. 0 if it cannot be told.
func idOf(a answer, list []*pb.Member, known map[string]uint64) uint64 {
	if a.err == nil {
		return a.resp.Header.GetMemberId()
	}
	if id := known[a.endpoint]; id != 0 {
		return id
	}
	for _, m := range list {
		if slices.ContainsFunc(m.ClientURLs, func(url string) bool { return model.Address(url) == model.Address(a.endpoint) }) {
			return m.ID
		}
	}
	return 0
}

// alarmText matches an alarm as Status prints it; the spaces of protobuf's text
// form vary between versions.
var alarmText = regexp.MustCompile(`memberID:\s*(\d+)\s+alarm:\s*(\w+)`)

// alarms puts the errors of the answers into words, but for the one that is none. Every member reports the
// alarms of all, so each is named once.
func alarms(answers []answer, members []model.Member) []string {
	names := map[uint64]string{}
	for _, m := range members {
		names[m.ID] = cmp.Or(m.Name, m.Endpoint)
	}
	var out []string
	for _, a := range answers {
		if a.err != nil {
			continue
		}
		for _, text := range a.resp.Errors {
			if text == rpctypes.ErrorDesc(rpctypes.ErrNoLeader) { // no alarm: the member has NoLeader
				continue
			}
			word := strings.TrimPrefix(text, "etcdserver: ") + " on " + cmp.Or(names[a.resp.Header.GetMemberId()], a.endpoint)
			if m := alarmText.FindStringSubmatch(text); m != nil {
				id, _ := strconv.ParseUint(m[1], 10, 64)
				word = m[2] + " on " + cmp.Or(names[id], strconv.FormatUint(id, 16))
			}
			if !slices.Contains(out, word) {
				out = append(out, word)
			}
		}
	}
	return out
}

func newStatusRounds(e *etcd, events *queue.Queue, p *consumer, o Options) *statusRounds {
	return &statusRounds{etcd: e, events: events, consumer: p, oneLook: o.OneLook, prefixes: o.Prefixes, leaseLists: o.LeaseLists,
		conns: map[string]*grpc.ClientConn{}, known: map[string]uint64{}, ghostsOf: map[uint64][]model.LeaseID{}}
}
