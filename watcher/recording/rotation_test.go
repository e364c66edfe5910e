package recording

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"locktop/model"
	"locktop/model/modeltest"
	"locktop/model/store"
)

// desk is a state that is written into a rotation.
type desk struct {
	t    *testing.T
	dir  string
	s    *store.Store
	ring *Rotation
	said []string
}

func newDesk(t *testing.T, change func(*RotationOptions)) *desk {
	t.Helper()
	d := &desk{t: t, dir: filepath.Join(t.TempDir(), "ring"), s: store.New()}
	d.open(change)
	t.Cleanup(func() { _ = d.ring.Close() })
	return d
}

func (d *desk) options(change func(*RotationOptions)) RotationOptions {
	o := RotationOptions{Dir: d.dir, Keep: time.Hour, MaxBytes: LeastBytes,
		Lock: func(f *os.File) (bool, error) {
			err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
			return err == nil, nil
		},
		Tell: func(line string) { d.said = append(d.said, line) }}
	if change != nil {
		change(&o)
	}
	return o
}

func (d *desk) open(change func(*RotationOptions)) {
	d.t.Helper()
	r, err := OpenRotation(d.options(change))
	if err != nil {
		d.t.Fatal(err)
	}
	d.ring = r
}

// take takes events in as the session does: first the state, then the ring.
func (d *desk) take(events ...model.Event) {
	b := model.Batch{Events: events}
	d.s.Apply(b)
	d.ring.Write(b, d.s.Checkpoint)
}

func (d *desk) read() *Folder {
	d.t.Helper()
	p, err := ReadFolder(d.t.Context(), d.dir)
	if err != nil {
		d.t.Fatal(err)
	}
	d.t.Cleanup(func() { _ = p.Close() })
	return p
}

// holds are the keys of a state that hold, and since when: what it knows, in short.
func holds(s *store.Store) string {
	var all []string
	for _, l := range s.Locks() {
		if h := l.Holder(); h != nil {
			all = append(all, fmt.Sprintf("%s since %s, %d handovers", h.Key, l.HeadSince().UTC().Format(time.StampMilli), l.Handovers))
		}
	}
	slices.Sort(all)
	return strings.Join(all, "; ")
}

// folded is what a span comes to.
func folded(t *testing.T, on Span) *store.Store {
	t.Helper()
	s, from := store.New(), on.Segments.Play(Pace{})
	for {
		b, err := from.Next(context.Background(), model.Want{})
		if err == io.EOF {
			return s
		} else if err != nil {
			t.Fatal(err)
		}
		s.Apply(b)
	}
}

// handover lets the next one take /l/…, a second later.
func handover(h *modeltest.History, n int) []model.Event {
	h.Events = nil
	h.Put(float64(n), fmt.Sprintf("/l/%x", n+1), "", model.LeaseID(n+1))
	if n > 1 {
		h.Del(float64(n)+0.5, fmt.Sprintf("/l/%x", n))
	}
	return h.Events
}

func begun(d *desk) *modeltest.History {
	h := modeltest.New()
	h.Loaded(0)
	d.take(h.Events...)
	return h
}

// TestManyFilesAreOneStretch: a state that reads them knows what the one knows that was there.
func TestManyFilesAreOneStretch(t *testing.T) {
	d := newDesk(t, func(o *RotationOptions) { o.PieceBytes = 400 })
	h := begun(d)
	for n := 1; n <= 20; n++ {
		d.take(handover(h, n)...)
	}
	p := d.read()
	if len(p.Spans) != 1 || d.ring.Status().Pieces < 8 {
		t.Fatalf("%d spans in %d pieces", len(p.Spans), d.ring.Status().Pieces)
	}
	if got, want := holds(folded(t, p.Spans[0])), holds(d.s); got != want {
		t.Errorf("read %s, live %s", got, want)
	}
	files, err := os.ReadDir(d.dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		if info, err := f.Info(); err != nil || info.Mode().Perm() != 0o600 {
			t.Errorf("%s: %v, %v", f.Name(), info.Mode(), err)
		}
	}
}

