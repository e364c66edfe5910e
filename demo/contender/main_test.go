package contender

import (
	"context"
	"os"
	"testing"

	"go.uber.org/goleak"

	"locktop/demo/labtest"
)

// asContender is a program that the test binary is by its first argument. The rest is as
// [Options.Args].
const asContender = "as-contender"

func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == asContender {
		o, err := parseArgs(os.Args[2:], os.Stdin)
		if err == nil {
			err = Run(context.Background(), o, os.Stdout)
		}
		labtest.ExitWith(err)
	}
	labtest.WaitTogether()
	goleak.VerifyTestMain(m)
}
