package process

import (
	"errors"
	"net"
	"slices"
	"testing"
)

func bind(t *testing.T, addr string) error {
	t.Helper()
	l, err := net.Listen("tcp", addr)
	if err == nil {
		t.Cleanup(func() { l.Close() })
	}
	return err
}

// A port that somebody takes between the choice and the bind costs a try, not the start.
func TestAPortThatIsTakenMeanwhileIsReplaced(t *testing.T) {
	rows := []struct {
		thefts, starts, told int
		works                bool
		reason               string
	}{
		{0, 1, 0, true, "nobody is quicker"},
		{1, 2, 1, true, "somebody is quicker once"},
		{tries - 1, tries, tries - 1, true, "somebody is quicker all but the last time"},
		{tries, tries, tries - 1, false, "somebody always is: it gives up"},
	}
	for _, r := range rows {
		starts, told := 0, 0
		var used []string
		free, err := StartOnPorts(2, func([]string, error) { told++ }, func(addrs []string) error {
			starts++
			if starts <= r.thefts {
				if err := bind(t, addrs[1]); err != nil { // the thief
					t.Fatal(err)
				}
			}
			used = addrs
			return errors.Join(bind(t, addrs[0]), bind(t, addrs[1]))
		})
		if (err == nil) != r.works || starts != r.starts || told != r.told || !r.works && !PortTaken(err) {
			t.Errorf("%s: %v after %d starts, told %d times", r.reason, err, starts, told)
		}
		if err == nil {
			free()
		}
		if len(used) != 2 || used[0] == used[1] {
			t.Errorf("%s: started on %q, want two different addresses", r.reason, used)
		}
	}
}

// What is wrong for another reason is not tried again.
func TestAnotherErrorEndsTheStart(t *testing.T) {
	broken, starts := errors.New("broken"), 0
	_, err := StartOnPorts(1, func(_ []string, err error) { t.Error(err) }, func([]string) error { starts++; return broken })
	if !errors.Is(err, broken) || starts != 1 {
		t.Errorf("%v after %d starts", err, starts)
	}
}

// Nobody else gets an address that is kept, although nobody listens there.
func TestAnAddressIsKeptForOne(t *testing.T) {
	const n = 300
	addrs, free, err := KeepPorts(n)
	if err != nil {
		t.Fatal(err)
	}
	others, freeOthers, err := KeepPorts(n)
	if err != nil {
		t.Fatal(err)
	}
	defer freeOthers()
	all := slices.Sorted(slices.Values(slices.Concat(addrs, others)))
	if len(slices.Compact(all)) != 2*n {
		t.Error("an address was given twice")
	}
	if _, err := net.ListenPacket("udp", addrs[0]); !PortTaken(err) {
		t.Errorf("%s is not kept: %v", addrs[0], err)
	}
	if err := bind(t, addrs[0]); err != nil {
		t.Errorf("who keeps %s cannot listen there: %v", addrs[0], err)
	}
	free()
	c, err := net.ListenPacket("udp", addrs[0])
	if err != nil {
		t.Fatalf("%s is kept for ever: %v", addrs[0], err)
	}
	c.Close()
}
