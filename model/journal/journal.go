package journal

import (
	"slices"
	"time"

	"locktop/model"
)

const (
	// Max is how many entries are kept in all.
	Max = 10_000

	burst     = 10 * Max         // and of one event before the oldest of them go
	actWindow = 10 * time.Second // how far done and seen may lie apart
	actsMax   = 100
)

// Journal is the journal and what it is written from.
type Journal struct {
	entries      []*Entry
	seq          uint64
	version      uint64
	acts         []model.Outcome
	stories      []*story // that are told together, and may still change
	storyVersion uint64
	parts        []*Entry // memory of WentTogether, empty between revisions
	waiting      waiting
}

// Trim drops the oldest entries, now and then. It happens between two events, so that
// whoever reads the journal after each batch misses nothing of one revision, however many
// keys it took.
func (j *Journal) Trim() {
	if len(j.entries) >= 2*Max {
		j.entries = append([]*Entry(nil), j.entries[len(j.entries)-Max:]...)
	}
}

// Append numbers an entry and writes it down.
func (j *Journal) Append(f *Entry) {
	j.seq++
	f.Seq = j.seq
	j.entries = append(j.entries, f)
	if len(j.entries) >= burst {
		j.Trim()
	}
	j.version++
}

// Seq returns the number of the last entry.
func (j *Journal) Seq() uint64 { return j.seq }

// Entries returns the journal, oldest first: the last 10,000 entries at least, as far as
// there are any.
func (j *Journal) Entries() []*Entry { return j.entries }

// After returns the entries that are still kept with a number above seq, oldest first.
func (j *Journal) After(seq uint64) []*Entry {
	i, _ := slices.BinarySearchFunc(j.entries, seq+1, func(f *Entry, want uint64) int {
		switch {
		case f.Seq < want:
			return -1
		case f.Seq > want:
			return 1
		}
		return 0
	})
	return j.entries[i:]
}

// Version rises when an entry is added or its cause becomes known.
func (j *Journal) Version() uint64 { return j.version }

// Explained says that an entry of the journal was given its cause.
func (j *Journal) Explained() { j.version++ }

// StoryVersion rises when entries become parts of another one, or stop being that.
func (j *Journal) StoryVersion() uint64 { return j.storyVersion }

// Forget closes what is open, since another cluster answers. What happened stays.
func (j *Journal) Forget() {
	for _, f := range j.entries {
		if f.Pending {
			f.Pending = false
			f.Evidence = model.Say("another-cluster-answered", f.Evidence)
		}
	}
	*j = Journal{entries: j.entries, seq: j.seq, version: j.version + 1, storyVersion: j.storyVersion + 1}
}

// ExplainByAct looks for an action of ours that took the claim: the only thing
// that makes a revoke or a delete certain.
func (j *Journal) ExplainByAct(f *Entry) bool {
	for i := len(j.acts) - 1; i >= 0; i-- {
		if took(j.acts[i], f) {
			settleByAct(f, j.acts[i])
			return true
		}
	}
	return false
}

// Amend returns the entry to change in the place of f: itself, or where others may have it too a
// copy that stands in the journal from now on.
func (j *Journal) Amend(f *Entry, now time.Time) *Entry {
	if !f.Quiet(now) {
		return f
	}
	own := *f
	if at := j.After(f.Seq - 1); len(at) > 0 && at[0] == f {
		at[0] = &own
	}
	return &own
}

// Acted takes an action of ours in. The watch may have seen its effect before. amend returns the
// entry to change in the place of one.
func (j *Journal) Acted(o model.Outcome, now time.Time, amend func(*Entry) *Entry) {
	if !o.Done || !o.Action.Kind.WritesEtcd() {
		return
	}
	j.acts = append(j.acts, o)
	if len(j.acts) > actsMax {
		j.acts = append([]model.Outcome(nil), j.acts[1:]...)
	}
	var touched *story
	for i := len(j.entries) - 1; i >= 0; i-- {
		gone := j.entries[i]
		if gone.Kind == Action { // it may have been told late
			continue
		} else if o.At.Sub(gone.At) >= actWindow {
			break
		}
		if took(o, gone) {
			settleByAct(amend(gone), o)
			if gone.story != nil {
				touched = gone.story
			}
		}
	}
	if j.Retell(now); touched != nil && !touched.entry.Pending {
		touched.settle()
	}
}

// Sees says whether the effect of an action stands in the journal, and Knows whether the action does.
func (j *Journal) Sees(o model.Outcome) bool {
	return slices.ContainsFunc(j.entries, func(f *Entry) bool { return took(o, f) && (o.Action.Lock == "" || o.Action.Lock == f.Lock) })
}

// Knows says whether an action was told already.
func (j *Journal) Knows(o model.Outcome) bool {
	return slices.ContainsFunc(j.acts, func(had model.Outcome) bool {
		return had.Rev == o.Rev && had.Action.Kind == o.Action.Kind && had.Action.Lease == o.Action.Lease && had.Action.Lock == o.Action.Lock
	})
}

// took says whether the action took the claim of which the entry says that it went.
func took(o model.Outcome, f *Entry) bool {
	if f.GoneRev == 0 || f.GoneRev != o.Rev {
		return false
	}
	gone := f.Removed()
	switch o.Action.Kind {
	case model.RevokeLease:
		return gone.Lease == o.Action.Lease
	case model.DeleteClaim:
		return gone.Key == o.Action.Key && gone.CreateRev == o.Action.CreateRev
	}
	return false
}

func settleByAct(f *Entry, o model.Outcome) {
	f.Cause = CauseRevoked
	if o.Action.Kind == model.DeleteClaim {
		f.Cause = CauseDeleted
	}
	f.Confidence, f.Pending, f.byUs, f.By = model.Certain, false, true, o.By
	f.Evidence = model.Say("done-from-this-console")
	if f.byLab = o.ByLab; f.byLab {
		f.Evidence = model.Say("detail-lab")
	}
}
