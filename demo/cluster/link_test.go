package cluster

import (
	"net"
	"testing"
	"time"

	"locktop/demo/labtest"
	"locktop/demo/process"
)

func TestALinkThatIsBlockedClosesWhatComes(t *testing.T) {
	member, err := process.Listen()
	if err != nil {
		t.Fatal(err)
	}
	defer member.Close()
	k, err := newLink(member.Addr().String(), &slows{})
	if err != nil {
		t.Fatal(err)
	}
	defer k.Close()
	open, err := net.Dial("tcp", k.Addr())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := member.Accept(); err != nil { // the link carries it by now
		t.Fatal(err)
	}
	k.block()
	late, err := net.Dial("tcp", k.Addr())
	if err != nil {
		t.Fatal(err)
	}
	for reason, c := range map[string]net.Conn{"one that was open": open, "one that comes": late} {
		defer c.Close()
		if err := c.SetDeadline(time.Now().Add(labtest.Patience)); err != nil {
			t.Fatal(err)
		}
		if n, err := c.Read(make([]byte, 1)); n != 0 || err == nil {
			t.Errorf("%s: read %d bytes (%v)", reason, n, err)
		}
	}
}

func TestAMemberSaysItsNameInItsFirstRequest(t *testing.T) {
	rows := []struct {
		said   []string
		want   string
		reason string
	}{
		{[]string{"GET /raft/stream/msgapp/1 HTTP/1.1\r\nX-Server-From: 8e9e05c5\r\nHost: x\r\n"}, "8e9e05c5", "in one piece"},
		{[]string{"GET / HTTP/1.1\r\nX-Serv", "er-From: 8e9e", "05c5\r", "\n"}, "8e9e05c5", "in pieces"},
		{[]string{"GET / HTTP/1.1\r\nX-Server-From: 8e9e"}, "", "not yet whole"},
		{[]string{"X-Server-From: 1\r\n", "X-Server-From: 2\r\n"}, "1", "the first counts"},
	}
	for _, r := range rows {
		d := &dialer{}
		for _, said := range r.said {
			_, _ = d.Write([]byte(said)) // never fails
		}
		if got := d.id(); got != r.want {
			t.Errorf("%s: %q, want %q", r.reason, got, r.want)
		}
	}
}
