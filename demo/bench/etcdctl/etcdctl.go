//go:build etcdctl

// Package etcdctl keeps etcdctl and all that it needs in go.mod, so that
// "go build go.etcd.io/etcd/etcdctl/v3" builds the peer of the benchmark here.
package etcdctl

import _ "go.etcd.io/etcd/etcdctl/v3/ctlv3"
