//go:build server

// Package server keeps etcd 3.6 and all that it needs in go.mod, so that
// "go build go.etcd.io/etcd/server/v3" builds that server here.
package server

import _ "go.etcd.io/etcd/server/v3/etcdmain"
