//go:build slow

package code

import (
	"os/exec"
	"testing"

	"locktop/demo/etcdtest"
)

// TestOnTheOldestServer: the code of the lessons does the same on a 3.4.
func TestOnTheOldestServer(t *testing.T) {
	path, err := exec.LookPath("etcd")
	if err != nil {
		t.Fatal(err)
	}
	linked := serve
	t.Cleanup(func() { serve = linked }) // once the parallel ones have ended
	serve = func(t *testing.T) string {
		_, endpoint := etcdtest.Run(t, path, "http", "--heartbeat-interval", "50", "--election-timeout", "500", "--log-level", "error")
		return endpoint
	}
	for name, test := range map[string]func(*testing.T){
		"WhatWorksUnderALock":              TestWhatWorksUnderALock,
		"TryLockThatCannotTidyUp":          TestTryLockThatCannotTidyUp,
		"TwoWorkersDoNotShare":             TestTwoWorkersDoNotShare,
		"AnOwnQueue":                       TestAnOwnQueue,
		"LockBeginsWithOneTransaction":     TestLockBeginsWithOneTransaction,
		"EachStepAsksWhetherTheLockIsHeld": TestEachStepAsksWhetherTheLockIsHeld,
		"OneToken":                         TestOneToken,
		"UnlockDeletesOnlyWhatIsMine":      TestUnlockDeletesOnlyWhatIsMine,
		"NamesInsideNames":                 TestNamesInsideNames,
		"AKeyThatIsWaitedFor":              TestAKeyThatIsWaitedFor,
		"LocksInOneOrder":                  TestLocksInOneOrder,
		"AnOrderlyEndWaitsForNoTTL":        TestAnOrderlyEndWaitsForNoTTL,
	} {
		t.Run(name, test)
	}
}
