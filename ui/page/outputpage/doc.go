// Package outputpage has the page of the output of the user's own programs, line by line.
package outputpage
