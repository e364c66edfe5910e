package roles

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"locktop/chaos/drill"
	"locktop/model"
)

// Options are the programs, and what is known of them.
type Options struct {
	Roles []Role
	Rules []Rules
	// Lock is what they compete for, "" for what the drill says.
	Lock string
	// TTL is that of their leases.
	TTL time.Duration
	// Turns: they let go by themselves and come back. Without it they hold the lock for as
	// long as they live.
	Turns bool
	// SingleKey: their lock is one key, and those who wait leave none.
	SingleKey bool
	// StartsWithin is what a program has to come up and ask for the lock; 0 is ten seconds.
	StartsWithin time.Duration
	// StopsWithin is what a program has to stop that lost its lock; 0 is two seconds.
	StopsWithin time.Duration
	// Guards are prefixes of what their lock protects in etcd.
	Guards []string
	// Endpoints is how many members a cluster has that is not ours; 0: it is ours.
	Endpoints int
}

// Assignment is a drill with programs in its roles.
type Assignment struct {
	*drill.Drill
	// NotAsked is what the drill expects of contenders of the lab, and of no program.
	NotAsked []string
}

// Refusal says why a drill cannot be asked of programs.
type Refusal struct{ Reasons []string }

func (r Refusal) Error() string { return strings.Join(r.Reasons, "; ") }

// The defaults of Options.StartsWithin, which the waits of the drills allow, and of Options.StopsWithin.
const (
	startsWithin = 10 * time.Second
	stopsWithin  = 2 * time.Second
)

// longHold is from how long on a contender that holds a lock does not take turns.
const longHold = 10 * time.Second

// Assign puts the programs into a drill, which stays as it is. The error is a [Refusal].
func (o Options) Assign(d *drill.Drill) (Assignment, error) {
	c := &assignment{o: o, from: d, d: new(drill.Drill), hit: map[string]bool{}, held: map[string]bool{}, back: map[string]bool{}, untold: map[string]bool{}, ended: map[string]bool{}, told: map[string]bool{}, roles: map[string][]string{}}
	*c.d = *d
	if c.fill(); len(c.why)+len(c.roles) == 0 {
		c.steps()
		c.inOrder()
	}
	if c.tellRoles(); len(c.why) > 0 {
		return Assignment{}, Refusal{c.why}
	}
	c.expectations()
	c.outlast()
	return Assignment{c.d, c.notAsked}, nil
}

// assignment is a drill on its way. from is as it was, d as it will be.
type assignment struct {
	o        Options
	from, d  *drill.Drill
	why      []string
	roles    map[string][]string // by why their part cannot be asked
	notAsked []string
	lock     string // that is renamed; "" for none
	extra    time.Duration
	hit      map[string]bool // roles that a fault is done to, and that live
	held     map[string]bool // those that a wait saw hold: one that lost its lock need not come back
	together [][]string      // those that a wait sees behind the holder, where there are several
	back     map[string]bool // those that a fault is done to before they held
	untold   map[string]bool // those whose claim somebody else takes away: they hear of it when they look
	ended    map[string]bool // those that were asked to end, or killed, and not started again
	told     map[string]bool // those that a step tells what to do, with a program in them
	moved    []int           // of each step, what its number has become
}

func (a *assignment) refuse(format string, args ...any) {
	if why := fmt.Sprintf(format, args...); !slices.Contains(a.why, why) {
		a.why = append(a.why, why)
	}
}

// cannot says why the part of a role cannot be asked of a program.
func (a *assignment) cannot(role, format string, args ...any) {
	why := fmt.Sprintf(format, args...)
	a.roles[why] = append(a.roles[why], role)
}

// tellRoles says of which roles that is, those of one kind together.
func (a *assignment) tellRoles() {
	for _, why := range slices.Sorted(maps.Keys(a.roles)) {
		names := a.roles[why]
		if len(names) > 1 {
			why = "each " + why
		}
		a.refuse("%s %s", strings.Join(names, ", "), why)
	}
}

// fill puts the programs into their roles.
func (a *assignment) fill() {
	used := map[string]bool{}
	a.d.Lab.Contenders = slices.Clone(a.from.Lab.Contenders)
	locks := map[string]bool{}
	for i := range a.d.Lab.Contenders {
		row := &a.d.Lab.Contenders[i]
		at := slices.IndexFunc(a.o.Roles, func(r Role) bool { return r.Name == row.Name })
		if at < 0 {
			at = slices.IndexFunc(a.o.Roles, func(r Role) bool { return r.Name == "" })
		}
		if at < 0 {
			continue
		}
		used[a.o.Roles[at].Name] = true
		row.Program = &drill.Program{Command: a.o.Roles[at].Command, Rules: a.rules(row.Name), Probe: a.probe(row.Name)}
		a.role(row)
		for _, l := range row.Locks {
			locks[l] = true
		}
	}
	a.askedTwice()
	var rows []string
	for _, row := range a.d.Lab.Contenders {
		rows = append(rows, row.Name)
	}
	for _, r := range a.o.Roles {
		if !used[r.Name] {
			a.refuse("it has no role %s: its roles are %s", cmp.Or(r.Name, "that is left"), strings.Join(rows, ", "))
		}
	}
	for _, r := range a.o.Rules {
		if r.Role != "" && !slices.Contains(rows, r.Role) {
			a.refuse("it has no role %s to believe anything: its roles are %s", r.Role, strings.Join(rows, ", "))
		}
	}
	if a.o.Lock != "" && len(locks) > 1 {
		a.refuse("its programs compete for several locks (%s), and --lock names one", strings.Join(slices.Sorted(maps.Keys(locks)), ", "))
	}
	for lock := range locks {
		a.shared(lock)
		for _, prefix := range a.o.Guards {
			if lock := a.renamed(lock); !a.o.SingleKey && (prefix == lock || strings.HasPrefix(prefix, lock+"/")) {
				a.refuse("--guards %s: the keys below the lock %s are the places of those who want it; say where they write", model.Printable(prefix), model.Printable(lock))
			}
		}
	}
}

