//go:build !linux

package pace

import "time"

// elapsed is what the machine's clock shows: here one that was set looks like a machine that was
// suspended.
func elapsed() time.Duration { return time.Duration(time.Now().UnixNano()) }
