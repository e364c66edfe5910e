package recording

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"sync"
	"time"

	"locktop/model"
)

// Bounds of a rotation.
const (
	LeastBytes = 16 << 20
	LeastKeep  = 10 * time.Minute

	piecesMin  = 16 // into which the size is cut at least
	longest    = time.Hour
	retryAfter = 10 * time.Second
	stepLeast  = time.Second // by which a clock that was set is off
)

// RotationOptions say what is kept, and where.
type RotationOptions struct {
	Dir string
	// Keep is for how long.
	Keep time.Duration
	// MaxBytes is how much the folder may hold.
	MaxBytes int64
	// PieceBytes is how large a piece gets, 0: as fits MaxBytes.
	PieceBytes int64
	Mask       Mask
	// Lag is how long events may wait for others.
	Lag time.Duration
	// Lock takes the lock of a file for this process, and says false if another has it.
	Lock func(*os.File) (bool, error)
	// Now is the clock that the times of the events are read from, nil: the machine's.
	Now func() time.Time
	// Tell is told in a line when nothing can be written any more, and when it can again.
	Tell func(line string)

	wall   func(now time.Time) time.Time // what the clock of the machine shows now
	create func(name string) (file, error)
}

// file is one that is written.
type file interface {
	Write(p []byte) (int, error)
	Truncate(size int64) error
	Close() error
}

// RotationStatus is how a rotation does.
type RotationStatus struct {
	Err      error // why nothing is written, nil if it is
	Bytes    int64 // that the folder holds
	Pieces   int
	Since    time.Time // the oldest moment that is there, zero: none
	Failures int       // how often nothing could be written any more
	Lost     int       // events that were not written
	Steps    int       // how often the clock was set
}

// Rotation writes what a source delivers into files of a folder, the last hours of it:
//
//	batches, state ──▶ Rotation ──▶ 00000007.rec  the state when this file began, and what followed
//	                                00000008.rec  …
//	folder ──ReadFolder──▶ spans of time without a gap ──▶ Segments
//
// Each file is a recording of its own. One whose number follows that of the file before goes on
// where that ended, so a reader of both leaves out the state at its beginning, and comes to the same.
// Where something was not written, because the disk was full, the clock was set or locktop had
// ended, a number is left out: there a new span begins, with the state, or with nothing if locktop
// began anew.
//
// The order is that of the numbers, whatever the clock of the machine said. The oldest files are
// removed, so that the folder stays as small and as young as it has to.
type Rotation struct {
	o    RotationOptions
	lock *os.File

	mu     sync.Mutex
	old    []piece // oldest first
	now    piece
	rec    *Recorder // nil: nothing is written
	taken  int       // events that rec was given
	based  int64     // bytes of the last base: the next one will be about as large
	at     time.Time // the moment that stands for wall
	wall   time.Time
	retry  time.Time
	looked time.Time // whether all is still there
	status RotationStatus
}

// OpenRotation begins to write into a folder, which is made if it is not there. The end of what was
// written before is cut off if it is torn, and told.
func OpenRotation(o RotationOptions) (_ *Rotation, err error) {
	r := &Rotation{o: o}
	if r.o.PieceBytes == 0 {
		r.o.PieceBytes = o.MaxBytes / piecesMin
	}
	wall := func(time.Time) time.Time { return time.Now().Round(0) }
	if o.Now == nil { // then one reading has both: times of events are written to the nanosecond as they are
		r.o.Now, wall = time.Now, func(now time.Time) time.Time { return now.Round(0) }
	}
	if o.wall == nil {
		r.o.wall = wall
	}
	if o.create == nil {
		r.o.create = func(name string) (file, error) {
			return os.OpenFile(name, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
		}
	}
	if err := r.take(); err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, r.lock.Close())
		}
	}()
	if n := len(r.old); n > 0 {
		r.now.seq = r.old[n-1].seq
	}
	r.setClock()
	if err := r.begin(nil, 2); err != nil {
		return nil, err
	}
	return r, nil
}

// take makes the folder if it is not there, and has it for this rotation alone.
func (r *Rotation) take() (err error) {
	if err := os.MkdirAll(r.o.Dir, 0o700); err != nil {
		return fmt.Errorf("making the folder: %w", err)
	}
	if err := r.trusted(); err != nil {
		return err
	}
	lock, err := os.OpenFile(r.lockName(), os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return fmt.Errorf("opening the folder: %w", err)
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, lock.Close())
		}
	}()
	if mine, err := r.o.Lock(lock); err != nil || !mine {
		return cmp.Or(err, errors.New("another locktop records into this folder"))
	}
	if r.old, err = listPieces(r.o.Dir); err != nil {
		return err
	}
	if err := r.mend(); err != nil {
		return err
	}
	r.lock = lock
	return nil
}

