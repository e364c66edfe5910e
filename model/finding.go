package model

import (
	"time"
)

// Severity says how bad a finding is.
type Severity string

// Severities, in falling order.
const (
	SevError   Severity = "error"   // blocks, or lets two hold, now, and does not end by itself
	SevWarning Severity = "warning" // will end, or may harm
	SevInfo    Severity = "info"    // worth knowing
)

func (s Severity) rank() int {
	switch s {
	case SevError:
		return 0
	case SevWarning:
		return 1
	}
	return 2
}

// Compare orders severities, the worst first.
func (s Severity) Compare(t Severity) int { return s.rank() - t.rank() }

// AtLeast says whether s is as bad as t, or worse.
func (s Severity) AtLeast(t Severity) bool { return s.rank() <= t.rank() }

// Finding is a diagnosis. It never claims more than its code allows: see Catalogue.
type Finding struct {
	Code       Code
	Severity   Severity
	Confidence Confidence
	// Lock and Lease are what it is about; a finding of the cluster has neither.
	Lock  string
	Lease LeaseID
	// Claim is the claim that it is about, in the queue of Lock. It names nothing where
	// that claim is gone, or where no claim is to blame.
	Claim ClaimRef
	// Summary is one sentence, Evidence what it rests on, Advice what to do, in
	// order.
	Summary  Message
	Evidence []Message
	Advice   []Message
	// Etcdctl are the lines that show the same by hand.
	Etcdctl []string
	// Alternatives are codes that look the same from outside.
	Alternatives []Code
	// Since is when it was first found.
	Since time.Time
	// Story is the same number for findings that have one cause, Count how many these are;
	// 0 for one by itself, and wherever nobody asked: package findings tells stories.
	Story uint64
	Count int
}

// Same says whether both findings say the same of the same: code, lock, lease and claim.
func (f *Finding) Same(o *Finding) bool {
	return f.Code == o.Code && f.Lock == o.Lock && f.Lease == o.Lease && f.Claim.Same(o.Claim)
}

// Follows says whether f takes the place of o: it is the same, or it is another one about
// the same lease that matters.
func (f *Finding) Follows(o *Finding) bool {
	return f.Same(o) || o.Lease != 0 && f.Lease == o.Lease && f.Severity != SevInfo
}

// About says whether it is about that claim.
func (f *Finding) About(r ClaimRef) bool { return !r.IsZero() && f.Claim.Same(r) }

// ClaimRef names a claim that may be gone. Value is empty for a key that is no
// claim.
type ClaimRef struct {
	Key       string
	CreateRev int64
	Lease     LeaseID
	Value     string
}

// IsZero says whether it names nothing.
func (r ClaimRef) IsZero() bool { return r.Key == "" }

// Same says whether both name the same claim: its lease and its value may have changed.
func (r ClaimRef) Same(o ClaimRef) bool { return r.Key == o.Key && r.CreateRev == o.CreateRev }
