package cli

import (
	"archive/zip"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"locktop/model"
	"locktop/model/store"
	"locktop/ui/cli/session"
	"locktop/watcher/recording"
)

// A bundle is a ZIP file with an incident in it, for a colleague who was not there. Every command that
// takes a recording takes a bundle, too.
const (
	bundledRecording = "recording.rec"
	bundledPage      = "report.html"
	bundledFilm      = "film.cast"
	bundledReadme    = "README.txt"
)

// Bounds of a bundle, and how its film goes.
const (
	bundleMost     = 512 << 20 // bytes of its recording
	bundleFilmMost = 16 << 20
	bundleFilm     = 5 * time.Minute // how long it is about, at most
)

// bundle packs what happened into one file: the recording cut to the locks concerned, and the page,
// the film and the commands that are made of that.
func (rr *reportRun) bundle(ctx context.Context) (err error) {
	if rr.past.file == "" {
		return bad("--bundle packs a part of a recording: name it with --recording FILE (\"locktop record\" and \"locktop serve --record\" make one)")
	}
	if rr.lock != "" {
		rr.past.only.Locks = append(rr.past.only.Locks, spellings(rr.lock)...)
	}
	whole, acts, err := rr.e.happened(ctx, rr.past, rr.actionFiles)
	if err != nil {
		return err
	}
	cut := rr.past
	if cut.only.IsAll() {
		cut.only.Locks = whole.Concerned()
	}
	cut.only.Strict = !cut.only.IsAll()
	dir, err := os.MkdirTemp("", "locktop-bundle-")
	if err != nil {
		return bad("no place to make the bundle: %v", err)
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	rec := filepath.Join(dir, bundledRecording)
	if err := rr.cut(ctx, rec, cut, acts); err != nil {
		return err
	}
	name := filepath.Base(rr.bundleFile)
	page, err := rr.bundledPage(ctx, rec, name)
	if err != nil {
		return err
	}
	film, about, begins, err := rr.bundledFilm(ctx, rec, name)
	if err != nil {
		return err
	}
	file, err := newFile(rr.bundleFile, "the bundle")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	if err := zipUp(file, rec, page, film, rr.readme(name, about, begins, cut.only.Locks)); err != nil {
		return bad("cannot write the bundle: %v", err)
	}
	info, err := file.Stat()
	if err != nil {
		return err
	}
	fmt.Fprintf(rr.e.err, "wrote %s: %d KiB, %s; a colleague opens it by: locktop replay %s\n", model.Printable(rr.bundleFile), (info.Size()+1023)>>10, rr.bundledWords(cut), model.ShellQuote(name))
	return nil
}

// bundledWords say what of the recording is in it.
func (rr *reportRun) bundledWords(cut pastFlags) string {
	said := "all that was recorded"
	if n := len(cut.only.Locks) + len(cut.only.Prefixes); !cut.only.IsAll() {
		said = model.CountOf(n, "lock")
		if len(cut.only.Locks) == 0 {
			said = model.CountOf(n, "prefix")
		}
	}
	switch {
	case rr.names:
		return said + ", names and values masked"
	case !rr.values:
		return said + ", values masked"
	}
	return said + ", with the values of keys"
}

// cut writes the part of a recording that is asked for, with what was done by hand, masked.
func (rr *reportRun) cut(ctx context.Context, to string, past pastFlags, acts []model.Acted) (err error) {
	from, err := openRecorded(ctx, past, recording.Pace{})
	if err != nil {
		return err
	}
	defer from.close()
	file, err := os.OpenFile(to, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return bad("no place to make the bundle: %v", err)
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	r := recording.NewRecorder(file, recording.Options{Mask: recording.Mask{Values: !rr.values, Names: rr.names}, MaxBytes: bundleMost, Lag: time.Hour})
	src := withActs(session.Upto(from.source, from.moment), acts)
	s := store.New(rr.e.pins...)
	began := from.from.IsZero()
	write := func(b model.Batch) error {
		if began {
			return r.Write(b)
		}
		for i, e := range b.Events {
			if !e.When().Before(from.from) {
				if begin, ok := s.Checkpoint(); ok { // what was so by then
					if err := r.Write(model.Batch{Events: begin}); err != nil {
						return err
					}
					began = true
					return r.Write(model.Batch{Events: b.Events[i:]})
				}
			}
			s.Apply(model.Batch{Events: b.Events[i : i+1]})
		}
		return nil
	}
	for {
		b, err := src.Next(ctx, model.Want{})
		if len(b.Events) > 0 {
			if err := write(b); errors.Is(err, recording.ErrFull) {
				return bad("the bundle would have more than %d MiB: cut it by --from, --to, --lock or --prefix", bundleMost>>20)
			} else if err != nil {
				return err
			}
		}
		switch {
		case errors.Is(err, io.EOF):
			if !began {
				return bad("there is nothing in the recording from --from %s on", past.from)
			}
			return r.Close()
		case ctx.Err() != nil:
			return ctx.Err()
		case errors.Is(err, recording.ErrDamaged): // up to there it can be read
			fmt.Fprintf(rr.e.err, "%v; the bundle ends there\n", err)
			return r.Close()
		case err != nil:
			return err
		}
	}
}

// bundledPage is the page about the cut recording, as a colleague sees it.
func (rr *reportRun) bundledPage(ctx context.Context, rec, name string) ([]byte, error) {
	var out bytes.Buffer
	own := *rr.e
	own.out, own.wrap, own.namesMasked = &out, nil, rr.names
	on := reportRun{e: &own, outFlags: rr.outFlags, values: rr.values, names: rr.names, as: name}
	on.output, on.past = "html", pastFlags{file: rec}
	err := on.print(ctx, &recording.Mask{}, []string{})
	if couldNot(err) && out.Len() > 0 { // the page itself says what was not seen
		err = nil
	}
	return out.Bytes(), err
}

// bundledFilm is a film of the cut recording, nil if it would be too large: the page says as much.
func (rr *reportRun) bundledFilm(ctx context.Context, rec, name string) (film []byte, about string, begins time.Time, err error) {
	from, err := openRecorded(ctx, pastFlags{file: rec}, recording.Pace{})
	if err != nil {
		return nil, "", begins, err
	}
	defer from.close()
	segments, err := from.segments(ctx)
	if err != nil {
		return nil, "", begins, bad("%v", err)
	}
	_, end := segments.Until(segments.Parts() - 1)
	speed := max(1, float64(end.Sub(from.begins))/float64(bundleFilm))
	var out bytes.Buffer
	w, err := rr.e.shoot(ctx, segments, filmOptions{speed: speed, idle: 2 * time.Second, width: 120, height: 36, maxBytes: bundleFilmMost}, name, &out)
	switch {
	case ctx.Err() != nil:
		return nil, "", begins, ctx.Err()
	case err != nil:
		return nil, fmt.Sprintf("there is no film: %v", err), from.begins, nil
	}
	length, _, _ := w.Written()
	return out.Bytes(), fmt.Sprintf("%s long, at %.3gx", length.Round(time.Second), speed), from.begins, nil
}

// readme says what is in a bundle, and the commands that show it.
func (rr *reportRun) readme(name, film string, begins time.Time, locks []string) []byte {
	var b strings.Builder
	q := model.ShellQuote(name)
	fmt.Fprintf(&b, "An incident of etcd locks, packed by locktop.\n\n%-14s what happened, when, to which lock, and who ended it: open it in a browser\n", bundledPage)
	fmt.Fprintf(&b, "%-14s what the console showed (%s): asciinema play %s\n", bundledFilm, film, bundledFilm)
	fmt.Fprintf(&b, "%-14s the recording: with locktop, this file is opened as it is\n\n", bundledRecording)
	fmt.Fprintf(&b, "    locktop replay %s\n    locktop doctor --recording %s --from %s\n    locktop events --recording %s\n", q, q, model.ShellQuote(begins.Format(time.DateTime)), q)
	for i, lock := range locks {
		if i == 5 || rr.names {
			break
		}
		fmt.Fprintf(&b, "    locktop describe %s --recording %s\n", model.ShellQuote(lock), q)
	}
	return []byte(b.String())
}

// zipUp writes the file. The recording is packed already, so that it can be read in its place.
func zipUp(to io.Writer, rec string, page, film, readme []byte) (err error) {
	z := zip.NewWriter(to)
	add := func(name string, method uint16, from io.Reader) error {
		w, err := z.CreateHeader(&zip.FileHeader{Name: name, Method: method, Modified: time.Now()})
		if err == nil {
			_, err = io.Copy(w, from)
		}
		return err
	}
	file, err := os.Open(rec)
	if err != nil {
		return err
	}
	defer file.Close()
	err = errors.Join(add(bundledReadme, zip.Deflate, bytes.NewReader(readme)), add(bundledPage, zip.Deflate, bytes.NewReader(page)))
	if film != nil {
		err = errors.Join(err, add(bundledFilm, zip.Deflate, bytes.NewReader(film)))
	}
	return errors.Join(err, add(bundledRecording, zip.Store, file), z.Close())
}

// unbundled is the recording within a bundle, or the file itself if it is none.
func unbundled(file *os.File) (*io.SectionReader, error) {
	info, err := file.Stat()
	if err != nil || !info.Mode().IsRegular() {
		return nil, err
	}
	head := make([]byte, 4)
	if _, err := file.ReadAt(head, 0); err != nil || string(head) != "PK\x03\x04" {
		return nil, nil
	}
	z, err := zip.NewReader(file, info.Size())
	if err != nil {
		return nil, fmt.Errorf("it is a ZIP file that cannot be read: %w", err)
	}
	for _, x := range z.File {
		if x.Name != bundledRecording {
			continue
		}
		at, err := x.DataOffset()
		if err != nil {
			return nil, fmt.Errorf("it is a ZIP file that cannot be read: %w", err)
		}
		size := int64(x.UncompressedSize64)
		if x.Method != zip.Store || size < 0 || at+size > info.Size() {
			return nil, fmt.Errorf("%s in it was packed by another program: unpack it", bundledRecording)
		}
		return io.NewSectionReader(file, at, size), nil
	}
	return nil, fmt.Errorf("it is a ZIP file without %s", bundledRecording)
}

// withActs is a source that tells what was done by hand, too, each before what happened after it.
func withActs(src model.Source, acts []model.Acted) model.Source {
	if len(acts) == 0 {
		return src
	}
	return &actedSource{src, acts}
}

type actedSource struct {
	model.Source
	acts []model.Acted // that were not told, in their order
}

// Next implements model.Source.
func (a *actedSource) Next(ctx context.Context, want model.Want) (model.Batch, error) {
	b, err := a.Source.Next(ctx, want)
	if len(a.acts) == 0 {
		return b, err
	}
	var events []model.Event // those of the batch may be others', too
	for _, e := range b.Events {
		for len(a.acts) > 0 && e.When().After(a.acts[0].At) {
			events, a.acts = append(events, a.acts[0]), a.acts[1:]
		}
		events = append(events, e)
	}
	if err != nil {
		for _, act := range a.acts {
			events = append(events, act)
		}
		a.acts = nil
	}
	b.Events = events
	return b, err
}
