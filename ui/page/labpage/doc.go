// Package labpage has the page of the lab: members, faults in force, and contenders with what they
// believe beside what etcd says.
package labpage
