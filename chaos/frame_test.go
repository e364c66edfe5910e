package chaos

import (
	"fmt"

	"google.golang.org/grpc"
	"google.golang.org/grpc/mem"
)

// anyStream describes every RPC: a unary one is a stream of one message each way.
var anyStream = &grpc.StreamDesc{ClientStreams: true, ServerStreams: true}

// frame is one message as gRPC carries it for a test, not decoded.
type frame struct {
	data []byte
}

// rawCodec carries frames. It calls itself "proto" because the name goes into the
// content type, and etcd answers to nothing else.
type rawCodec struct{}

// Marshal implements encoding.CodecV2.
func (rawCodec) Marshal(v any) (mem.BufferSlice, error) {
	f, ok := v.(*frame)
	if !ok {
		return nil, fmt.Errorf("send through the proxy: %T is no frame", v)
	}
	return mem.BufferSlice{mem.SliceBuffer(f.data)}, nil
}

// Unmarshal implements encoding.CodecV2. It copies: gRPC takes its buffers back
// when Unmarshal returns, and a frame may be held for long.
func (rawCodec) Unmarshal(data mem.BufferSlice, v any) error {
	f, ok := v.(*frame)
	if !ok {
		return fmt.Errorf("receive through the proxy: %T is no frame", v)
	}
	f.data = data.Materialize()
	return nil
}

// Name implements encoding.CodecV2.
func (rawCodec) Name() string { return "proto" }
