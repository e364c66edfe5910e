// Package author is for whoever writes a drill: a file to begin with, what a word means, a page
// with every key, and a JSON Schema for editors. All of it is made from the tables by which
// package drill reads a file, so nothing can be in one and not in the other.
package author
