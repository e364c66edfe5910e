package page

// All are all pages, in the order of their digits; lab says that there is one to show. This is the
// one place to add a page.
func All(locks *LockList, lab bool) []Page {
	list, queue := newLocks(locks)
	return []Page{
		list,
		queue,
		newSessions(),
		newJournal(),
		newFindings(),
		newLab(lab),
		newOutput(),
		newTime(),
	}
}
