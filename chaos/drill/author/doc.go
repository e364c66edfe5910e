// Package author helps people who write drills. It has a file to begin with, the meaning of each
// word, a page with every key, and a JSON Schema for editors. All of it is made from the tables by which
// package drill reads a file, so nothing can be in one and not in the other.
package author
