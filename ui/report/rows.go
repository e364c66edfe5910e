package report

import (
	"strconv"
	"time"

	"locktop/model"
)

// wideHead are the columns that wide adds for a claim, wideCells what is in them.
var wideHead = []string{"KEY", "CREATED", "LEASE ID", "GRANTED", "LEFT", "RENEWED"}

func wideCells(c *model.Claim, now time.Time) []string {
	if c == nil {
		return []string{"-", "-", "-", "-", "-", "-"}
	}
	return append([]string{model.Printable(c.Key), strconv.FormatInt(c.CreateRev, 10), leaseID(c)}, readingCells(c, now)...)
}

// readingHead are the columns of the reading of a lease, readingCells what is in them.
var readingHead = []string{"GRANTED", "LEFT", "RENEWED"}

func readingCells(c *model.Claim, now time.Time) []string {
	l := c.LeaseInfo()
	if l == nil || !l.HasRead || l.Read.Granted <= 0 {
		return []string{"-", "-", "-"}
	}
	renewed := "-"
	if ago, ok := l.Renewed(now); ok {
		renewed = model.Duration(ago, false) + " ago"
	}
	left := l.Read.Remaining
	if left > 0 {
		left, _ = l.Remaining(now)
	}
	return []string{strconv.FormatInt(l.Read.Granted, 10) + "s", strconv.FormatInt(left, 10) + "s", renewed}
}

func leaseID(c *model.Claim) string {
	if c.KV.Lease == 0 {
		return "none"
	}
	return c.KV.Lease.String()
}

// findingRows are findings as a table.
func findingRows(list []model.Finding) [][]string {
	rows := [][]string{{"SEVERITY", "CODE", "CONFIDENCE", "LOCK", "LEASE", "SINCE", "SUMMARY"}}
	for _, f := range list {
		lock, lease := "-", "-"
		if f.Lock != "" {
			lock = model.Printable(f.Lock)
		}
		if f.Lease != 0 {
			lease = f.Lease.String()
		}
		rows = append(rows, []string{string(f.Severity), string(f.Code), string(f.Confidence), lock, lease,
			f.Since.Format(time.RFC3339), f.Summary})
	}
	return rows
}

// locksCSV are locks as records; what is said of a claim is said of the head.
func locksCSV(s *model.State, locks []*model.Lock, now time.Time) [][]string {
	rows := [][]string{{"name", "recipe", "recipe_confidence", "state", "holders", "waiters", "holder", "held", "held_is_lower_bound",
		"longest_wait", "longest_wait_is_lower_bound", "handovers", "key", "create_revision", "lease", "granted", "remaining", "renewed_ago",
		"lease_state", "findings"}}
	for _, l := range locks {
		row := []string{plain(l.Name), l.Recipe().Name, string(l.Recipe().Confidence), guarded(l.Condition().Word), strconv.Itoa(l.Holders()), waitersCSV(l)}
		row = append(row, heldCSV(s, l, now)...)
		row = append(row, waitCSV(l, now)...)
		row = append(row, strconv.Itoa(l.Stats().Handovers))
		row = append(row, headCSV(l.Head(), now)...)
		var codes []string
		for _, f := range l.Findings() {
			codes = append(codes, string(f.Code))
		}
		rows = append(rows, append(row, joined(codes)))
	}
	return rows
}

// waitersCSV is empty where waiting leaves no trace.
func waitersCSV(l *model.Lock) string {
	if !l.Recipe().WaitersVisible || !l.Recipe().Judged {
		return ""
	}
	return strconv.Itoa(l.Behind())
}

func heldCSV(s *model.State, l *model.Lock, now time.Time) []string {
	h := l.Holder()
	if h == nil {
		return []string{"", "", ""}
	}
	d, bound := l.HeldFor(now)
	return []string{guarded(s.Who(h.Ref())), secondsCell(d), strconv.FormatBool(bound)}
}

func waitCSV(l *model.Lock, now time.Time) []string {
	d, bound, any := l.LongestWait(now)
	if !any {
		return []string{"", ""}
	}
	return []string{secondsCell(d), strconv.FormatBool(bound)}
}

func headCSV(c *model.Claim, now time.Time) []string {
	if c == nil {
		return make([]string, 7)
	}
	r := readingOf(c.LeaseInfo(), now)
	return []string{plain(c.Key), strconv.FormatInt(c.CreateRev, 10), leaseCell(c.KV.Lease), intIf(r.known, r.granted), intIf(r.known, r.remaining),
		secondsIf(r.renewedKnown, r.renewed), string(c.LeaseInfo().State())}
}

// claimsCSV are the claims of a lock as records.
func claimsCSV(s *model.State, l *model.Lock, now time.Time) [][]string {
	rows := [][]string{{"lock", "position", "role", "key", "create_revision", "mod_revision", "version", "lease", "identity", "identity_source",
		"granted", "remaining", "renewed_ago", "lease_state", "since", "since_is_lower_bound", "waits_for", "value"}}
	for c := range placedClaims(l) {
		waitsFor := ""
		if c.ahead != nil {
			waitsFor = plain(c.ahead.Key)
		}
		id, r := s.IdentityOf(c.Claim), readingOf(c.LeaseInfo(), now)
		rows = append(rows, []string{plain(l.Name), strconv.Itoa(c.position), c.role.Name(), plain(c.Key), strconv.FormatInt(c.CreateRev, 10),
			strconv.FormatInt(c.ModRev, 10), strconv.FormatInt(c.Version, 10), leaseCell(c.KV.Lease), guarded(id.Text), id.Source,
			intIf(r.known, r.granted), intIf(r.known, r.remaining), secondsIf(r.renewedKnown, r.renewed), string(c.LeaseInfo().State()), timeCell(c.Since),
			strconv.FormatBool(c.SinceAtLeast), waitsFor, plain(c.Value)})
	}
	return rows
}

// findingsCSV are findings as records.
func findingsCSV(list []model.Finding) [][]string {
	rows := [][]string{{"code", "severity", "confidence", "lock", "lease", "since", "summary", "evidence", "advice", "etcdctl", "alternatives"}}
	for i, f := range findingsOf(list) {
		rows = append(rows, []string{f.Code, f.Severity, f.Confidence, plain(list[i].Lock), guardedPtr(f.Lease), timeCell(f.Since), guarded(f.Summary),
			joined(f.Evidence), joined(f.Advice), joined(f.Etcdctl), joined(f.Alternatives)})
	}
	return rows
}
