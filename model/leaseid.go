package model

import (
	"cmp"
	"fmt"
	"strconv"
	"strings"
)

// LeaseID is a lease's id, 0 for none. Compare as numbers, never as text: etcdctl
// pads to 16 digits where the keys of the recipes do not (etcd-io/etcd#9935).
type LeaseID int64

// String returns the id as the recipes write it into their keys: hex, lower
// case, no padding.
func (id LeaseID) String() string { return strconv.FormatUint(uint64(id), 16) }

// Short returns the id cut to its first and last four digits, for narrow columns.
func (id LeaseID) Short() string {
	s := id.String()
	if len(s) <= 9 {
		return s
	}
	return s[:4] + "…" + s[len(s)-4:]
}

// ParseLeaseID reads an id in hex, with or without 0x and padding.
func ParseLeaseID(s string) (LeaseID, error) {
	t := strings.TrimPrefix(strings.ToLower(strings.TrimSpace(s)), "0x")
	n, err := strconv.ParseUint(t, 16, 63)
	if err != nil || n == 0 {
		return 0, fmt.Errorf("%q is not a lease id: want 1 to 16 hex digits", s)
	}
	return LeaseID(n), nil
}

// Compare orders ids as numbers.
func (id LeaseID) Compare(o LeaseID) int { return cmp.Compare(uint64(id), uint64(o)) }

// Etcdctl returns the line that shows the lease by hand.
func (id LeaseID) Etcdctl() string { return "etcdctl lease timetolive --keys " + id.String() }
