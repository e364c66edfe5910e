package proxy

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	pb "go.etcd.io/etcd/api/v3/etcdserverpb"
	"go.etcd.io/etcd/server/v3/etcdserver/api/v3election/v3electionpb"
	"go.etcd.io/etcd/server/v3/etcdserver/api/v3lock/v3lockpb"
	"golang.org/x/net/http2"
	"golang.org/x/net/http2/hpack"
	"google.golang.org/grpc/codes"
	healthpb "google.golang.org/grpc/health/grpc_health_v1"
	"google.golang.org/grpc/status"

	"locktop/chaos"
	"locktop/model"
)

// lent is what passes to a cluster that is not ours: all that a program does with keys,
// leases and locks, and what a client asks before. Of Auth, Cluster and Maintenance
// nothing else does, nor what is not known here: our certificate may have more rights
// than the program behind the proxy should. A compaction takes the history of all keys
// from everybody, so it does not pass either; no lock needs it.
var lent = chaos.Permit{
	Refusal: "the proxy of locktop passes keys, watches, leases, locks and elections only",
	Methods: methodSet(
		pb.KV_Range_FullMethodName, pb.KV_RangeStream_FullMethodName, pb.KV_Put_FullMethodName,
		pb.KV_DeleteRange_FullMethodName, pb.KV_Txn_FullMethodName,
		pb.Watch_Watch_FullMethodName,
		pb.Lease_LeaseGrant_FullMethodName, pb.Lease_LeaseRevoke_FullMethodName, pb.Lease_LeaseKeepAlive_FullMethodName,
		pb.Lease_LeaseTimeToLive_FullMethodName, pb.Lease_LeaseLeases_FullMethodName,
		v3lockpb.Lock_Lock_FullMethodName, v3lockpb.Lock_Unlock_FullMethodName,
		v3electionpb.Election_Campaign_FullMethodName, v3electionpb.Election_Proclaim_FullMethodName,
		v3electionpb.Election_Leader_FullMethodName, v3electionpb.Election_Observe_FullMethodName,
		v3electionpb.Election_Resign_FullMethodName,
		healthpb.Health_Check_FullMethodName, healthpb.Health_Watch_FullMethodName,
		pb.Auth_Authenticate_FullMethodName, pb.Cluster_MemberList_FullMethodName, pb.Maintenance_Status_FullMethodName),
}

func methodSet(names ...string) map[string]bool {
	set := map[string]bool{}
	for _, n := range names {
		set[n] = true
	}
	return set
}

// maxRefused is how many calls of a connection are refused before it is closed. Their
// streams are remembered until then, as the member must not hear of them.
const maxRefused = 1000

// lends says whether a header begins a call that passes to a cluster that is not ours.
// It answers one that does not; what is no call of gRPC ends the connection.
func (cn *connection) lends(u *frame) (bool, error) {
	path, ok := callOf(u.fields)
	if !ok || u.stream%2 == 0 || u.stream <= cn.newest {
		return false, errMalformed // gRPC's clients have no trailers either
	}
	cn.newest = u.stream
	if lent.Methods[path] {
		return true, nil
	}
	return false, cn.refuse(u, lent.Check(model.Printable(path[:min(len(path), maxPath)])))
}

// maxPath is how much of a path is said in a refusal.
const maxPath = 100

// callOf returns the path of the call of gRPC that a header begins, false if it does
// not begin one.
func callOf(fields []hpack.HeaderField) (path string, ok bool) {
	said := map[string]string{}
	regular := false
	for _, f := range fields {
		pseudo := strings.HasPrefix(f.Name, ":")
		once := pseudo || f.Name == "content-type"
		if _, twice := said[f.Name]; once && twice || pseudo && regular || f.Name != strings.ToLower(f.Name) {
			return "", false
		}
		if pseudo && !slices.Contains([]string{":method", ":scheme", ":authority", ":path"}, f.Name) {
			return "", false
		}
		if once {
			said[f.Name] = f.Value
		}
		regular = !pseudo
	}
	kind, ok := strings.CutPrefix(said["content-type"], "application/grpc")
	ok = ok && (kind == "" || kind[0] == '+' || kind[0] == ';')
	return said[":path"], ok && said[":method"] == "POST" && said[":scheme"] != "" && said[":path"] != ""
}

// refuse answers a call in the place of the member, which never hears of it.
func (cn *connection) refuse(u *frame, why error) error {
	if len(cn.refused) == maxRefused {
		return errors.New("too many calls were refused")
	}
	cn.refused[u.stream] = true
	if err := cn.toMember.flush(); err != nil {
		return err
	}
	select { // the first that a client hears has to be the settings of the member
	case <-cn.toClient.greeted:
	case <-cn.Context().Done():
		return cn.Context().Err()
	}
	block, err := statusBlock(status.Code(why), why)
	if err != nil {
		return err
	}
	return cn.toClient.insert(func() error {
		err := cn.toClient.framer.WriteHeaders(http2.HeadersFrameParam{StreamID: u.stream, BlockFragment: block, EndStream: true, EndHeaders: true})
		if err != nil || u.ends() {
			return err
		}
		return cn.toClient.framer.WriteRSTStream(u.stream, http2.ErrCodeNo) // no use in going on
	})
}

// statusBlock is the header block of an answer without a message. It neither needs nor
// changes what the blocks of the member have agreed on with the client.
func statusBlock(code codes.Code, why error) ([]byte, error) {
	var b bytes.Buffer
	e := hpack.NewEncoder(&b)
	for _, f := range []hpack.HeaderField{
		{Name: ":status", Value: "200"},
		{Name: "content-type", Value: "application/grpc"},
		{Name: "grpc-status", Value: strconv.Itoa(int(code))},
		{Name: "grpc-message", Value: grpcMessage(why)},
	} {
		f.Sensitive = true // so that no table keeps it
		if err := e.WriteField(f); err != nil {
			return nil, err
		}
	}
	return b.Bytes(), nil
}

// grpcMessage writes a sentence as gRPC carries it: in printable ASCII without %.
func grpcMessage(why error) string {
	var b strings.Builder
	text := status.Convert(why).Message()
	for i := range len(text) {
		if c := text[i]; c < ' ' || c > '~' || c == '%' {
			fmt.Fprintf(&b, "%%%02X", c)
		} else {
			b.WriteByte(c)
		}
	}
	return b.String()
}

// afterRefusal takes in what a client still says in a call that was refused, so that
// the room on its connection comes back.
func (cn *connection) afterRefusal(u *frame) {
	if u.kind == http2.FrameData {
		cn.toClient.credit(0, len(u.data)+u.pad)
	}
}
