// Package told has the findings from what contenders and the proxy tell, and etcd does not show:
// who believes to hold, who was not told, whose unlock came too late. A file is a family.
package told
