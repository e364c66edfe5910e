// Package chaostest has what the tests of gate and proxy share: members, clients, and a
// speaker of HTTP/2. The program does not import it.
package chaostest
