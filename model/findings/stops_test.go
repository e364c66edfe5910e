package findings_test

import (
	"testing"

	"locktop/model"
	"locktop/model/modeltest"
)

// TestRenewalsThatStopAtOneAge: what stops at one age again and again has a timeout behind it. That needs
// more than a few that are near each other.
func TestRenewalsThatStopAtOneAge(t *testing.T) {
	const waiter = model.LeaseID(0xb0)
	type holder struct {
		waits    float64 // before it holds
		stops    float64 // at this age, since it came; 0: it releases
		releases float64 // at this age
	}
	for _, row := range []struct {
		reason  string
		holders []holder // the last one is at hand
		want    bool
	}{
		{"four at 30 s", []holder{{stops: 30}, {stops: 30}, {stops: 30}, {stops: 30}}, true},
		{"three are few", []holder{{stops: 30}, {stops: 30}, {stops: 30}}, false},
		{"four within two seconds may be chance", []holder{{stops: 30}, {stops: 31.9}, {stops: 30.8}, {stops: 30.3}}, false},
		{"six within a second are not", []holder{{stops: 30}, {stops: 30.8}, {stops: 30.4}, {stops: 30.6}, {stops: 30.1}, {stops: 30.3}}, true},
		{"one in between that stopped elsewhere", []holder{{stops: 30}, {stops: 30}, {stops: 52}, {stops: 30}, {stops: 30}}, false},
		{"one in between that worked for longer and released", []holder{{stops: 30}, {stops: 30}, {releases: 55}, {stops: 30}, {stops: 30}}, false},
		{"one in between that released sooner", []holder{{stops: 30}, {stops: 30}, {releases: 5}, {stops: 30}, {stops: 30}}, true},
		{"a timeout that runs from when they came", []holder{{stops: 30}, {stops: 30, waits: 7}, {stops: 30, waits: 2}, {stops: 30, waits: 11}}, true},
		{"this one goes on for longer", []holder{{stops: 30}, {stops: 30}, {stops: 30}, {stops: 41}}, false},
	} {
		t.Run(row.reason, func(t *testing.T) {
			h := modeltest.New()
			h.Loaded(0)
			now := 1.0
			const ttl = 10
			for i, c := range row.holders {
				id, came := model.LeaseID(0x20+i), now
				h.Put(came, modeltest.ClaimKey("/lock", waiter+model.LeaseID(i)), "", waiter+model.LeaseID(i))
				h.Put(came, modeltest.ClaimKey("/lock", id), "", id)
				h.Del(came+c.waits, modeltest.ClaimKey("/lock", waiter+model.LeaseID(i)))
				h.Read(came+0.5, id, ttl, 9)
				last := c.stops
				if last == 0 {
					last = c.releases
				}
				h.Read(came+13, id, ttl, 9)                                                                           // it was renewed
				h.Put(came+last-0.1, modeltest.ClaimKey("/lock", 0xc00+model.LeaseID(i)), "", 0xc00+model.LeaseID(i)) // waits
				h.Read(came+last+0.05, id, ttl, 9)
				now = came + last + ttl + 0.3
				switch {
				case c.stops == 0:
					now = came + last
					h.Del(now, modeltest.ClaimKey("/lock", id))
					h.Read(now+0.1, id, ttl, 9)
				case i == len(row.holders)-1:
					h.Read(came+last+8.2, id, ttl, 1)
				default:
					h.Read(came+last+8.2, id, ttl, 1)
					h.Read(came+last+9.1, id, ttl, 0)
					h.End(now, id)
					h.Read(now+0.1, id, 0, -1)
				}
				if i < len(row.holders)-1 {
					h.Del(now+0.2, modeltest.ClaimKey("/lock", 0xc00+model.LeaseID(i)))
				}
				now++
			}
			got := codes(state(h))
			pattern := false
			for _, c := range got {
				pattern = pattern || c == "warning keepalive-cancelled (strong) /lock"
			}
			if pattern != row.want || len(got) != 1 {
				t.Errorf("%s: found %v", row.reason, got)
			}
		})
	}
}
