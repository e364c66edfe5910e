//go:build !slow

package cli

import "testing"

// testServer is an etcd in the process of the test; with the tag slow it is that of the machine.
func testServer(t *testing.T) string { return member(t) }
