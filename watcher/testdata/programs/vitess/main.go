// A client of Vitess's topology: it takes the lock of a keyspace, a named lock, or
// part in an election.
//
//	vitess keyspace KEYSPACE ACTION
//	vitess named NAME ACTION
//	vitess election NAME ID
package main

import (
	"bufio"
	"context"
	"flag"
	"fmt"
	"os"

	"vitess.io/vitess/go/vt/proto/topodata"
	"vitess.io/vitess/go/vt/topo"
	_ "vitess.io/vitess/go/vt/topo/etcd2topo"
)

func main() {
	_ = flag.Set("logtostderr", "true")
	if err := run(context.Background(), os.Args[1], os.Args[2], os.Args[3]); err != nil {
		fmt.Println("error", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, kind, name, value string) error {
	server, err := topo.OpenServer("etcd2", os.Getenv("ETCD_ENDPOINT"), "/vitess/global")
	if err != nil {
		return err
	}
	defer server.Close()
	release, err := acquire(ctx, server, kind, name, value)
	if err != nil {
		return err
	}
	fmt.Println("holding")
	for in := bufio.NewScanner(os.Stdin); in.Scan(); {
		if err := release(); err != nil {
			return err
		}
		fmt.Println("released")
	}
	return nil
}

// acquire waits until it holds, and returns what lets go.
func acquire(ctx context.Context, server *topo.Server, kind, name, value string) (func() error, error) {
	switch kind {
	case "keyspace":
		err := server.CreateKeyspace(ctx, name, &topodata.Keyspace{})
		if err != nil && !topo.IsErrType(err, topo.NodeExists) {
			return nil, err
		}
		_, unlock, err := server.LockKeyspace(ctx, name, value)
		return unlocker(unlock), err
	case "named":
		_, unlock, err := server.LockName(ctx, name, value)
		return unlocker(unlock), err
	}
	conn, err := server.ConnForCell(ctx, topo.GlobalCell)
	if err != nil {
		return nil, err
	}
	part, err := conn.NewLeaderParticipation(name, value)
	if err != nil {
		return nil, err
	}
	_, err = part.WaitForLeadership()
	return func() error { part.Stop(); return nil }, err
}

func unlocker(unlock func(*error)) func() error {
	return func() (err error) {
		unlock(&err)
		return err
	}
}