// trusted refuses a folder in which others could put a link or another file where this one writes,
// or could take away what it wrote.
func (r *Rotation) trusted() error {
	dir, err := os.Lstat(r.o.Dir)
	if err != nil {
		return fmt.Errorf("looking at the folder: %w", err)
	}
	switch {
	case dir.Mode()&os.ModeSymlink != 0:
		return errors.New("the folder is a symbolic link: name the folder itself")
	case runtime.GOOS != "windows" && dir.Mode().Perm()&0o022 != 0: // Windows has no such bits
		return fmt.Errorf("others may write to the folder (%s): take that right from them (chmod go-w)", dir.Mode())
	}
	lock, err := os.Lstat(r.lockName())
	if err == nil && !lock.Mode().IsRegular() {
		return fmt.Errorf("%s is no plain file", r.lockName())
	}
	return nil
}

func (r *Rotation) lockName() string { return filepath.Join(r.o.Dir, "lock") }

// lost says what of the folder somebody took away, nil for nothing: what is written into a file
// without a name is read by nobody.
func (r *Rotation) lost() error {
	mine, err := r.lock.Stat()
	there, err2 := os.Stat(r.lockName())
	if err := errors.Join(err, err2); err != nil || !os.SameFile(mine, there) {
		return cmp.Or(err, fmt.Errorf("%s is another file now", r.lockName()))
	}
	if r.rec != nil && r.now.gone() {
		return fmt.Errorf("%s is gone", r.now.path())
	}
	return nil
}

// mend cuts off what was being written when whoever wrote it was killed.
func (r *Rotation) mend() error {
	if len(r.old) == 0 {
		return nil
	}
	last := &r.old[len(r.old)-1]
	cut, err := cutTorn(last.path())
	if cut > 0 {
		last.bytes -= cut
		r.o.Tell(fmt.Sprintf("%s was torn: its last %d bytes are cut off", last.path(), cut))
	}
	return err
}

// setClock says which time the machine shows now.
func (r *Rotation) setClock() {
	r.at = r.o.Now()
	r.wall = r.o.wall(r.at)
}

// clock is the time by the machine's clock as it was when this span began: one that is set
// meanwhile neither repeats an hour nor leaves one out.
func (r *Rotation) clock(t time.Time) time.Time { return r.wall.Add(t.Sub(r.at)) }

// stepped says whether the clock was set since.
func (r *Rotation) stepped() bool {
	now := r.o.Now()
	return r.o.wall(now).Sub(r.clock(now)).Abs() > stepLeast
}

