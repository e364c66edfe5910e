package locks

import (
	"slices"

	"locktop/model"
	"locktop/model/journal"
)

const (
	ofLockMax = 32     // entries kept of a lock, as long as
	ofAllMax  = 64_000 // all locks together have no more; then
	ofLockFew = 4      // of one about which there is another one
)

// Journals are the journal of all locks and that of each.
type Journals struct {
	scheduler *scheduler
	keys      *Keys
	change    *currentChange
	log       journal.Journal
	lines     int // in the journals of all locks
}

// Record appends an entry to the journal and to that of its lock, and says so.
func (j *Journals) Record(f *journal.Entry) *journal.Entry {
	j.write(f)
	j.change.add(Change{Kind: Happened, Entry: f})
	return f
}

// wroteTogether says that the journal has another entry that tells of many, nil for none.
func (j *Journals) wroteTogether(f *journal.Entry) {
	if f != nil {
		j.change.add(Change{Kind: Happened, Entry: f})
	}
}

// write appends an entry to the journal and to that of its lock.
func (j *Journals) write(f *journal.Entry) {
	if f.At.IsZero() {
		f.At = j.scheduler.now
	}
	if f.Past = j.change.unobserved; !j.change.unseen.IsZero() {
		f.Within = max(0, f.At.Sub(j.change.unseen))
	}
	j.log.Append(f)
	j.toldBefore(f)
	if d := j.keys.dirs[f.Lock]; f.Lock != "" && d != nil && d.lock != nil {
		j.recordOn(d.lock, f)
	}
}

// toldBefore makes an entry a part of one of the same event that says the same of another lock, as
// of each lock of a deadlock, or of a lease: one line tells of all.
func (j *Journals) toldBefore(f *journal.Entry) {
	if f.Kind != journal.Finding || f.Lock == "" {
		return
	}
	for _, first := range j.change.told[:min(len(j.change.told), MaxScan)] {
		if first.Code == f.Code && first.Lock != f.Lock && first.Text.Same(f.Text) {
			first.Locks = max(1, first.Locks) + 1
			f.Story = first.Seq
			return
		}
	}
	j.change.told = append(j.change.told, f)
}

// recordOn appends an entry to the journal of a lock, and drops its oldest ones now and then.
func (j *Journals) recordOn(l *Lock, f *journal.Entry) {
	l.journal = append(l.journal, f)
	j.lines++
	keep := ofLockMax
	if j.lines > ofAllMax {
		keep = ofLockFew
	}
	if old := len(l.journal) - keep; old >= keep {
		l.journal = slices.Delete(l.journal, 0, old)
		j.lines -= old
	}
}

// forget drops the journal of a lock.
func (j *Journals) forget(l *Lock) {
	j.lines -= len(l.journal)
	l.journal = nil
}

// amend returns the entry to change in the place of one, wherever that stands: other states may
// have it too.
func (j *Journals) amend(f *journal.Entry) *journal.Entry {
	own := j.log.Amend(f, j.scheduler.now)
	if l := j.keys.Lock(f.Lock); own != f && l != nil {
		if i := slices.Index(l.journal, f); i >= 0 {
			l.journal[i] = own
		}
		if l.lastLoss == f {
			l.lastLoss = own
		}
	}
	return own
}

// acted takes an action of ours in.
func (j *Journals) acted(o model.Outcome) {
	j.log.Acted(o, j.scheduler.now, j.amend)
	j.Record(&journal.Entry{At: o.At, Rev: o.Rev, Kind: journal.Action, Lock: o.Action.Lock, Text: o.Message(), By: o.By, Broke: o.Done && o.Action.Kind.WritesEtcd()})
}

// Sees says whether the effect of an action stands in the journal.
func (j *Journals) Sees(o model.Outcome) bool { return j.log.Sees(o) }

// Knows says whether an action was told already.
func (j *Journals) Knows(o model.Outcome) bool { return j.log.Knows(o) }

// Journal returns the journal, oldest first: the last 10,000 entries at least, as far
// as there are any.
func (j *Journals) Journal() []*journal.Entry { return j.log.Entries() }

// JournalAfter returns the entries that are still kept with a number above seq, oldest
// first.
func (j *Journals) JournalAfter(seq uint64) []*journal.Entry { return j.log.After(seq) }

// JournalVersion rises when an entry is added or its cause becomes known.
func (j *Journals) JournalVersion() uint64 { return j.log.Version() }

// StoryVersion rises when entries become parts of another one, or stop being that.
func (j *Journals) StoryVersion() uint64 { return j.log.StoryVersion() }
