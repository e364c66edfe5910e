//go:build !linux && !darwin

package process

import (
	"errors"
	"os"
	"syscall"
	"time"
)

var errSystem = errors.New("the lab runs on Linux and macOS only")

// Without a lock file there is no lab, so what follows is never used.
var (
	SigPause    = os.Kill
	SigContinue = os.Kill
	SigStop     = os.Kill
)

func LockFile(*os.File) (bool, error)              { return false, errSystem }
func IsOurs(os.FileInfo) bool                      { return false }
func ProcAttr() *syscall.SysProcAttr               { return nil }
func Apart() *syscall.SysProcAttr                  { return nil }
func KillMarked(string)                            {}
func StartTime(int) (string, error)                { return "", errSystem }
func SignalGroup(p *os.Process, s os.Signal) error { return p.Signal(s) }
func PauseGroup(*os.Process) error                 { return errSystem }
func AwaitEnd(int) error                           { return errSystem }
func GroupLives(int) bool                          { return false }
func AwaitPaused(int) error                        { return errSystem }
func Waits(int) map[int]time.Duration              { return nil }
