// Package journalpage has the page of the journal: what happened, line by line, of all locks or of one.
package journalpage
