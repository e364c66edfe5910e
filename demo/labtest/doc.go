// Package labtest has what the tests of the lab and of its parts share. The program does
// not import it.
package labtest
