package cluster

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"syscall"

	"go.etcd.io/etcd/server/v3/embed"
)

// RunMember is what the process of a member does: it runs one etcd, as args say,
// until in ends, ctx ends, or etcd fails. The cluster that started it appends args to
// [Options.Process], reads from out and writes to in, JSON lines both. When
// ctx is what ends it, whoever calls has to end in as well.
func RunMember(ctx context.Context, args []string, in io.Reader, out io.Writer) error {
	plan, err := parseMemberPlan(args)
	if err != nil {
		return fmt.Errorf("run a member: %w", err)
	}
	log, err := openLog(plan.Log)
	if err != nil {
		return fmt.Errorf("run member %s: %w", plan.Name, err)
	}
	defer log.Close()
	say := json.NewEncoder(out)
	m := &member{name: plan.Name, plan: plan}
	if m.etcd, err = embed.StartEtcd(m.config(fileLogger(log).Named(m.name), plan)); err != nil {
		inUse := errors.Is(err, syscall.EADDRINUSE)
		return errors.Join(err, say.Encode(memberReport{Error: err.Error(), InUse: inUse}))
	}
	defer func() {
		m.stopServing()
		m.hardStop()
		m.release()
	}()
	if err := say.Encode(memberReport{ID: uint64(m.etcd.Server.MemberID())}); err != nil {
		return fmt.Errorf("run member %s: %w", plan.Name, err)
	}
	return m.obey(ctx, in, say)
}

// obey does what it is told until there is a reason to end.
func (m *member) obey(ctx context.Context, in io.Reader, say *json.Encoder) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	orders := make(chan memberOrder)
	go readOrders(ctx, in, orders)
	ready := m.etcd.Server.ReadyNotify()
	for {
		var err error
		select {
		case <-ready:
			ready = nil
			err = say.Encode(memberReport{Ready: true})
		case o, ok := <-orders:
			if !ok {
				return nil
			}
			cutPeers(m.etcd.Server, o.Cut)
			err = say.Encode(memberReport{Seq: o.Seq})
		case err = <-m.etcd.Err():
		case <-m.done():
			err = errors.New("etcd gave up")
		case <-ctx.Done():
			return nil
		}
		if err != nil {
			return fmt.Errorf("member %s: %w", m.name, err)
		}
	}
}

// readOrders passes on orders until in ends, or something else comes out of it.
func readOrders(ctx context.Context, in io.Reader, orders chan<- memberOrder) {
	defer close(orders)
	for lines := bufio.NewScanner(in); lines.Scan(); {
		var o memberOrder
		if json.Unmarshal(lines.Bytes(), &o) != nil {
			return
		}
		select {
		case orders <- o:
		case <-ctx.Done():
			return
		}
	}
}
