package cli

import (
	"errors"
	"strings"
	"testing"
	"time"

	"locktop/model"
)

// TestAClockThatIsSetIsToldOnce: the times that events, record, top and report tell do not
// follow it.
func TestAClockThatIsSetIsToldOnce(t *testing.T) {
	set := time.Hour // before it began: nothing that is told here was before
	var said strings.Builder
	look := tellSet(&said, func() time.Duration { return set })
	for _, r := range []struct {
		set       time.Duration
		want, why string
	}{
		{time.Hour, "", "nobody set it since"},
		{0, "the machine's clock was set back by 1h00m: times here go on by what it showed before\n", "it was set"},
		{0, "", "it was told"},
		{10 * time.Minute, "the machine's clock was set forward by 10m00s: times here go on by what it showed before\n", "it was set again"},
	} {
		set = r.set
		said.Reset()
		look(model.Batch{}, nil)
		look(model.Batch{}, errors.New("not this time"))
		if said.String() != r.want {
			t.Errorf("%s: %q, want %q", r.why, &said, r.want)
		}
	}
}
