package demo

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"

	"locktop/demo/cluster"
	"locktop/demo/contender"
	"locktop/demo/labtest"

	clientv3 "go.etcd.io/etcd/client/v3"
	"go.uber.org/goleak"
	"go.uber.org/zap"
)

// The test binary is also the programs that the tests start, by its first argument.
const (
	asContender = "as-contender"  // the rest is as contender.Options.Args
	asLabOwner  = "as-lab-owner"  // starts a lab, says where, and waits to be killed
	asIdler     = "as-idler"      // waits to be killed
	asManyLocks = "as-many-locks" // holds many locks until it is killed: see manyLocksMain
	asProgram   = "as-program"    // a program that knows nothing of labs: see programMain
	asMember    = "as-member"     // the rest is as the cluster wants it
)

func TestMain(m *testing.M) {
	if len(os.Args) < 2 {
		goleak.VerifyTestMain(m)
		return
	}
	switch os.Args[1] {
	case asContender:
		labtest.ExitWith(contenderMain(os.Args[2:]))
	case asLabOwner:
		labtest.ExitWith(labOwnerMain())
	case asMember:
		labtest.ExitWith(cluster.RunMember(context.Background(), os.Args[2:], os.Stdin, os.Stdout))
	case asProgram:
		labtest.ExitWith(programMain(os.Args[2]))
	case asManyLocks:
		labtest.ExitWith(manyLocksMain(os.Args[2], os.Args[3], os.Args[4]))
	case asIdler:
		fmt.Println("ready")
		select {}
	}
	labtest.WaitTogether()
	goleak.VerifyTestMain(m)
}

func contenderMain(args []string) error {
	o, err := parseContenderArgs(args, os.Stdin)
	if err != nil {
		return err
	}
	return contender.Run(context.Background(), o, os.Stdout)
}

func labOwnerMain() error {
	l, err := Start(context.Background(), Options{Members: 1, Contenders: 2, Self: self(), Hold: 3600e9,
		Processes: true, MemberSelf: labtest.SelfAs(asMember)})
	if err != nil {
		return err
	}
	if _, err := l.Do(context.Background(), pauseOf("c2")); err != nil {
		return err
	}
	fmt.Println(l.Dir())
	select {}
}

// programMain puts a key, and every 50 ms again, and prints when it cannot.
func programMain(key string) error {
	cli, err := clientv3.New(clientv3.Config{Endpoints: strings.Split(os.Getenv("ETCD_ENDPOINTS"), ","), Logger: zap.NewNop()})
	if err != nil {
		return err
	}
	fmt.Println("etcdctl would use", os.Getenv("ETCDCTL_ENDPOINTS"), "for", os.Getenv("OF_THE_USER"))
	if n, err := os.Stdin.Read(make([]byte, 1)); n > 0 || err == nil {
		return errors.New("it has a standard input")
	}
	for n := 1; ; n++ {
		ctx, cancel := context.WithTimeout(context.Background(), 500*time.Millisecond)
		if _, err := cli.Put(ctx, key, strconv.Itoa(n)); err != nil {
			fmt.Println("failed:", err)
		}
		cancel()
		time.Sleep(50 * time.Millisecond)
	}
}

// self is the command line of a contender. Under the race detector a program sleeps
// for a second before it exits, unless it is told not to.
func self() []string { return labtest.SelfAs(asContender) }
