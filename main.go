// Locktop is top for etcd locks. It shows the holder of every lock, the queue behind it,
// the health of each lease, and the reason when a lock is stuck.
//
//	etcd ──▶ watcher ──batches──▶ model ──▶ ui
//	ui ──actions──▶ chaos, the only writer ──▶ etcd
//	demo: a cluster of its own, with contenders to break
//
// README.md says what it does and what is in which folder. Package ui/cli joins the others.
package main

import (
	"os"

	"locktop/ui/cli"
)

func main() {
	os.Exit(cli.Main(os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
}
