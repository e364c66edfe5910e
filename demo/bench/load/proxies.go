package load

import (
	"context"
	"io"
	"net"
	"os"
	"runtime/pprof"

	"github.com/Shopify/toxiproxy/v2"
	"github.com/rs/zerolog"

	"locktop/chaos"
)

// ProxyOrder says what a proxy is put before, and where its CPU profile goes: "" for
// none.
type ProxyOrder struct{ Backend, Profile string }

func serveProxy(ctx context.Context, o ProxyOrder) error {
	if o.Profile != "" {
		f, err := os.Create(o.Profile)
		if err != nil {
			return err
		}
		defer f.Close()
		if err := pprof.StartCPUProfile(f); err != nil {
			return err
		}
		defer pprof.StopCPUProfile()
	}
	p, err := chaos.NewProxy(chaos.ProxyOptions{Backends: []string{o.Backend}})
	if err != nil {
		return err
	}
	defer p.Close()
	at, err := p.Listen("bench")
	if err != nil {
		return err
	}
	return serveAt(ctx, at[0])
}

func serveToxiproxy(ctx context.Context, o ProxyOrder) error {
	server := toxiproxy.NewServer(toxiproxy.NewMetricsContainer(nil), zerolog.Nop())
	p := toxiproxy.NewProxy(server, "bench", "127.0.0.1:0", o.Backend)
	if err := p.Start(); err != nil {
		return err
	}
	defer p.Stop()
	return serveAt(ctx, p.Listen)
}

func serveCopy(ctx context.Context, o ProxyOrder) error {
	lis, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	defer lis.Close()
	go func() {
		for {
			client, err := lis.Accept()
			if err != nil {
				return
			}
			member, err := net.Dial("tcp", o.Backend)
			if err != nil {
				_ = client.Close()
				continue
			}
			go carry(client, member)
			go carry(member, client)
		}
	}()
	return serveAt(ctx, lis.Addr().String())
}

// carry copies until one of them ends, and then ends both. It hides what they are:
// the kernel's own copying takes a pipe and more calls for as few bytes.
func carry(to, from net.Conn) {
	_, _ = io.Copy(struct{ io.Writer }{to}, struct{ io.Reader }{from})
	_ = to.Close()
	_ = from.Close()
}
