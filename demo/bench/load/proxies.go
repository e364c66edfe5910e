package load

import (
	"context"
	"io"
	"net"

	"github.com/Shopify/toxiproxy/v2"
	"github.com/rs/zerolog"

	"locktop/chaos/proxy"
)

func serveProxy(ctx context.Context, backend string) error {
	p, err := proxy.New(proxy.Options{Backends: []string{backend}})
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

func serveToxiproxy(ctx context.Context, backend string) error {
	server := toxiproxy.NewServer(toxiproxy.NewMetricsContainer(nil), zerolog.Nop())
	p := toxiproxy.NewProxy(server, "bench", "127.0.0.1:0", backend)
	if err := p.Start(); err != nil {
		return err
	}
	defer p.Stop()
	return serveAt(ctx, p.Listen)
}

func serveCopy(ctx context.Context, backend string) error {
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
			member, err := net.Dial("tcp", backend)
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
