package locks

import (
	"math"
	"slices"
	"time"
)

// turn is a claim that came and went, in µs since 1970, and how many there were when it went.
type turn struct {
	came, went int64
	among      int
}

// Whether claims take turns is told by how unlikely it is that they only seem to. If they were members
// of a list, each would stay for as long as it likes; of a semaphore, from when it got its permit on. Then it
// is all the same which of them stays for how long. So the times are dealt out anew, again and again, and of
// each deal it is seen whether the claims leave as much in their order, and hold as evenly, each from when the
// one before it went.
const (
	turnsMin   = 8
	turnsMax   = 40
	turnsEvery = 4   // claims that go before it is asked again
	turnsDeals = 300 // none of which may look as much like turns
	turnsTimes = 2   // that claims take turns is seen so often one after the other, each time of other claims: once in 300 may be chance
	permitsMax = 16  // with which turns are compared
)

// addTurn takes in one more turn. They are in the order in which they came.
func addTurn(all []turn, t turn) []turn {
	at := len(all)
	for at > 0 && all[at-1].came > t.came {
		at--
	}
	if all = slices.Insert(all, at, t); len(all) > turnsMax {
		all = slices.Delete(all, 0, 1)
	}
	return all
}

// takeTurns says whether claims do, in the order in which they came.
func takeTurns(all []turn) bool {
	if len(all) < turnsMin {
		return false
	}
	came, went, most := make([]float64, len(all)), make([]float64, len(all)), 0
	for i, t := range all {
		came[i], went[i], most = float64(t.came-all[0].came)/1e6, float64(t.went-all[0].came)/1e6, max(most, t.among)
	}
	if dealtAlike(came, went, 0) {
		return false
	}
	for n := 2; n < most && n <= permitsMax; n++ { // with more permits nobody waited
		if dealtAlike(came, went, n) {
			return false
		}
	}
	return true
}

// dealtAlike says whether claims of which n hold together, or all if it is 0, may look as much like turns
// as these. When the first n began to hold is not known: they may have waited for others.
func dealtAlike(came, went []float64, n int) bool {
	first := slices.Sorted(slices.Values(went[:n]))
	var before departures
	for i := range n {
		before.add(came[i], went[i])
	}
	seen, held := before, latest(slices.Clone(first))
	var from, lasts []float64
	for i := n; i < len(came); i++ {
		began := held.begins(came[i])
		held.note(went[i])
		if went[i] > began { // else it gave up before it got a permit
			from, lasts = append(from, came[i]), append(lasts, went[i]-began)
			seen.add(came[i], went[i])
		}
	}
	dice := uint64(len(lasts)) // the same claims get the same answer
	for range turnsDeals {
		dealt := before
		copy(held, first)
		for i := 0; i < len(lasts) && dealt.aside <= seen.aside; i++ {
			dice = dice*6364136223846793005 + 1442695040888963407
			j := i + int((dice>>33)%uint64(len(lasts)-i))
			lasts[i], lasts[j] = lasts[j], lasts[i]
			leaves := held.begins(from[i]) + lasts[i]
			held.note(leaves)
			dealt.add(from[i], leaves)
		}
		if dealt.aside <= seen.aside && dealt.spread() <= seen.spread() {
			return true
		}
	}
	return false
}

// departures are how much claims leave in their order: how many left before one that had come earlier, and
// for how long each of the others was first.
type departures struct {
	aside                 int
	n, sum, squares, last float64 // of the logarithms of the times; when the last one left that was first
}

// add takes in the next claim, in the order in which they came.
func (d *departures) add(came, went float64) {
	if d.n > 0 && went < d.last {
		d.aside++
		return
	}
	held := math.Log(max(went-max(came, d.last), time.Millisecond.Seconds()))
	d.n, d.sum, d.squares, d.last = d.n+1, d.sum+held, d.squares+held*held, went
}

// spread is how uneven the times are, 0 if they are all the same.
func (d *departures) spread() float64 { return d.squares/d.n - d.sum/d.n*d.sum/d.n }

// latest are when the last ones went of those that came, as many as hold together, sorted.
type latest []float64

// begins returns when one that comes holds: at once, or when so many others have gone that it may.
func (l latest) begins(came float64) float64 {
	if len(l) == 0 {
		return came
	}
	return max(came, l[0])
}

// note takes in when one went.
func (l latest) note(went float64) {
	if len(l) == 0 || went <= l[0] {
		return
	}
	at, _ := slices.BinarySearch(l, went)
	copy(l, l[1:at])
	l[at-1] = went
}
