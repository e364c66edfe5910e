//go:build !linux && !darwin

package cli

import "io"

// guardTerminal does nothing here: the console itself puts the terminal back as far as it
// can.
func guardTerminal(io.Reader, io.Writer) (end func()) { return func() {} }

func standGuard(string) int { return exitBad }
