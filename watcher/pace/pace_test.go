package pace

import (
	"testing"
	"time"
)

func TestBucketKeepsTheBudget(t *testing.T) {
	for _, row := range []struct {
		reason                string
		budget, seconds, want int
		group                 int // what it takes at once; the last may come after the end
		hurry                 bool
	}{
		{"a quarter at a time, and the budget is kept", 20, 10, 5 + 150, 5, false},
		{"in a hurry one by one, and the budget is kept", 20, 10, 5 + 150, 1, true},
		{"the least budget still reads", 1, 10, 1 + 5, 1, false},
		{"of a small one half is at hand at once", 2, 10, 1 + 10, 1, false},
		{"large ones too keep the rate", 400, 2, 100 + 600, 100, false},
	} {
		now := time.Unix(1000, 0)
		end := now.Add(time.Duration(row.seconds) * time.Second)
		b := ForBudget(row.budget, now)
		var got []time.Time
		for !now.After(end) {
			ok, wait := b.Take(now, row.hurry)
			if ok {
				got = append(got, now)
				continue
			}
			if len(got)%row.group != 0 {
				t.Fatalf("%s: waits after %d readings, want them %d at a time", row.reason, len(got), row.group)
			}
			now = now.Add(max(wait, time.Nanosecond))
		}
		if len(got) < row.want-row.group || len(got) > row.want {
			t.Errorf("%s: %d readings in %d s, want %d", row.reason, len(got), row.seconds, row.want)
		}
		for i := row.budget + 1; i < len(got); i++ {
			if within := got[i].Sub(got[i-row.budget-1]); within < time.Second {
				t.Fatalf("%s: %d readings within %v", row.reason, row.budget+2, within)
			}
		}
	}
}

func TestMeter(t *testing.T) {
	m, at := &Meter{}, time.Unix(1000, 0)
	for s := range 10 {
		for range 6 {
			m.Count(0, at.Add(time.Duration(s)*time.Second))
		}
		m.Count(1, at.Add(time.Duration(s)*time.Second))
	}
	for _, r := range []struct {
		after           time.Duration
		rps, of, others float64
		reason          string
	}{
		{9 * time.Second, 7, 6, 1, "steady"},
		{11 * time.Second, 7 * 3. / 5, 6 * 3. / 5, 3. / 5, "two quiet seconds"},
		{time.Minute, 0, 0, 0, "long quiet"},
	} {
		rps, by := m.Rates(at.Add(r.after))
		if want := ([Kinds]float64{r.of, r.others}); rps != r.rps || by != want {
			t.Errorf("%s: %v of %v, want %v of %v", r.reason, rps, by, r.rps, want)
		}
	}
	if rps, _ := (&Meter{}).Rates(at); rps != 0 {
		t.Errorf("at the start %v", rps)
	}
}
