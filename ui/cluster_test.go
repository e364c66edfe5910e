package ui

import (
	"strings"
	"testing"
	"time"

	"locktop/model"
)

// TestAnotherClusterDisarms: when another cluster answers, the old holders go from the
// screen, a dialog about one closes, and nothing can be broken any more.
func TestAnotherClusterDisarms(t *testing.T) {
	b := newBench(t, Options{Armed: true})
	b.w.claim(1, "/lock/a", "", 0x21)
	b.sync(2)
	b.sees("ARMED")
	b.pressed("x", "grace", "R")
	if b.dialog == nil {
		t.Fatal("no dialog")
	}
	b.w.add(model.Lost{At: at(3), Prefix: "/", Reason: model.LostCluster, Detail: model.Say("quote", "another cluster answers (id bb instead of aa) at h:1")})
	b.sync(3)
	b.sees("another cluster answers (id bb instead of aa) at h:1")
	if strings.Contains(b.text(), "/lock/a") || b.dialog != nil {
		t.Errorf("the old cluster is still there:\n%s", b.text())
	}
	b.w.add(model.LoadStarted{At: at(4), Prefix: "/", Rev: 9}, model.Listed{At: at(4), Prefix: "/", Rev: 9,
		KVs: []model.KV{{Key: "/lock/a/22", CreateRev: 8, ModRev: 8, Version: 1, Lease: 0x22}}}, model.Loaded{At: at(4), Prefix: "/", Rev: 9})
	b.sync(4)
	b.sees("/lock/a")
	b.sees("READ-ONLY")
	planned := len(b.h.plans)
	b.pressed("x")
	b.sees("Disarmed: another cluster answers")
	if len(b.h.done) > 0 || len(b.h.plans) > planned {
		t.Errorf("planned %v, did %v", b.h.plans, b.h.done)
	}
}

// TestTheEndpointsOfEachClusterAreNamed: where they lead to several, the screen says which
// is whose.
func TestTheEndpointsOfEachClusterAreNamed(t *testing.T) {
	b := newBench(t, Options{})
	detail := model.Say("endpoints-of-clusters", int64(2), model.Say("one-and-another",
		model.Say("belong-to-cluster", "h:1", int64(1), "aa"), model.Say("belong-to-cluster", "h:2", int64(1), "bb")))
	b.w.add(model.Lost{At: at(1), Prefix: "/", Reason: model.LostCluster, Detail: detail})
	b.sync(1)
	b.sync(30) // when the notice is over
	if got := strings.Join(strings.Fields(b.text()), " "); !strings.Contains(got, "h:1 belongs to cluster aa; h:2 belongs to cluster bb") {
		t.Errorf("the screen does not name them:\n%s", b.text())
	}
}

// TestTheClusterIsCalledFineOnlyIfAllWasSeen: one that was not asked, that answers late or that does not answer
// speaks against it, and an alarm. How far a member is behind, and how it answered, stand beside it.
func TestTheClusterIsCalledFineOnlyIfAllWasSeen(t *testing.T) {
	const fine = "The cluster is fine: 3 of 3 members answer, the leader did not change in the last 50s, no alarm."
	answers := model.Answers{Asked: 9, Usual: 2 * time.Millisecond, Longest: 9 * time.Millisecond, Last: 9 * time.Millisecond}
	for _, r := range []struct {
		reason string
		change func(c *model.ClusterStatus)
		fine   bool
		sees   string
	}{
		{"all answer", func(*model.ClusterStatus) {}, true, "2ms"},
		{"one is some revisions behind, since it was asked first", func(c *model.ClusterStatus) { c.Members[2].Rev -= 1234 }, true, "1,234"},
		{"a database is partly free", func(c *model.ClusterStatus) { c.Members[1].DBSize, c.Members[1].DBUsed = 1000, 410 }, true, "41%"},
		{"one was not asked", func(c *model.ClusterStatus) { c.Members[2] = model.Member{ID: 3, Name: "m3", Unasked: true} }, false, "not asked"},
		{"one does not answer", func(c *model.ClusterStatus) { c.Members[2].Err = model.Say("quote", "refused") }, false, "refused"},
		{"one answers late", func(c *model.ClusterStatus) { c.Members[2].Answers.Slow = 1 }, false, "9ms"},
		{"one knows no leader", func(c *model.ClusterStatus) { c.Members[2].NoLeader = true }, false, "m3"},
		{"an alarm", func(c *model.ClusterStatus) { c.Alarms = []string{"NOSPACE on m1"} }, false, "NOSPACE on m1"},
	} {
		b := newBench(t, Options{})
		b.w.claim(1, "/lock/a", "", 0x21)
		b.w.read(1, 0x21, 60, 50)
		for s := 0.0; s <= 50; s += 5 {
			c := model.ClusterStatus{At: at(s)}
			for i, name := range []string{"m1", "m2", "m3"} {
				c.Members = append(c.Members, model.Member{ID: uint64(i + 1), Name: name, Endpoint: "h:" + name, Version: "3.7.3", Term: 2, Rev: 184_000, Leader: i == 0, Answers: answers})
			}
			r.change(&c)
			b.w.add(c)
		}
		b.sync(50)
		b.press("5")
		if got := strings.Contains(b.text(), fine); got != r.fine {
			t.Errorf("%s: called fine: %v, want %v\n%s", r.reason, got, r.fine, b.text())
		}
		b.sees("BEHIND", r.sees)
		if r.fine {
			b.sees("LAST MINUTE", "IN USE")
		}
	}
}

