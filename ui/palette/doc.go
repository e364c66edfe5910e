// Package palette is the line in which a command is typed: its commands, what tab makes of
// them, and how it is painted.
package palette
