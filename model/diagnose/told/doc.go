// Package told has the findings that follow from reports of contenders and of the proxy, and that
// etcd alone does not show: a client believes that it holds, a client was not told, an unlock came
// too late. Each file is a family.
package told
