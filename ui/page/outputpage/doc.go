// Package outputpage has the page of what programs of the user's own print, line by line.
package outputpage
