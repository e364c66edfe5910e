package demo

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"strings"
	"time"

	"locktop/demo/process"
)

const (
	dirPrefix = "locktop-lab-"
	// lockName is the file whose lock says that the lab lives. It appears in the
	// directory already locked.
	lockName = "lock"
	// pidsName is the record of the processes of contenders and members.
	pidsName = "pids"
	// youngDir is how long a directory without a lock file may be one that is
	// being made.
	youngDir = time.Minute
	// goneWithin bounds the wait for a killed process.
	goneWithin = time.Second
)

// labDir is the one directory that a lab writes to.
type labDir struct {
	path string
	lock *os.File
}

// procRecord is enough to find a process again, and never another process that
// was given the same number since.
type procRecord struct {
	pid   int
	start string
	name  string
}

// alive says whether the process that was recorded still runs.
func (p procRecord) alive() bool {
	start, err := process.StartTime(p.pid)
	return err == nil && start == p.start
}

// newLabDir makes a directory in the system's place for temporary files.
func newLabDir() (*labDir, error) {
	path, err := os.MkdirTemp("", dirPrefix)
	if err != nil {
		return nil, fmt.Errorf("make the lab's directory: %w", err)
	}
	d := &labDir{path: path}
	if err := d.takeLock(); err != nil {
		d.remove()
		return nil, fmt.Errorf("make the lab's directory: %w", err)
	}
	return d, nil
}

// takeLock locks the lock file under another name first: whoever finds it under
// its own name and unlocked may be sure that its lab is dead.
func (d *labDir) takeLock() (err error) {
	young := d.file(lockName + ".new")
	if d.lock, err = os.OpenFile(young, os.O_CREATE|os.O_EXCL|os.O_RDWR, 0o600); err != nil {
		return err
	}
	if ok, err := process.LockFile(d.lock); err != nil {
		return err
	} else if !ok {
		return errors.New("its lock cannot be taken")
	}
	return os.Rename(young, d.file(lockName))
}

func (d *labDir) file(name string) string { return filepath.Join(d.path, name) }

// openFile opens a file of the lab to be written on.
func (d *labDir) openFile(name string) (*os.File, error) {
	f, err := os.OpenFile(d.file(name), os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o600)
	if err != nil {
		return nil, fmt.Errorf("open a file of the lab: %w", err)
	}
	return f, nil
}

// record replaces the record of the processes, in one step.
func (d *labDir) record(procs []procRecord) error {
	var b strings.Builder
	for _, p := range procs {
		fmt.Fprintln(&b, p.pid, p.start, p.name)
	}
	young := d.file(pidsName + ".new")
	if err := os.WriteFile(young, []byte(b.String()), 0o600); err != nil {
		return fmt.Errorf("record the processes: %w", err)
	}
	if err := os.Rename(young, d.file(pidsName)); err != nil {
		return fmt.Errorf("record the processes: %w", err)
	}
	return nil
}

// remove removes the directory, and gives the lock back last: until then nobody
// else cleans up here.
func (d *labDir) remove() error {
	err := os.RemoveAll(d.path)
	if d.lock != nil {
		d.lock.Close()
	}
	if err != nil {
		return fmt.Errorf("remove the lab's directory: %w", err)
	}
	return nil
}

// sweep ends and removes what is left of dead labs of the same user, and returns
// their directories. Living labs and labs in the making are not touched. What it
// cannot clean up it leaves to the next: it is no reason not to start.
func sweep(now time.Time) []string {
	dirs, err := filepath.Glob(filepath.Join(os.TempDir(), dirPrefix+"*"))
	if err != nil {
		return nil
	}
	var swept []string
	for _, path := range dirs {
		info, err := os.Lstat(path)
		if err != nil || !info.IsDir() || !process.IsOurs(info) {
			continue
		}
		if sweepDir(path, now.Sub(info.ModTime())) == nil {
			swept = append(swept, path)
		}
	}
	return swept
}

var errAlive = errors.New("the lab is alive")

// sweepDir cleans up one directory if its lab is dead.
func sweepDir(path string, age time.Duration) error {
	d := &labDir{path: path}
	lock, err := os.OpenFile(d.file(lockName), os.O_RDWR, 0)
	switch {
	case errors.Is(err, fs.ErrNotExist) && age > youngDir:
		return d.remove()
	case errors.Is(err, fs.ErrNotExist):
		return errAlive
	case err != nil:
		return err
	}
	ok, err := process.LockFile(lock)
	if err != nil || !ok {
		lock.Close()
		return errors.Join(err, errAlive)
	}
	d.lock = lock
	for _, p := range readRecord(d.file(pidsName)) {
		killRecorded(p)
	}
	process.KillMarked(labMark + "=" + path)
	d.removeSockets()
	return d.remove()
}

// socketsName is the record of the sockets outside of the directory.
const socketsName = "sockets"

// recordSockets writes down which sockets have to go if the lab dies.
func (d *labDir) recordSockets(paths []string) error {
	for i, path := range paths {
		whole, err := filepath.Abs(path)
		if err != nil {
			return fmt.Errorf("record the sockets: %w", err)
		}
		paths[i] = whole
	}
	data, err := json.Marshal(paths)
	if err == nil {
		err = os.WriteFile(d.file(socketsName), data, 0o600)
	}
	if err != nil {
		return fmt.Errorf("record the sockets: %w", err)
	}
	return nil
}

// removeSockets removes those that were recorded, where they are sockets that nobody listens on.
func (d *labDir) removeSockets() {
	var paths []string
	data, err := os.ReadFile(d.file(socketsName))
	if err != nil || json.Unmarshal(data, &paths) != nil {
		return // there are none
	}
	for _, path := range paths {
		info, err := os.Lstat(path)
		if err != nil || info.Mode().Type() != fs.ModeSocket || !process.IsOurs(info) {
			continue
		}
		if c, err := net.DialTimeout("unix", path, time.Second); err == nil {
			c.Close()
			continue
		}
		_ = os.Remove(path) // somebody else may have, just now
	}
}

// readRecord reads what record wrote. A line that makes no sense is skipped.
func readRecord(path string) []procRecord {
	f, err := os.Open(path)
	if err != nil {
		return nil
	}
	defer f.Close()
	var procs []procRecord
	for s := bufio.NewScanner(f); s.Scan(); {
		var p procRecord
		if n, _ := fmt.Sscan(s.Text(), &p.pid, &p.start, &p.name); n == 3 && p.pid > 1 {
			procs = append(procs, p)
		}
	}
	return procs
}

// killRecorded kills a process if it is still the one that was recorded, and waits
// until it is gone.
func killRecorded(p procRecord) {
	// The handle comes before the question: from here on the number cannot be given
	// to another process unnoticed (where the system has such handles).
	proc, err := os.FindProcess(p.pid)
	if err != nil {
		return
	}
	defer proc.Release()
	if !p.alive() {
		return
	}
	_ = process.SignalGroup(proc, os.Kill) // fails if it leads no group
	if proc.Kill() != nil {
		return
	}
	for end := time.Now().Add(goneWithin); p.alive() && time.Now().Before(end); time.Sleep(5 * time.Millisecond) {
	}
}
