package gate

import (
	"testing"

	"go.uber.org/goleak"

	"locktop/demo/labtest"
)

func TestMain(m *testing.M) {
	labtest.WaitTogether()
	goleak.VerifyTestMain(m)
}
