package main

import "locktop/model"

// finding is a diagnosis of the model.
type finding struct {
	code, severity, confidence string
	lock                       string
	lease                      model.LeaseID
	summary                    string
	evidence                   []string
}

// judged says that the model makes findings.
const judged = true

// findingsOf returns what the model diagnoses now.
func findingsOf(s *model.State) []finding {
	var all []finding
	for _, f := range s.Findings() {
		all = append(all, finding{code: string(f.Code), severity: string(f.Severity), confidence: string(f.Confidence),
			lock: f.Lock, lease: f.Lease, summary: f.Summary, evidence: f.Evidence})
	}
	return all
}
