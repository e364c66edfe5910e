package pages

import (
	"locktop/ui/page"
	"locktop/ui/page/findingspage"
	"locktop/ui/page/journalpage"
	"locktop/ui/page/labpage"
	"locktop/ui/page/lockspage"
	"locktop/ui/page/outputpage"
	"locktop/ui/page/sessionspage"
	"locktop/ui/page/timepage"
)

// All are all pages, in the order of their digits. This is the one place to add one.
func All(locks *page.LockList) []page.Page {
	list, queue := lockspage.New(locks)
	return []page.Page{
		list,
		queue,
		sessionspage.New(),
		journalpage.New(),
		findingspage.New(),
		labpage.New(),
		outputpage.New(),
		timepage.New(),
	}
}
