// An instance that stands for the mastership of a log, as the signers of Trillian do.
//
//	trillian LOG
package main

import (
	"bufio"
	"context"
	"flag"
	"fmt"
	"os"

	"github.com/google/trillian/util/election2"
	_ "github.com/google/trillian/util/election2/etcd"
)

// Trillian's servers have this flag, and its elections look it up.
var _ = flag.String("etcd_servers", os.Getenv("ETCD_ENDPOINT"), "")

func main() {
	flag.Parse()
	if err := run(context.Background(), flag.Arg(0)); err != nil {
		fmt.Println("error", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, log string) error {
	factory, err := election2.NewProvider("etcd")
	if err != nil {
		return err
	}
	election, err := factory.NewElection(ctx, log)
	if err != nil {
		return err
	}
	if err := election.Await(ctx); err != nil {
		return err
	}
	fmt.Println("holding")
	for in := bufio.NewScanner(os.Stdin); in.Scan(); {
		if err := election.Resign(ctx); err != nil {
			return err
		}
		fmt.Println("released")
	}
	return nil
}
