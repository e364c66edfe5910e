// Package validate checks what a server answers before anybody reads it.
//
// Every client of locktop trusts an answer to have what etcd's API promises. A server
// that is no etcd, or a broken proxy, keeps no promise: without the header of an answer
// we would crash, and the client library crashes on a watch event without a key, in a
// goroutine of its own. [Options] turn both into errors inside the client.
//
// The header also names the cluster. An answer that names none (0), as the one of etcd's
// own grpc-proxy to a watch, says nothing about which cluster it came from.
package validate

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"net"
	"strings"

	pb "go.etcd.io/etcd/api/v3/etcdserverpb"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/peer"
	"google.golang.org/grpc/status"
)

// Code is the status of an answer that cannot be used. The client library takes it for
// final: it repeats no request and resumes no watch by itself.
const Code = codes.DataLoss

// Cluster returns the id of the cluster that a message names, 0 if it names none.
func Cluster(msg any) uint64 {
	if part, ok := msg.(*pb.RangeStreamResponse); ok {
		msg = part.GetRangeResponse()
	}
	m, ok := msg.(interface{ GetHeader() *pb.ResponseHeader })
	if !ok {
		return 0
	}
	return m.GetHeader().GetClusterId()
}

// Check returns an error if a message from a server lacks what its readers need, or has
// what no etcd says. The method is the full name of the RPC, the request nil for a stream.
func Check(method string, req, msg any, from net.Addr) error {
	if lacks := missing(req, msg); lacks != "" {
		return Lacks(method, lacks, from)
	}
	if has := impossible(req, msg); has != "" {
		return Has(method, has, from)
	}
	return nil
}

// Lacks is the error of an answer that lacks something. The method is the full name of
// the RPC.
func Lacks(method, lacks string, from net.Addr) error {
	return unusable(method, "without "+lacks, from)
}

// Has is the error of an answer that has something which no etcd says.
func Has(method, has string, from net.Addr) error { return unusable(method, "with "+has, from) }

func unusable(method, what string, from net.Addr) error {
	where := "the server"
	if from != nil {
		where = from.String()
	}
	return status.Error(Code, fmt.Sprintf("%s answered %s %s: it is not an etcd server, or a proxy before it is broken",
		where, method[strings.LastIndex(method, "/")+1:], what))
}

// impossible says what of a message no etcd says, "" for nothing: whoever believes it
// waits for ever, or takes for locks what are none.
func impossible(req, msg any) string {
	switch m := msg.(type) {
	case *pb.RangeResponse:
		r, _ := req.(*pb.RangeRequest)
		if r == nil || r.SortOrder == pb.RangeRequest_DESCEND || r.SortTarget != pb.RangeRequest_KEY {
			return ""
		}
		return keysOf(r, m)
	case *pb.WatchResponse:
		if m.GetFragment() { // the client's library would join parts without end
			return "a part of an answer, though whole ones were asked for"
		}
		return revisionsOf(m)
	case *pb.LeaseTimeToLiveResponse:
		if r, ok := req.(*pb.LeaseTimeToLiveRequest); ok && m.GetID() != r.ID {
			return fmt.Sprintf("lease %x in the place of %x", uint64(m.GetID()), uint64(r.ID))
		}
	}
	return ""
}

// keysOf says what is wrong with the keys of a list, "" if nothing is.
func keysOf(r *pb.RangeRequest, m *pb.RangeResponse) string {
	end := string(r.RangeEnd)
	if rev := m.GetHeader().GetRevision(); rev < 1 {
		return fmt.Sprintf("revision %d", rev)
	}
	if r.Limit > 0 && int64(len(m.Kvs)) > r.Limit {
		return fmt.Sprintf("%d keys where %d were asked for", len(m.Kvs), r.Limit)
	}
	n := int64(len(m.Kvs))
	if !r.CountOnly && (m.More && m.Count <= n || !m.More && m.Count != n) {
		return fmt.Sprintf("%d keys and more: %t, where it counts %d", n, m.More, m.Count)
	}
	if m.More && n != r.Limit {
		return fmt.Sprintf("%d keys and more, where %d were asked for", n, r.Limit)
	}
	var last []byte
	for i, kv := range m.Kvs {
		key := kv.GetKey() // compared as it is: a list may have a million
		switch from := bytes.Compare(key, r.Key); {
		case from < 0, end == "" && from != 0, end != "" && end != "\x00" && bytes.Compare(key, r.RangeEnd) >= 0:
			return "a key that was not asked for"
		case i > 0 && bytes.Compare(key, last) <= 0:
			return OutOfOrder
		}
		if last = key; r.KeysOnly && kv.GetModRevision() == 0 {
			continue // read from an index that has only the keys
		}
		if wrong := RevisionOf(kv.GetCreateRevision(), kv.GetModRevision(), cmp.Or(r.Revision, m.GetHeader().GetRevision())); wrong != "" {
			return wrong
		}
	}
	return ""
}

// OutOfOrder is what keys of a list are that do not rise: without an end they come again.
const OutOfOrder = "keys that are not in order"

