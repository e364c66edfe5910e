//go:build !slow

package code

import "testing"

// oldest runs nothing: a server of Debian's stands behind the tag slow.
func oldest(*testing.T, func(t *testing.T, endpoint string)) {}