// Write takes a batch that is in the state, of which begin tells what is so now; false: it
// cannot be told at the moment.
func (r *Rotation) Write(b model.Batch, begin func() ([]model.Event, bool)) {
	if len(b.Events) == 0 {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.rec == nil {
		r.resume(b, begin)
		return
	}
	r.taken += len(b.Events)
	if err := r.rec.Write(b); err != nil {
		r.fail(err)
		return
	}
	written, bytes := r.rec.Written()
	if time.Since(r.looked) > retryAfter {
		r.looked = time.Now()
		if err := r.lost(); err != nil {
			if r.now.gone() {
				r.status.Lost += written - r.now.begins
			}
			r.fail(err)
			r.old = slices.DeleteFunc(r.old, piece.gone)
			return
		}
	}
	step := r.stepped()
	if !step && bytes-r.now.bytes < r.o.PieceBytes && time.Since(r.now.began) < r.pieceTime() {
		return
	}
	events, ok := begin()
	if !ok { // a list is under way: the piece gets longer, and has a limit of its own
		if err := r.makeRoom(bytes + 2*r.o.PieceBytes); err != nil {
			r.fail(err)
		}
		return
	}
	gap, err := 1, r.end()
	if step {
		gap = 2
		r.status.Steps++
		r.setClock()
		r.o.Tell("the clock was set: what is recorded has its time from now on")
	}
	if err == nil {
		err = r.begin(events, gap)
	}
	if err != nil {
		r.fail(err)
	}
}

func (r *Rotation) pieceTime() time.Duration { return min(longest, r.o.Keep/piecesMin) }

// resume begins anew once there may be room again. The batch is in the state already.
func (r *Rotation) resume(b model.Batch, begin func() ([]model.Event, bool)) {
	r.status.Lost += len(b.Events)
	if time.Now().Before(r.retry) {
		return
	}
	events, ok := begin()
	if !ok {
		return
	}
	r.setClock()
	err := r.retake()
	if err == nil {
		err = r.begin(events, 2)
	}
	if err != nil {
		r.retry = time.Now().Add(retryAfter)
		r.status.Err = err
		return
	}
	r.o.Tell(fmt.Sprintf("recording again into %s", r.o.Dir))
	r.status.Err = nil
}

// retake takes the folder again if it was taken away.
func (r *Rotation) retake() error {
	if r.lost() == nil {
		return nil
	}
	before := r.lock
	if err := r.take(); err != nil {
		return err
	}
	if n := len(r.old); n > 0 {
		r.now.seq = max(r.now.seq, r.old[n-1].seq)
	}
	return before.Close()
}

// begin begins a piece so many numbers on. It begins with these events, nil: with nothing,
// as the state does.
func (r *Rotation) begin(events []model.Event, gap int) error {
	p := piece{dir: r.o.Dir, seq: r.now.seq + gap, began: time.Now(), since: r.clock(r.o.Now()), begins: len(events)}
	room := 2 * r.o.PieceBytes
	if len(events) > 0 {
		room += r.based
	}
	if err := r.makeRoom(room); err != nil {
		return err
	}
	f, err := r.o.create(p.path())
	if err != nil {
		return fmt.Errorf("making a file: %w", err)
	}
	p.file = &whole{f: f}
	rec := NewRecorder(p.file, Options{Mask: r.o.Mask, Lag: r.o.Lag, Clock: r.clock})
	if err := rec.WriteBase(events); err != nil {
		return errors.Join(fmt.Errorf("writing what is so: %w", err), f.Close(), p.remove())
	}
	_, p.bytes = rec.Written()
	if len(events) > 0 {
		r.based = p.bytes
	}
	if err := r.makeRoom(p.bytes + 2*r.o.PieceBytes); err != nil {
		return errors.Join(err, f.Close(), p.remove())
	}
	rec.limit(p.bytes + r.o.MaxBytes/2)
	r.rec, r.now, r.taken = rec, p, p.begins
	return nil
}

// makeRoom lets the oldest pieces go that are too old, or stand in the way of so many bytes.
func (r *Rotation) makeRoom(need int64) error {
	for len(r.old) > 0 && (r.bytes()+need > r.o.MaxBytes || time.Since(r.old[0].ended) > r.o.Keep) {
		if err := r.old[0].remove(); err != nil {
			return fmt.Errorf("making room: %w", err)
		}
		r.old = r.old[1:]
	}
	if need > r.o.MaxBytes/2+2*r.o.PieceBytes {
		return fmt.Errorf("what is so takes more than half of the %d bytes that all may take", r.o.MaxBytes)
	}
	return nil
}

// bytes is what the pieces before take.
func (r *Rotation) bytes() (n int64) {
	for _, p := range r.old {
		n += p.bytes
	}
	return n
}

// end ends the piece that is written.
func (r *Rotation) end() error {
	err := errors.Join(r.rec.Close(), r.now.file.f.Close())
	events, _ := r.rec.Written()
	r.status.Lost += r.taken - events
	r.rec = nil
	r.now.bytes = r.now.file.size
	r.now.ended = time.Now()
	r.old = append(r.old, r.now)
	return err
}

// fail says that nothing is written from now on, until there is room again.
func (r *Rotation) fail(why error) {
	if r.rec != nil {
		_ = r.end() // for the same reason
	}
	r.status.Err, r.retry = why, time.Now().Add(retryAfter)
	r.status.Failures++
	r.o.Tell(fmt.Sprintf("recording into %s has stopped: %v; it is tried again every %s", r.o.Dir, why, retryAfter))
}

// Status returns how the rotation does.
func (r *Rotation) Status() RotationStatus {
	r.mu.Lock()
	defer r.mu.Unlock()
	s := r.status
	s.Bytes, s.Pieces = r.bytes(), len(r.old)
	oldest := r.old
	if r.rec != nil {
		s.Pieces++
		_, bytes := r.rec.Written()
		s.Bytes += bytes
		oldest = append(oldest[:len(oldest):len(oldest)], r.now)
	}
	if len(oldest) > 0 {
		s.Since = oldest[0].since
	}
	return s
}

// Close ends the rotation, and says why it could not write the last of it.
func (r *Rotation) Close() (err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.rec != nil {
		err = r.end()
	}
	return errors.Join(err, r.lock.Close())
}

// whole is a file in which nothing is written in part: what of a frame there was room for is
// taken away again.
type whole struct {
	f    file
	size int64
}

// Write implements [io.Writer].
func (w *whole) Write(p []byte) (int, error) {
	n, err := w.f.Write(p)
	if err != nil {
		return n, errors.Join(err, w.f.Truncate(w.size))
	}
	w.size += int64(n)
	return n, nil
}
