package drill

import (
	"fmt"
	"strings"
	"time"

	"locktop/model"
)

// LateSlack is how long after its word a program may still write without being told: a part of it
// that works beside the one that speaks hears of the end a moment later.
const LateSlack = 250 * time.Millisecond

// Late are the writes that etcd accepted of a program after it said that it does not hold, or
// after it had ended. Its claims are none: it may let go, and queue again.
type Late struct {
	// Contender is the process. Said is its word, "" if it had ended; Mute is true for one that
	// never said a word, whose claim had gone.
	Contender string
	Said      model.BeliefState
	Mute      bool
	// Writes were asked for later than [LateSlack] after that. OnWay came to the proxy before, and
	// were accepted later. AtLeast: there may have been more, which were too many to remember.
	Writes, OnWay int
	AtLeast       bool
	// Starved were asked for later than that, by no more than the program had no processor: what wrote them may
	// not have had the time to hear of it.
	Starved int
	// Keys are the first of them, escaped for a terminal, and More how many others there are.
	Keys []string
	More int
	// Last is when the last of them was accepted, zero if there is none.
	Last time.Time
}

// LateKeys bounds the keys of [Late].
const LateKeys = 5

// Any says whether there was any.
func (l Late) Any() bool { return l.Writes+l.OnWay > 0 }

// Text says it in a sentence: "etcd accepted 6 writes of a after it said idle: /work".
func (l Late) Text() string {
	when := "after it said " + string(l.Said)
	switch {
	case l.Mute:
		when = "after its claim had gone"
	case l.Said == "":
		when = "after it had ended"
	}
	least := ""
	if l.AtLeast {
		least = "at least "
	}
	on := model.CountOf(l.OnWay, "write")
	var text string
	switch {
	case l.Writes == 0:
		text = fmt.Sprintf("etcd accepted %s%s of %s %s that came to the proxy before", least, on, l.Contender, when)
	case l.OnWay == 0:
		text = fmt.Sprintf("etcd accepted %s%s of %s %s", least, model.CountOf(l.Writes, "write"), l.Contender, when)
	default:
		text = fmt.Sprintf("etcd accepted %s%s of %s %s, and %s that came to the proxy before", least, model.CountOf(l.Writes, "write"), l.Contender, when, on)
	}
	text += ": " + strings.Join(l.Keys, ", ")
	if l.More > 0 {
		text += " and " + model.CountOf(l.More, "more key")
	}
	return text + "; the last at " + model.Clock(l.Last)
}
