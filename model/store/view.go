package store

import (
	"time"

	"locktop/model"
	"locktop/model/findings"
	"locktop/model/journal"
	"locktop/model/locks"
	"locktop/model/reports"
	"locktop/model/timeline"
)

// View answers what is known, and changes nothing: whoever shows or judges gets this, and not the
// store. It tells what is so now, also after later batches. While nobody applies, several may ask
// of the locks that Locks returned their queues, claims, findings and identities.
type View struct {
	locks    *locks.State
	reports  *reports.Reports
	findings *findings.Set
	timeline *timeline.Timeline
	drill    *reports.DrillRun
	versions versions
}

// Now returns the time of the last event.
func (v *View) Now() time.Time { return v.locks.Now() }

// Version rises with every change of any lock, and of what is found.
func (v *View) Version() uint64 { return v.versions.last }

// VersionOf rises with every change of a lock, its claims or findings, and when a lease turns
// well or unwell. A reading that only says how much is left changes nothing.
func (v *View) VersionOf(l *locks.Lock) uint64 { return v.versions.byLock[l] }

// Rev returns the last revision that is known of. The keys may be behind it.
func (v *View) Rev() int64 { return v.locks.Rev() }

// KeysRev returns the revision up to which the keys are known, 0 before the first list.
func (v *View) KeysRev() int64 { return v.locks.KeysRev() }

// Locks returns the locks by name. Several may read them while nobody applies.
func (v *View) Locks() []*locks.Lock { return v.locks.Keys.Locks() }

// Lock returns a lock by name, nil if there is none.
func (v *View) Lock(name string) *locks.Lock { return v.locks.Keys.Lock(name) }

// Claim returns the claim of a key, nil if there is none.
func (v *View) Claim(key string) *locks.Claim { return v.locks.Keys.Claim(key) }

// Counts returns the numbers of watched keys, and of those that are claims of a lock.
func (v *View) Counts() (keys, claims int) { return v.locks.Keys.Counts() }

// NoValues says whether values of keys are left out of what is told.
func (v *View) NoValues() bool { return v.locks.Keys.NoValues() }

// Bare returns the prefixes that were listed and have no lock, by name. It looks at every key.
func (v *View) Bare() []locks.Bare { return v.locks.Bare() }

// Expectations returns what was declared of locks, with what is there.
func (v *View) Expectations() []locks.Expectation { return v.locks.Expectations() }

// Lease returns a lease on which something hangs or hung a moment ago, nil if there is none.
func (v *View) Lease(id model.LeaseID) *locks.Lease { return v.locks.Leases.Lease(id) }

// Leases returns all leases, in no order. It is not a copy: only for reading.
func (v *View) Leases() []*locks.Lease { return v.locks.Leases.Leases() }

// UnreadLeases returns the leases that could not be read.
func (v *View) UnreadLeases() []*locks.Lease { return v.locks.Leases.UnreadLeases() }

// KeysNeeded returns the leases of which it is to be known what hangs on them, and is not.
func (v *View) KeysNeeded() []model.LeaseID { return v.locks.Leases.KeysNeeded() }

// GrantedBy names the member that granted a lease, "" if its number does not tell.
func (v *View) GrantedBy(id model.LeaseID) string { return v.locks.Members.GrantedBy(id) }

// Identity says who the claim of a reference belongs to.
func (v *View) Identity(r model.ClaimRef) locks.Identity { return v.locks.Owners.Identity(r) }

// IdentityOf says who a claim belongs to that is there, without a search for it.
func (v *View) IdentityOf(c *locks.Claim) locks.Identity { return v.locks.Owners.IdentityOf(c) }

// Who names a claim for a sentence or a narrow column: its identity, else its lease, else its key.
func (v *View) Who(r model.ClaimRef) string { return v.locks.Owners.Who(r) }

// Cluster returns the last round of status requests, zero before the first.
func (v *View) Cluster() model.ClusterStatus { return v.locks.Members.Cluster() }