// rules are those for a role.
func (a *assignment) rules(role string) []drill.Rule {
	var all []drill.Rule
	for _, r := range a.o.Rules {
		if r.Role == "" || r.Role == role {
			all = append(all, r.Rules...)
		}
	}
	return all
}

// askedTwice refuses to ask two processes at one place: nobody could tell whose answer it is.
func (a *assignment) askedTwice() {
	names := map[string][]string{}
	for _, row := range a.d.Lab.Contenders {
		if row.Program == nil || row.Program.Probe == "" {
			continue
		}
		for _, name := range row.Names() {
			at, _ := row.Program.ProbeOf(name)
			names[at] = append(names[at], name)
		}
	}
	for _, at := range slices.Sorted(maps.Keys(names)) {
		if who := names[at]; len(who) > 1 {
			a.refuse("%s would all be asked at %s: say a place for each, ROLE=..., or {role} in it (--belief)", strings.Join(who, ", "), model.Printable(at))
		}
	}
}

// probe is where the program in a role is asked, "" for nowhere.
func (a *assignment) probe(role string) (at string) {
	for _, r := range a.o.Rules {
		if r.Probe != "" && (r.Role == role || r.Role == "" && at == "") {
			at = r.Probe
		}
	}
	return at
}

// role says what of a role no program can do, and gives it the lease of the program.
func (a *assignment) role(row *drill.Contender) {
	least := cmp.Or(row.TTL, 5*time.Second)
	switch {
	case row.Manual && a.o.Turns:
		a.cannot(row.Name, "lets go when a step tells it, and a program that takes turns (--turns) when it wants")
	case row.Manual && a.cannotTell(row.Name) != "":
		a.cannot(row.Name, "is told to %s, and a program can be started and asked to end", a.cannotTell(row.Name))
	case len(row.Locks) > 1:
		a.cannot(row.Name, "takes %d locks with one session", len(row.Locks))
	case row.Workers > 1:
		a.cannot(row.Name, "is %d workers with one session", row.Workers)
	case row.IgnoreDone:
		a.cannot(row.Name, "is to ignore that its session ended")
	case row.NoLease:
		a.cannot(row.Name, "is to have no lease")
	case row.Guarded:
		a.cannot(row.Name, "updates the guarded resource of the lab")
	case row.Recipe != "mutex" && row.Recipe != "election" && (row.Recipe != "single" || !a.o.SingleKey):
		a.cannot(row.Name, "takes its lock by the recipe %s", row.Recipe)
	case row.Hold < longHold && !a.o.Turns && !row.Manual:
		a.cannot(row.Name, "takes turns: it lets go after %s and comes back (--turns says that a program does)", row.Hold)
	case row.Hold >= longHold && a.o.Turns:
		a.cannot(row.Name, "holds the lock for as long as it lives, and a program that takes turns (--turns) lets go")
	case a.o.TTL < least:
		a.cannot(row.Name, "needs a lease of at least %s (--ttl)", least)
	case a.o.Endpoints > 0 && row.Member != "" && !slices.Contains(memberNames(a.o.Endpoints), row.Member):
		a.refuse("%s is pinned to %s, and there are %d endpoints", row.Name, row.Member, a.o.Endpoints)
	}
	if row.Manual {
		a.told[row.Name], row.Manual, row.Later = true, false, true
	}
	row.TTL = a.o.TTL
	a.extra = max(a.extra, a.o.TTL-least)
}

func memberNames(n int) []string { return drill.Lab{Members: n}.MemberNames() }

// shared renames a lock that programs compete for, and has contenders of the lab lock it as
// they do.
func (a *assignment) shared(lock string) {
	if a.o.Lock != "" {
		a.lock = lock
	}
	for i := range a.d.Lab.Contenders {
		row := &a.d.Lab.Contenders[i]
		if slices.Contains(row.Locks, lock) && a.o.SingleKey {
			row.Recipe = "single"
		}
		row.Locks = slices.Clone(row.Locks)
		for j := range row.Locks {
			row.Locks[j] = a.renamed(row.Locks[j])
		}
	}
}

// renamed is what a lock of the drill is called now, or a key below it.
func (a *assignment) renamed(name string) string {
	if rest, ok := strings.CutPrefix(name, a.lock); ok && a.lock != "" && (rest == "" || rest[0] == '/') {
		return a.o.Lock + rest
	}
	return name
}

// plays says whether a program plays the role of a process.
func (a *assignment) plays(name string) bool {
	row, ok := a.d.Lab.Contender(name)
	return ok && row.Program != nil
}

// programs are those of the names that programs play.
func (a *assignment) programs(names []string) []string {
	return slices.DeleteFunc(slices.Clone(names), func(n string) bool { return !a.plays(n) })
}
