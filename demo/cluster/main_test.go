package cluster

import (
	"context"
	"os"
	"testing"

	"go.uber.org/goleak"

	"locktop/demo/labtest"
)

// asMember is the program that the test binary is by its first argument: a member. The
// rest is as the cluster wants it.
const asMember = "as-member"

func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == asMember {
		labtest.ExitWith(RunMember(context.Background(), os.Args[2:], os.Stdin, os.Stdout))
	}
	labtest.WaitTogether()
	goleak.VerifyTestMain(m)
}
