// Locktop shows the locks of an etcd cluster: who holds, who waits in which
// order, how healthy each lease is, and why a lock is stuck.
package main

import (
	"os"

	"locktop/ui/cli"
)

func main() {
	os.Exit(cli.Main(os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
}