// RevisionOf says what is wrong with the revisions of a key, where the cluster stands at
// one, "" if nothing is.
func RevisionOf(create, mod, at int64) string {
	if create < 1 || mod < create || mod > at {
		return fmt.Sprintf("a key of the revisions %d and %d, at revision %d", create, mod, at)
	}
	return ""
}

// revisionsOf says what is wrong with the revisions of a watch, "" if nothing is.
func revisionsOf(m *pb.WatchResponse) string {
	last := int64(1)
	for _, e := range m.GetEvents() {
		rev := e.GetKv().GetModRevision()
		switch at := m.GetHeader().GetRevision(); {
		case rev < last:
			return fmt.Sprintf("a change of revision %d behind %d", rev, last)
		case at > 0 && rev > at:
			return fmt.Sprintf("a change of revision %d, at revision %d", rev, at)
		}
		last = rev
	}
	return ""
}

// missing says what a message lacks. Watch and MemberList come without a header through
// etcd's grpc-proxy, and nobody needs it there.
func missing(req, msg any) string {
	var h *pb.ResponseHeader
	switch m := msg.(type) {
	case *pb.WatchResponse:
		for _, e := range m.GetEvents() {
			if e.GetKv() == nil {
				return "the key of an event"
			}
		}
		return ""
	case *pb.TxnResponse:
		if t, ok := req.(*pb.TxnRequest); ok && !haveAll(t, m) {
			return "the result of each operation"
		}
		h = m.GetHeader()
	case *pb.RangeResponse:
		if m.GetMore() && len(m.GetKvs()) == 0 {
			return "the keys of a page" // there is nothing to go on from
		}
		h = m.GetHeader()
	case *pb.PutResponse:
		h = m.GetHeader()
	case *pb.DeleteRangeResponse:
		h = m.GetHeader()
	case *pb.LeaseGrantResponse:
		h = m.GetHeader()
	case *pb.LeaseRevokeResponse:
		h = m.GetHeader()
	case *pb.LeaseTimeToLiveResponse:
		h = m.GetHeader()
	case *pb.LeaseLeasesResponse:
		h = m.GetHeader()
	case *pb.StatusResponse:
		h = m.GetHeader()
	default:
		return ""
	}
	if h == nil {
		return "a header"
	}
	return ""
}

// haveAll says whether an answer has what each operation of a transaction brought.
func haveAll(t *pb.TxnRequest, m *pb.TxnResponse) bool {
	ops := t.GetFailure()
	if m.GetSucceeded() {
		ops = t.GetSuccess()
	}
	if len(ops) != len(m.GetResponses()) {
		return false
	}
	for i, r := range m.GetResponses() {
		if r.GetResponse() == nil || ops[i].GetRequestRange() != nil && r.GetResponseRange() == nil {
			return false
		}
	}
	return true
}

// Options returns the dial options of a client that checks every answer. They are chained
// behind the interceptors of the client library, which see an error instead.
func Options() []grpc.DialOption {
	return []grpc.DialOption{grpc.WithChainUnaryInterceptor(unary), grpc.WithChainStreamInterceptor(stream)}
}

func unary(ctx context.Context, method string, req, reply any, cc *grpc.ClientConn, next grpc.UnaryInvoker, opts ...grpc.CallOption) error {
	return Invoke(method, req, reply, func(opt grpc.CallOption) error {
		return next(ctx, method, req, reply, cc, append(opts[:len(opts):len(opts)], opt)...)
	}, nil)
}

// Checker is a check of the caller's own. It gets a message, where it came from and what Check found wrong with it, nil
// for nothing, and says what is wrong with it.
type Checker func(msg any, from net.Addr, wrong error) error

// Invoke makes a call that fills reply and checks it, also by that, if it is not nil.
func Invoke(method string, req, reply any, call func(grpc.CallOption) error, own Checker) error {
	var p peer.Peer
	if err := call(grpc.Peer(&p)); err != nil {
		return err
	}
	return check(method, req, reply, p.Addr, own)
}

func check(method string, req, msg any, from net.Addr, own Checker) error {
	wrong := Check(method, req, msg, from)
	if own == nil {
		return wrong
	}
	return own(msg, from, wrong)
}

func stream(ctx context.Context, desc *grpc.StreamDesc, cc *grpc.ClientConn, method string, next grpc.Streamer, opts ...grpc.CallOption) (grpc.ClientStream, error) {
	s, err := next(ctx, desc, cc, method, opts...)
	return Stream(method, s, err, nil)
}

// Stream checks every message of a stream that was opened, also by that, if it is not nil.
func Stream(method string, s grpc.ClientStream, err error, own Checker) (grpc.ClientStream, error) {
	if err != nil {
		return nil, err
	}
	return &checkedStream{s, method, own}, nil
}

type checkedStream struct {
	grpc.ClientStream
	method string
	own    Checker
}

// RecvMsg implements grpc.ClientStream.
func (s *checkedStream) RecvMsg(msg any) error {
	err := s.ClientStream.RecvMsg(msg)
	if err != nil {
		return err
	}
	var from net.Addr
	if p, ok := peer.FromContext(s.Context()); ok {
		from = p.Addr
	}
	return check(s.method, nil, msg, from, s.own)
}
