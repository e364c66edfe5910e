// Package findingspage has the page of findings: what is wrong, the worst first, and all about the one
// under the cursor.
package findingspage
