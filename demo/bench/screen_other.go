//go:build !linux

package main

import (
	"context"
	"errors"
	"syscall"
	"time"
)

var errScreen = errors.New("a console is looked at through a pseudo-terminal of Linux: run this row there")

// childAttr is how a program is started.
func childAttr() *syscall.SysProcAttr { return nil }

// screen is a console on a terminal; see screen_linux.go.
type screen struct{ began time.Time }

func (e *env) open(context.Context, ...string) (*screen, error) { return nil, errScreen }

func (s *screen) close() error                                        { return errScreen }
func (s *screen) await(context.Context, ...string) (time.Time, error) { return time.Time{}, errScreen }
func (s *screen) reaches(context.Context, int64) (time.Time, error)   { return time.Time{}, errScreen }
func (s *screen) press(string) (time.Time, error)                     { return time.Time{}, errScreen }
func (s *screen) written() int64                                      { return 0 }
func (s *screen) revisions() []mark                                   { return nil }
func (s *screen) used() (usage, error)                                { return usage{}, errScreen }
