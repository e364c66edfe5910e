package process

import (
	"context"
	"testing"
	"testing/synctest"
	"time"
)

func TestSleep(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		begun := time.Now()
		if !Sleep(t.Context(), nil, time.Second) || time.Since(begun) != time.Second {
			t.Error("it must last")
		}
		done := make(chan struct{})
		close(done)
		ctx, cancel := context.WithCancel(t.Context())
		if Sleep(ctx, done, time.Second) {
			t.Error("done cuts it short")
		}
		cancel()
		if Sleep(ctx, nil, time.Second) {
			t.Error("so does the context")
		}
	})
}