// TestAMemberThatAilsIsSaidWhereAllIsWell: the calm line and the page of the members say who does not answer or knows
// no leader, what that means, and what to do. Where it is not known that one more is too many, they do not say so.
func TestAMemberThatAilsIsSaidWhereAllIsWell(t *testing.T) {
	refused := model.Say("quote", "refused")
	for _, r := range []struct {
		reason, lang string
		size         int
		change       func(c *model.ClusterStatus)
		calm, page   string // "" for nothing
	}{
		{"all answer", "en", 3, func(*model.ClusterStatus) {}, "", ""},
		{"one does not answer", "en", 3, func(c *model.ClusterStatus) { c.Members[2].Err = refused },
			"! m3 does not answer; 1 more and locks may stop 5", "! m3 does not answer. If 1 more fails, locks may stop. do check its process, and the network to it"},
		{"the same", "zh", 3, func(c *model.ClusterStatus) { c.Members[2].Err = refused },
			"! m3 没有回答；再失效 1 个，锁就可能停住 5", "! m3 没有回答。再失效 1 个，锁就可能停住。 建议 检查它的进程和到它的网络"},
		{"one of five", "en", 5, func(c *model.ClusterStatus) { c.Members[2].Err = refused },
			"! m3 does not answer; 2 more and locks may stop 5", "! m3 does not answer. If 2 more fail, locks may stop."},
		{"two of five", "en", 5, func(c *model.ClusterStatus) { c.Members[2].Err, c.Members[3].Err = refused, refused },
			"! 2 of 5 members do not answer; 1 more and locks may stop 5", "do check their processes, and the network to them"},
		{"one is cut off from the others", "en", 3, func(c *model.ClusterStatus) { c.Members[1].NoLeader = true },
			"! m2 knows no leader; 1 more and locks may stop 5", "! m2 knows no leader. If 1 more fails, locks may stop. Programs connected to it can neither lock nor renew."},
		{"one does not answer, and one was not asked", "en", 3, func(c *model.ClusterStatus) { c.Members[1].Err, c.Members[2].Unasked = refused, true },
			"! m2 does not answer 5", "! m2 does not answer. do check its process, and the network to it"},
	} {
		b := newBench(t, Options{Lang: r.lang})
		b.w.claim(1, "/lock/a", "", 0x21)
		b.w.read(1, 0x21, 60, 50)
		for s := 0.0; s <= 10; s += 5 {
			c := model.ClusterStatus{At: at(s)}
			for i := range r.size {
				name := "m" + string(rune('1'+i))
				c.Members = append(c.Members, model.Member{ID: uint64(i + 1), Name: name, Endpoint: "h:" + name, Version: "3.7.3", Term: 2, Rev: 184_000, Leader: i == 0, Answers: model.Answers{Asked: 2}})
			}
			r.change(&c)
			b.w.add(c)
		}
		b.sync(10)
		for key, want := range map[string]string{"1": r.calm, "5": r.page} {
			b.press(key)
			got := strings.Join(strings.Fields(b.text()), " ")
			if want != "" && !strings.Contains(got, want) || want == "" && strings.Contains(got, "!") {
				t.Errorf("%s, page %s: no %q in\n%s", r.reason, key, want, b.text())
			}
		}
	}
}
