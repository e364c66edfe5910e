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
	turnsEvery = 4    // claims that go before it is asked again
	turnsDeals = 1000 // none of which may look as much like turns
	permitsMax = 16   // with which turns are compared
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
	from, to, lasts := slices.Clone(came[:n]), slices.Clone(went[:n]), []float64{}
	latest := latestOf(went[:n])
	for i := n; i < len(came); i++ {
		began := latest.begins(came[i])
		latest.note(went[i])
		if went[i] > began { // else it gave up before it got a permit
			from, to, lasts = append(from, came[i]), append(to, went[i]), append(lasts, went[i]-began)
		}
	}
	aside, spread := likeTurns(from, to)
	dice := uint64(len(lasts)) // the same claims get the same answer
	for range turnsDeals {
		for i := len(lasts) - 1; i > 0; i-- {
			dice = dice*6364136223846793005 + 1442695040888963407
			j := int((dice >> 33) % uint64(i+1))
			lasts[i], lasts[j] = lasts[j], lasts[i]
		}
		latest = latestOf(went[:n])
		for i, d := range lasts {
			to[n+i] = latest.begins(from[n+i]) + d
			latest.note(to[n+i])
		}
		if a, s := likeTurns(from, to); a <= aside && s <= spread {
			return true
		}
	}
	return false
}

// likeTurns says how many claims left before one that had come earlier, and how uneven the times are for
// which the others were first.
func likeTurns(came, went []float64) (aside int, spread float64) {
	var n, sum, squares, last float64
	for i := range went {
		if i > 0 && went[i] < last {
			aside++
			continue
		}
		held := math.Log(max(went[i]-max(came[i], last), time.Millisecond.Seconds()))
		n, sum, squares = n+1, sum+held, squares+held*held
		last = went[i]
	}
	return aside, squares/n - sum/n*sum/n
}

// latest are when the last ones went of those that came, as many as hold together, sorted.
type latest []float64

func latestOf(went []float64) latest { return slices.Sorted(slices.Values(went)) }

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
