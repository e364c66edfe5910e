package findings

import (
	"fmt"
	"strconv"
	"strings"

	"locktop/model"
)

// serverVersion returns the lowest version among the members, "" if unknown.
func serverVersion(c model.ClusterStatus) string {
	low := ""
	for _, m := range c.Members {
		known := m.Version != "" && m.Version[0] >= '0' && m.Version[0] <= '9'
		if known && (low == "" || versionLess(m.Version, low)) {
			low = m.Version
		}
	}
	return low
}

// versionBelow says whether a member is known to be older.
func versionBelow(c model.ClusterStatus, major, minor int) bool {
	v := serverVersion(c)
	return v != "" && versionLess(v, fmt.Sprintf("%d.%d.0", major, minor))
}

// versionLess says whether a version is older than another.
func versionLess(a, b string) bool {
	pa, pb := versionParts(a), versionParts(b)
	for i := range pa {
		if pa[i] != pb[i] {
			return pa[i] < pb[i]
		}
	}
	return false
}

func versionParts(v string) (parts [3]int) {
	for i, p := range strings.SplitN(strings.SplitN(v, "-", 2)[0], ".", 3) {
		parts[i], _ = strconv.Atoi(p) // what is no number counts as 0
	}
	return parts
}