// TestTheOldestGo: the folder never holds more than it may, and what is left begins with what
// was so.
func TestTheOldestGo(t *testing.T) {
	const most = 40 << 10
	d := newDesk(t, func(o *RotationOptions) { o.MaxBytes, o.PieceBytes = most, 2<<10 })
	if err := os.WriteFile(filepath.Join(d.dir, "00000001.txt"), []byte("not ours"), 0o600); err != nil {
		t.Fatal(err)
	}
	h := begun(d)
	for n := 1; n <= 400; n++ {
		d.take(handover(h, n)...)
		var size int64
		files, err := filepath.Glob(filepath.Join(d.dir, "*.*"))
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range files {
			if info, err := os.Stat(f); err == nil && !strings.HasSuffix(f, ".txt") {
				size += info.Size()
			}
		}
		if size > most || size != d.ring.Status().Bytes {
			t.Fatalf("after %d handovers the folder holds %d bytes, may hold %d, says %d", n, size, most, d.ring.Status().Bytes)
		}
	}
	p := d.read()
	if len(p.Spans) != 1 || !p.Spans[0].Begins.After(modeltest.At(100)) {
		t.Fatalf("%d spans from %s", len(p.Spans), p.Spans[0].Begins)
	}
	if got, want := holds(folded(t, p.Spans[0])), holds(d.s); got[:10] != want[:10] || !strings.Contains(got, "/l/191") {
		t.Errorf("read %s, live %s", got, want)
	}
	if _, err := os.Stat(filepath.Join(d.dir, "00000001.txt")); err != nil {
		t.Errorf("a file of somebody else: %v", err)
	}
}

// TestWhatIsTooOldGoes: by a clock that nobody sets.
func TestWhatIsTooOldGoes(t *testing.T) {
	d := newDesk(t, func(o *RotationOptions) { o.PieceBytes = 400 })
	h := begun(d)
	for n := 1; n <= 12; n++ {
		d.take(handover(h, n)...)
	}
	for i := range d.ring.old[:2] {
		d.ring.old[i].ended = time.Now().Add(-2 * time.Hour)
	}
	young := d.ring.old[2].seq
	for n := 13; n <= 15; n++ { // a piece ends
		d.take(handover(h, n)...)
	}
	if got := d.ring.old[0].seq; got != young {
		t.Errorf("the oldest piece is %d, want %d", got, young)
	}
}

// TestLocktopBeginsAnew: what another one wrote is a span of its own, its torn end is cut
// off, and both can be asked.
func TestLocktopBeginsAnew(t *testing.T) {
	for _, r := range []struct {
		reason string
		cut    int64
		told   string
	}{{"it was ended", 0, ""}, {"it was killed while it wrote", 7, "was torn: its last"}} {
		d := newDesk(t, nil)
		h := begun(d)
		d.take(handover(h, 1)...)
		d.take(handover(h, 2)...)
		if err := d.ring.Close(); err != nil {
			t.Fatal(err)
		}
		log := d.ring.old[len(d.ring.old)-1].path()
		info, err := os.Stat(log)
		if err == nil {
			err = os.Truncate(log, info.Size()-r.cut)
		}
		if err != nil {
			t.Fatal(err)
		}
		if p := d.read(); len(p.Spans) != 1 || (p.Spans[0].Segments.Cut != nil) != (r.cut > 0) {
			t.Errorf("%s: before: %+v", r.reason, p.Spans)
		}
		d.s = store.New()
		d.open(nil)
		h = begun(d)
		d.take(handover(h, 1)...)
		p := d.read()
		if len(p.Spans) != 2 || p.Spans[0].Segments.Cut != nil || p.Spans[1].Segments.Cut != nil {
			t.Fatalf("%s: %+v", r.reason, p.Spans)
		}
		if got, want := holds(folded(t, p.Spans[1])), holds(d.s); got != want {
			t.Errorf("%s: read %s, live %s", r.reason, got, want)
		}
		if said := strings.Join(d.said, "\n"); !strings.Contains(said, r.told) || r.told == "" && said != "" {
			t.Errorf("%s: said %q", r.reason, said)
		}
	}
}

