package demo

import (
	"context"
	"fmt"
	"os"
	"testing"

	"go.uber.org/goleak"
)

// The test binary is also the programs that the tests start, by its first argument.
const (
	asContender = "as-contender" // the rest is as ContenderOptions.Args
	asLabOwner  = "as-lab-owner" // starts a lab, says where, and waits to be killed
	asIdler     = "as-idler"     // waits to be killed
)

func TestMain(m *testing.M) {
	if len(os.Args) < 2 {
		goleak.VerifyTestMain(m)
		return
	}
	switch os.Args[1] {
	case asContender:
		exitWith(contenderMain(os.Args[2:]))
	case asLabOwner:
		exitWith(labOwnerMain())
	case asIdler:
		fmt.Println("ready")
		select {}
	}
	goleak.VerifyTestMain(m)
}

func exitWith(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	os.Exit(0)
}

func contenderMain(args []string) error {
	o, err := parseContenderArgs(args, os.Stdin)
	if err != nil {
		return err
	}
	return RunContender(context.Background(), o, os.Stdout)
}

func labOwnerMain() error {
	l, err := Start(context.Background(), Options{Members: 1, Contenders: 2, Self: self(), Hold: 3600e9})
	if err != nil {
		return err
	}
	if _, err := l.Do(context.Background(), pauseOf("c2")); err != nil {
		return err
	}
	fmt.Println(l.Dir())
	select {}
}

// self is the command line of a contender. Under the race detector a program sleeps
// for a second before it exits, unless it is told not to.
func self() []string { return []string{"env", "GORACE=atexit_sleep_ms=0", os.Args[0], asContender} }
