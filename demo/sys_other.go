//go:build !linux && !darwin

package demo

import (
	"errors"
	"os"
	"syscall"
)

var errSystem = errors.New("the lab runs on Linux and macOS only")

// Without a lock file there is no lab, so what follows is never used.
var (
	sigPause    = os.Kill
	sigContinue = os.Kill
	sigStop     = os.Kill
)

func lockFile(*os.File) (bool, error)              { return false, errSystem }
func isOurs(os.FileInfo) bool                      { return false }
func procAttr() *syscall.SysProcAttr               { return nil }
func startTime(int) (string, error)                { return "", errSystem }
func signalGroup(p *os.Process, s os.Signal) error { return p.Signal(s) }
func pauseGroup(*os.Process) error                 { return errSystem }
func awaitPaused(int) error                        { return errSystem }