func TestOneWritesIntoAFolder(t *testing.T) {
	d := newDesk(t, nil)
	if _, err := OpenRotation(d.options(nil)); err == nil || !strings.Contains(err.Error(), "another locktop") {
		t.Errorf("a second one: %v", err)
	}
	h := begun(d)
	d.take(handover(h, 1)...)
	if got := d.ring.Status(); got.Err != nil || len(d.read().Spans) != 1 {
		t.Errorf("the first one: %+v", got)
	}
}

// TestAStateThatIsNotWholeSaysNothing: whoever was killed while it wrote the first of a file leaves
// frames that are whole, and not the state.
func TestAStateThatIsNotWholeSaysNothing(t *testing.T) {
	dir := t.TempDir()
	f, err := os.Create(filepath.Join(dir, "00000007.rec"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	h := modeltest.New()
	h.Loaded(0)
	r := NewRecorder(f, Options{})
	if err := r.WriteBase(h.Events); err != nil {
		t.Fatal(err)
	}
	if _, err := ReadFolder(t.Context(), dir); !errors.Is(err, errNoRotation) {
		t.Errorf("part of a state: %v", err)
	}
	if err := r.Write(model.Batch{Events: []model.Event{model.Tick{At: modeltest.At(1)}}}); err != nil {
		t.Fatal(err)
	}
	p, err := ReadFolder(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	if len(p.Spans) != 1 || p.Spans[0].Segments.Len() != len(h.Events)+1 {
		t.Errorf("all of it: %+v", p.Spans)
	}
}

// disk is one with so much room. What a write has no room for is written in part.
type disk struct{ room int }

type onDisk struct {
	*os.File
	d *disk
}

func (f onDisk) Write(p []byte) (int, error) {
	n := min(len(p), max(0, f.d.room))
	f.d.room -= n
	written, err := f.File.Write(p[:n])
	if err == nil && n < len(p) {
		err = &os.PathError{Op: "write", Path: f.Name(), Err: syscall.ENOSPC}
	}
	return written, err
}

// TestTheDiskIsFull: the state goes on, what is not written is counted and said once, and it
// is written again as soon as there is room: a span of its own.
func TestTheDiskIsFull(t *testing.T) {
	d, full := (*desk)(nil), &disk{room: 1 << 20}
	d = newDesk(t, func(o *RotationOptions) {
		o.create = func(name string) (file, error) {
			f, err := os.OpenFile(name, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
			return onDisk{f, full}, err
		}
	})
	h := begun(d)
	d.take(handover(h, 1)...)
	full.room = 10
	for n := 2; n < 5; n++ {
		d.take(handover(h, n)...)
	}
	s := d.ring.Status()
	if !errors.Is(s.Err, syscall.ENOSPC) || s.Lost != 6 || s.Failures != 1 || len(d.said) != 1 || !strings.Contains(d.said[0], "has stopped: ") {
		t.Errorf("%+v, %q", s, d.said)
	}
	if p := d.read(); len(p.Spans) != 1 || p.Spans[0].Segments.Cut != nil || holds(folded(t, p.Spans[0])) == holds(d.s) {
		t.Errorf("what was written is not whole: %+v", p.Spans)
	}
	d.ring.retry = time.Time{} // the time is over, and there is no room
	d.take(handover(h, 5)...)
	if s := d.ring.Status(); s.Err == nil || len(d.said) != 1 {
		t.Errorf("%+v, %q", s, d.said)
	}
	full.room, d.ring.retry = 1<<20, time.Time{}
	d.take(handover(h, 6)...)
	d.take(handover(h, 7)...)
	if s := d.ring.Status(); s.Err != nil || s.Lost != 10 || len(d.said) != 2 || !strings.Contains(d.said[1], "recording again") {
		t.Errorf("%+v, %q", s, d.said)
	}
	p := d.read()
	if len(p.Spans) != 2 {
		t.Fatalf("%d spans", len(p.Spans))
	}
	if got := holds(folded(t, p.Spans[1])); !strings.HasPrefix(got, "/l/8 ") {
		t.Errorf("read %s, live %s", got, holds(d.s))
	}
}

// TestWhatIsTakenAwayIsMissed: files without a name are read by nobody. What went with them counts
// as lost, and it is written again into what is there.
func TestWhatIsTakenAwayIsMissed(t *testing.T) {
	for _, r := range []struct {
		reason string
		takes  func(d *desk) error
		says   string
		lost   int
	}{
		{"the folder, by who cleans up", func(d *desk) error { return os.RemoveAll(d.dir) }, "lock: no such file", 5},
		{"the file that is written", func(d *desk) error { return os.Remove(d.ring.now.path()) }, "rec is gone", 5},
		{"the lock, so that another one could write, too", func(d *desk) error { return os.Remove(filepath.Join(d.dir, "lock")) }, "lock: no such file", 0},
		{"the folder is another one", func(d *desk) error {
			err := os.Rename(d.dir, d.dir+"-before")
			if err == nil {
				err = os.Mkdir(d.dir, 0o700)
			}
			if err == nil {
				err = os.WriteFile(filepath.Join(d.dir, "lock"), nil, 0o600)
			}
			return err
		}, "is another file now", 5},
	} {
		t.Run(r.reason, func(t *testing.T) {
			d := newDesk(t, nil)
			h := begun(d)
			d.take(handover(h, 1)...)
			if err := r.takes(d); err != nil {
				t.Fatal(err)
			}
			d.ring.looked = time.Time{}
			d.take(handover(h, 2)...)
			if s := d.ring.Status(); s.Err == nil || s.Failures != 1 || s.Lost != r.lost || len(d.said) != 1 || !strings.Contains(d.said[0], r.says) {
				t.Errorf("it says %+v, %q; want %d lost", s, d.said, r.lost)
			}
			d.ring.retry = time.Time{}
			d.take(handover(h, 3)...)
			d.take(handover(h, 4)...)
			d.ring.looked = time.Time{}
			d.take(handover(h, 5)...)
			if s := d.ring.Status(); s.Err != nil || s.Failures != 1 || len(d.said) != 2 {
				t.Errorf("afterwards it says %+v, %q", s, d.said)
			}
			if err := d.ring.Close(); err != nil {
				t.Error(err)
			}
			p := d.read()
			if got := holds(folded(t, p.Spans[len(p.Spans)-1])); !strings.HasPrefix(got, "/l/6 ") {
				t.Errorf("read %s, live %s", got, holds(d.s))
			}
			d.open(nil) // for who closes it
		})
	}
	d := newDesk(t, nil)
	h := begun(d)
	if err := os.Remove(filepath.Join(d.dir, "lock")); err != nil {
		t.Fatal(err)
	}
	other, err := OpenRotation(d.options(nil))
	if err != nil {
		t.Fatal(err)
	}
	defer other.Close()
	for n := range 2 {
		d.ring.looked, d.ring.retry = time.Time{}, time.Time{}
		d.take(handover(h, n+1)...)
	}
	if s := d.ring.Status(); s.Err == nil || !strings.Contains(s.Err.Error(), "another locktop") {
		t.Errorf("it writes into the folder of another: %+v", s)
	}
}

// TestTheClockIsSet: a span has the time of its beginning throughout, the next one has the
// new time, and the order is that in which it was written. A clock that is a little off is no
// span.
func TestTheClockIsSet(t *testing.T) {
	for _, r := range []struct {
		by    time.Duration
		spans int
	}{{-time.Hour, 2}, {time.Hour, 2}, {-100 * time.Millisecond, 1}} {
		set := time.Duration(0)
		steady := func() time.Time { return time.Now().Round(0) }
		d := newDesk(t, func(o *RotationOptions) {
			o.Now, o.wall = steady, func(now time.Time) time.Time { return now.Add(set) }
		})
		put := func(n int) {
			rev := int64(100 + n)
			d.take(model.Committed{At: steady(), Rev: rev, Changes: []model.Change{{KV: model.KV{Key: fmt.Sprintf("/l/%x", n), CreateRev: rev, ModRev: rev, Version: 1, Lease: model.LeaseID(n)}}}})
		}
		now := steady()
		d.take(model.Requested{At: now, Prefixes: []string{"/"}}, model.LoadStarted{At: now, Prefix: "/", Rev: 100}, model.Loaded{At: now, Prefix: "/", Rev: 100})
		put(1)
		set = r.by
		put(2)
		put(3)
		p := d.read()
		if len(p.Spans) != r.spans || d.ring.Status().Steps != r.spans-1 {
			t.Fatalf("by %s: %d spans, %+v", r.by, len(p.Spans), d.ring.Status())
		}
		last := p.Spans[r.spans-1]
		if off := time.Until(last.Ends) - set; r.spans == 2 && off.Abs() > 10*time.Second {
			t.Errorf("by %s: the last span ends %s from the time that the clock shows", r.by, off)
		}
		if first := p.Spans[0]; first.Ends.Sub(now).Abs() > 10*time.Second {
			t.Errorf("by %s: the first span ends at %s, it was %s", r.by, first.Ends, now)
		}
		if s := folded(t, last); s.Lock("/l").Behind() != 2 {
			t.Errorf("by %s: %s", r.by, holds(s))
		}
	}
}

// TestDamageIsAGap: what follows in another file can be asked, from its base on.
func TestDamageIsAGap(t *testing.T) {
	d := newDesk(t, func(o *RotationOptions) { o.PieceBytes = 400 })
	h := begun(d)
	for n := 1; n <= 12; n++ {
		d.take(handover(h, n)...)
	}
	log := d.ring.old[1].path()
	text, err := os.ReadFile(log)
	if err != nil {
		t.Fatal(err)
	}
	text[len(text)-3] ^= 1
	if err := os.WriteFile(log, text, 0o600); err != nil {
		t.Fatal(err)
	}
	p := d.read()
	if len(p.Spans) != 2 || p.Spans[0].Segments.Cut == nil || p.Spans[1].Segments.Cut != nil {
		t.Fatalf("%+v", p.Spans)
	}
	if got := holds(folded(t, p.Spans[1])); !strings.HasPrefix(got, "/l/d ") {
		t.Errorf("read %s, live %s", got, holds(d.s))
	}
}

func TestAFolderWithoutARotation(t *testing.T) {
	if _, err := ReadFolder(t.Context(), t.TempDir()); !errors.Is(err, errNoRotation) {
		t.Error(err)
	}
}

// TestWhatIsNoFileIsAGap, and not waited for: neither who reads nor who goes on writing hangs
// at a pipe that nobody writes to, or reads what has no end.
func TestWhatIsNoFileIsAGap(t *testing.T) {
	for what, put := range map[string]func(name string) error{
		"a pipe":     func(name string) error { return syscall.Mkfifo(name, 0o600) },
		"an endless": func(name string) error { return os.Symlink("/dev/zero", name) },
		"a folder":   func(name string) error { return os.Mkdir(name, 0o700) },
	} {
		d := newDesk(t, func(o *RotationOptions) { o.PieceBytes = 400 })
		h := begun(d)
		for n := 1; n <= 12; n++ {
			d.take(handover(h, n)...)
		}
		if p := d.read(); len(p.Spans) != 1 {
			t.Fatalf("before: %+v", p.Spans)
		}
		log := d.ring.old[1].path()
		if err := errors.Join(os.Remove(log), put(log)); err != nil {
			t.Fatal(err)
		}
		p := d.read()
		if len(p.Spans) != 2 || p.Spans[0].Segments.Cut == nil || p.Spans[1].Segments.Cut != nil {
			t.Errorf("%s: %+v", what, p.Spans)
		}
		if err := d.ring.Close(); err != nil {
			t.Error(err)
		}
		d.open(nil)
	}
}
