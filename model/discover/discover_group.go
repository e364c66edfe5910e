package discover

import (
	"slices"
	"strings"

	"locktop/model/recipe"
)

// anySegment stands for a segment in which merged names differ. No segment of a
// name contains a slash.
const anySegment = "/*"

// manyAtRoot is how many names that differ in their first segment make one row: there
// a common prefix says little, and watching it means to watch everything.
const manyAtRoot = 8

// shape is one lock, or several of the same verdict whose names differ in some
// segments.
type shape struct {
	verdict
	segs                  []string
	common                string // what all names begin with; of one lock its name
	whole                 bool   // the lock is the key itself: nothing stands below
	rewritten             bool
	locks, claims, leased int
	example               string
}

// segmentsMost bounds into how many segments a name is cut: each costs a turn over all names. The
// last one of a deeper name is the rest of it.
const segmentsMost = 64

func (g *Guesser) shapeOf(s *place) *shape {
	r := &shape{verdict: s.verdict(g.Pins), segs: strings.SplitN(s.name, "/", segmentsMost), common: s.name, whole: s.shape == recipe.Single,
		rewritten: s.rewritten, locks: 1, claims: int(s.tally.Claims(s.shape)), leased: int(s.leased), example: s.example}
	if s.shape == recipe.Queue {
		r.claims += g.detached[s.name]
	}
	return r
}

// take counts what o has.
func (sh *shape) take(o *shape) {
	sh.locks += o.locks
	sh.claims += o.claims
	sh.leased += o.leased
	sh.rewritten = sh.rewritten || o.rewritten
	sh.common = commonPrefix(sh.common, o.common)
}

// root is the place of the first segment that is not empty.
func (sh *shape) root() int {
	if len(sh.segs) > 1 && sh.segs[0] == "" {
		return 1
	}
	return 0
}

// merge joins shapes that differ in one segment, from the last segment to the first.
// Each turn looks at every shape once, so 100,000 locks cost as many steps as their
// names have segments.
func merge(rows []*shape) []*shape {
	deepest := 0
	for _, r := range rows {
		deepest = max(deepest, len(r.segs))
	}
	for at := deepest - 1; at >= 0; at-- {
		rows = mergeAt(rows, at)
	}
	return rows
}

// sibling is what shapes have in common that may be merged.
type sibling struct {
	verdict verdict
	whole   bool
	path    string // all segments but one
}

func mergeAt(rows []*shape, at int) []*shape {
	kin := map[sibling][]*shape{}
	var order []sibling // of first sight, so that the result does not depend on chance
	var out []*shape
	for _, r := range rows {
		if at >= len(r.segs) || at < r.root() {
			out = append(out, r)
			continue
		}
		segs := slices.Clone(r.segs)
		segs[at] = anySegment
		k := sibling{r.verdict, r.whole, strings.Join(segs, "/")}
		if kin[k] == nil {
			order = append(order, k)
		}
		kin[k] = append(kin[k], r)
	}
	for _, k := range order {
		out = append(out, joined(kin[k], at)...)
	}
	return out
}

// joined makes one shape of siblings that differ at one place, or leaves them alone.
func joined(rows []*shape, at int) []*shape {
	if len(rows) == 1 {
		return rows
	}
	common := rows[0].common
	for _, r := range rows[1:] {
		common = commonPrefix(common, r.common)
	}
	if at == rows[0].root() && len(rows) < manyAtRoot && wordStart(common) == "" {
		return rows
	}
	all := *rows[0]
	all.segs = slices.Clone(all.segs)
	all.segs[at] = anySegment
	for _, r := range rows[1:] {
		all.take(r)
	}
	return []*shape{&all}
}

// absorb drops shapes that the prefix of another one of the same verdict covers, and
// counts them there. The root covers nothing: it would hide all others.
func absorb(rows []*shape) []*shape {
	slices.SortStableFunc(rows, func(a, b *shape) int {
		if d := strings.Compare(a.prefix(), b.prefix()); d != 0 {
			return d
		}
		return b.locks - a.locks
	})
	covers := map[verdict]*shape{}
	var out []*shape
	for _, r := range rows {
		c := covers[r.verdict]
		if c != nil && strings.HasPrefix(r.prefix(), c.prefix()) {
			c.take(r)
			continue
		}
		out = append(out, r)
		if r.stars() && strings.Trim(r.prefix(), "/") != "" {
			covers[r.verdict] = r
		}
	}
	return out
}

func (sh *shape) stars() bool { return slices.Contains(sh.segs, anySegment) }

// prefix is what to watch to see all of them.
func (sh *shape) prefix() string {
	at := slices.Index(sh.segs, anySegment)
	switch {
	case at < 0 && sh.whole:
		return sh.common
	case at < 0:
		return sh.common + "/"
	case at > sh.root():
		return strings.Join(sh.segs[:at], "/") + "/"
	}
	return strings.Repeat("/", at) + wordStart(sh.common)
}

// pattern is how the names look.
func (sh *shape) pattern() string {
	segs := slices.Clone(sh.segs)
	for i, s := range segs {
		if s != anySegment {
			continue
		}
		segs[i] = "*"
		if i == sh.root() {
			segs[i] = wordStart(sh.common) + "*"
		}
	}
	return strings.Join(segs, "/")
}

func (sh *shape) guess() PrefixGuess {
	p := PrefixGuess{Prefix: sh.prefix(), Pattern: sh.pattern(), Recipe: sh.recipe.Name, Confidence: sh.confidence,
		Locks: sh.locks, Claims: sh.claims, Leased: sh.leased, Example: sh.example}
	if sh.open == nil {
		return p
	}
	or := sh.open.Or
	if sh.rewritten && sh.open.IfRewritten != nil {
		or = sh.open.IfRewritten
	}
	p.Recipe = or[0].Name
	for _, other := range or[1:] {
		p.Alternatives = append(p.Alternatives, other.Name)
	}
	return p
}

// wordStart returns the beginning of a name's first segment up to its last sign that
// is no letter and no digit: what names like shedlock:jobs:a have in common.
func wordStart(common string) string {
	s := strings.TrimPrefix(common, "/")
	return s[:strings.LastIndexAny(s, ":-_.|#")+1]
}

func commonPrefix(a, b string) string {
	n := min(len(a), len(b))
	for i := range n {
		if a[i] != b[i] {
			return a[:i]
		}
	}
	return a[:n]
}
