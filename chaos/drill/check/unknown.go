package check

import (
	"cmp"
	"fmt"
	"strings"

	"locktop/chaos/drill"
	"locktop/model"
)

// What would make something known that is not.
const (
	whichClaim = "let it say its key or lease (in JSON: \"key\", \"lease\")"
	onceMore   = "run it once more: etcd could not be watched"
	stillOpen  = "let the run go on"
	leaseRead  = "let the lease of the holder be read before it goes: pause for a second before the fault"
	callSeen   = "let the program of the holder go through locktop's proxy, which sees who deletes"
	handsNow   = "let the lock change hands"
	guarded    = "give contenders guarded: true"
	lessToDo   = "run it again, on a machine with less to do"
	mendFirst  = "mend what is violated: the steps after it were left out"
	lookAgain  = "run it again: the steps after what looked violated were left out, and whether it was is not known"
	toItsEnd   = "let it run to its end: it was interrupted"
)

// What to mend in a program.
const (
	mendStop   = "end the work when the session or the lease ends, by a clock of your own too, and let what is written to refuse an older revision"
	mendWrites = "end all that writes before the program says that it stopped"
	mendLetGo  = "unlock, or end the session, when the program is asked to end (SIGTERM)"
)

// MendEnd is what to mend in a program that ended by itself where it was to go on.
const MendEnd = "ask again after an error, or have the program started anew: it ended by itself"

// wouldTell is what would make known what a program believes that is silent: words where it is
// asked, or else a meaning of what it prints.
func (ck *Checker) wouldTell(name string) string {
	name = drill.Process(name)
	row, _ := ck.d.Lab.Contender(name)
	switch {
	case ck.programs[name] != nil && ck.programs[name].elsewhere != "":
		from := ck.programs[name].elsewhere
		return fmt.Sprintf("say --belief '%s:/REGEX/=holding,/REGEX/=idle': your pattern matches its %[1]s", from)
	case row.Program != nil && row.Program.Probe == "" && len(row.Program.Rules) > 0:
		return "let a pattern of --belief match a line that it prints, and let it write each line at once: many keep what they print while nobody looks"
	case row.Program == nil || row.Program.Probe == "":
		return "say by --belief 'stdout:/REGEX/=holding,/REGEX/=idle', or stderr: in the place of stdout:, what its output means, or let it print JSON lines"
	}
	from := row.Program.Source(name)
	if len(row.Program.Rules) > 0 {
		return fmt.Sprintf("let a pattern of --belief 'answer:/REGEX/=holding,/REGEX/=idle' match its %s", from)
	}
	return fmt.Sprintf("let its %s say holding, waiting, idle or lost, or say by --belief 'answer:/REGEX/=holding,/REGEX/=idle' what it means", from)
}

// unfinished is what would make known what comes after the step at which the drill ended.
func (ck *Checker) unfinished() string {
	return cmp.Or(ck.rest, fmt.Sprintf("get past step %d, where the drill ended", len(ck.stepped)+1))
}

// untilThen is what would make something known in a drill that got through.
func (ck *Checker) untilThen(known string) string {
	if ck.finished && !ck.all {
		return ck.unfinished()
	}
	return known
}

// nobody is what would make known what nobody spoke of.
func (ck *Checker) nobody() string {
	known := "let a contender say that it holds"
	for name := range ck.programs {
		if ck.silent(name) {
			known = ck.wouldTell(name)
		}
	}
	return ck.untilThen(known)
}

// Mute is what would make the belief of a contender known, "" if it is no program that is silent.
func (ck *Checker) Mute(name string) string {
	if ck.silent(name) {
		return ck.wouldTell(name)
	}
	return ""
}

// Lacks says what would let a program be seen to compete for a lock, "" if that is not known:
// its key may have another name, or be another kind of lock than was said.
func (ck *Checker) Lacks(name, lock string) string {
	name = drill.Process(name)
	p, l := ck.programs[name], ck.locks[lock]
	if p == nil || l == nil {
		return ""
	}
	row, _ := ck.d.Lab.Contender(name)
	queues := row.Recipe != "single"
	key := ""
	for _, c := range l.claims {
		if ck.owner(c) == name {
			key = c.key
		}
	}
	switch below := strings.HasPrefix(key, lock+"/"); {
	case queues && key == lock:
		return fmt.Sprintf("say --single-key: the lock of %s is the one key %s", name, model.Printable(key))
	case !queues && below:
		return fmt.Sprintf("leave --single-key out: the lock of %s is a queue, and its key is %s", name, model.Printable(key))
	case key != "":
		return ""
	case p.leased != "":
		flags := "--lock " + model.Printable(p.leased) + " --single-key"
		if p.ofQueue != "" {
			flags = "--lock " + model.Printable(p.ofQueue)
		}
		return fmt.Sprintf("give %s the lock's name, {lock}, or say its own, %s: it put the key %s with a lease", name, flags, model.Printable(p.leased))
	case !ck.grants(name) && len(p.puts) == 0:
		if d := ck.idled(ck.start, ck.now, name); d > 0 && 3*d >= ck.now.Sub(ck.start) {
			return fmt.Sprintf("%s: %s asked nothing of etcd, and had no processor for %.1f s", lessToDo, name, d.Seconds())
		}
		return fmt.Sprintf("let %s find etcd at ETCD_ENDPOINTS, or at {endpoints}, or say --starts-within where it takes long to come up: it asked nothing of it", name)
	}
	return ""
}

// grants says whether a process was granted a lease.
func (ck *Checker) grants(name string) bool {
	for _, who := range ck.owners {
		if who == name {
			return true
		}
	}
	return false
}
