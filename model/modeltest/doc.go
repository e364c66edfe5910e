// Package modeltest tells stories for tests: what etcd, the lab and its proxy would have
// reported, with as little noise as possible. A story is written by hand ([New]), or drawn
// at random ([Draw]). [Events] makes malicious input of bytes. The program does not import it.
package modeltest
