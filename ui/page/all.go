package page

// All are all pages, in the order of their digits. This is the one place to add one.
func All(locks *LockList) []Page {
	list, queue := newLocks(locks)
	return []Page{
		list,
		queue,
		newSessions(),
		newJournal(),
		newFindings(),
		newLab(),
		newOutput(),
		newTime(),
	}
}