// Leads returns who led the cluster, one after the other.
func (v *View) Leads() []locks.Lead { return v.locks.Members.Leads() }

// Rounds returns the rounds of status requests of the last minute, the oldest first.
func (v *View) Rounds() []model.ClusterStatus { return v.locks.Members.Rounds() }

// Coverage returns how far each prefix is listed and followed.
func (v *View) Coverage() *locks.Prefixes { return v.locks.Prefixes }

// CoverageGaps returns what is not known of the prefixes as they were at a time, and of the
// leases. For a single look the time is zero.
func (v *View) CoverageGaps(at time.Time, leases []model.LeaseID) []locks.CoverageGap {
	return locks.CoverageGaps(v.locks, at, leases)
}

// Journal returns the journal, oldest first: the last 10,000 entries at least, as far as there
// are any.
func (v *View) Journal() []*journal.Entry { return v.locks.Journals.Journal() }

// JournalAfter returns the entries that are still kept with a number above seq, oldest first.
func (v *View) JournalAfter(seq uint64) []*journal.Entry { return v.locks.Journals.JournalAfter(seq) }

// JournalVersion rises when an entry is added or its cause becomes known.
func (v *View) JournalVersion() uint64 { return v.locks.Journals.JournalVersion() }

// Sees says whether the effect of an action stands in the journal.
func (v *View) Sees(o model.Outcome) bool { return v.locks.Journals.Sees(o) }

// Knows says whether an action was told already.
func (v *View) Knows(o model.Outcome) bool { return v.locks.Journals.Knows(o) }

// StoryVersion rises when entries become parts of another one, or stop being that.
func (v *View) StoryVersion() uint64 { return v.locks.Journals.StoryVersion() }

// Findings returns every finding, of the cluster first, then of the locks, the worst first and by
// name.
func (v *View) Findings() []model.Finding { return v.findings.Findings() }

// FindingsOf returns what was found of a lock, the worst first. Several may ask while nobody applies.
func (v *View) FindingsOf(l *locks.Lock) []model.Finding { return v.findings.FindingsOf(l) }

// ClusterFindings returns the findings of the cluster as a whole.
func (v *View) ClusterFindings() []model.Finding { return v.findings.ClusterFindings() }

// CountFindings returns how many findings there are of each severity.
func (v *View) CountFindings() (errors, warnings, infos int) { return v.findings.CountFindings() }

// Ring returns the sessions of the deadlock that was found of a lock, in their order, nil if none
// was.
func (v *View) Ring(l *locks.Lock) []findings.Link { return v.findings.Ring(l) }

// StoriesOf returns the findings of the cluster and of the locks that are asked about, nil for
// all. Those that are one story have its number and their count, which the locks have from then on.
func (v *View) StoriesOf(asked func(*locks.Lock) bool) []model.Finding {
	return v.findings.StoriesOf(asked)
}

// Heads returns how many findings there are, and those that a list shows: what belongs to no story, and of
// each story the one that is chosen, else the first. Only those with keep count, nil for all. They are no
// copies: only for reading.
func (v *View) Heads(keep, chosen func(*model.Finding) bool) (heads []*model.Finding, of int) {
	return v.findings.Heads(keep, chosen)
}

// StoryWords say of findings that are one story how many locks they are about, and which.
func (v *View) StoryWords(parts []model.Finding) string { return v.findings.StoryWords(parts) }

// QuietWords say of a lock of which nothing is found how it is, and what it takes to move.
func (v *View) QuietWords(l *locks.Lock) []model.Message { return v.findings.QuietWords(l) }

// Verdict returns the worst of what is wrong, and false while nothing is.
func (v *View) Verdict() (findings.Verdict, bool) { return v.findings.Verdict() }

// Reports returns what programs and the proxy say.
func (v *View) Reports() reports.View { return v.reports }

// Timeline returns when each claim waited and held.
func (v *View) Timeline() timeline.View { return v.timeline }

// Drill returns the drill, or lesson, that is played, as it is now.
func (v *View) Drill() reports.DrillRun { return *v.drill }
