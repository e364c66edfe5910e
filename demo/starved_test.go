package demo

import (
	"testing"
	"time"
)

// TestWhoWaitedLongestForAProcessor: one thread counts, as several wait at the same time.
func TestWhoWaitedLongestForAProcessor(t *testing.T) {
	type waits = map[int]time.Duration
	for _, tt := range []struct {
		was, is waits
		want    time.Duration
		reason  string
	}{
		{nil, nil, 0, "it has ended"},
		{waits{1: 5}, waits{1: 8}, 3, "since the last look"},
		{waits{1: 5, 2: 1}, waits{1: 8, 2: 5}, 4, "the longest, and not both"},
		{waits{1: 5}, waits{2: 7}, 7, "a new thread"},
	} {
		if got := longestWait(tt.was, tt.is); got != tt.want {
			t.Errorf("%s: %d, want %d", tt.reason, got, tt.want)
		}
	}
}
