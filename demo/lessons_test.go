package demo

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"locktop/chaos/drill"
	"locktop/demo/drills"
	"locktop/demo/lessons"
	"locktop/model"
	"locktop/model/text"
)

func course(t *testing.T) []*drill.Drill {
	t.Helper()
	all, err := lessons.All()
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// TestAlwaysTheSecondIsChance: who answers without thinking has as many right as chance gives.
func TestAlwaysTheSecondIsChance(t *testing.T) {
	const seeds = 500
	all := course(t)
	for choice := 1; choice <= 3; choice++ {
		right, expected := 0.0, 0.0
		for seed := range uint64(seeds) {
			for _, d := range all {
				for i, s := range d.Steps {
					if s.Ask == nil {
						continue
					}
					if q := s.Ask.Shuffled(seed, i+1); choice <= len(q.Options) {
						expected += 1 / float64(len(q.Options))
						if q.Answer == choice {
							right++
						}
						if q.Options[q.Answer-1].Text.In("en") != s.Ask.Options[s.Ask.Answer-1].Text.In("en") {
							t.Fatalf("%s: shuffled, the answer is another", d.Name)
						}
					}
				}
			}
		}
		if right < 0.9*expected || right > 1.1*expected {
			t.Errorf("always %d is right %.0f times, by chance it were %.0f", choice, right, expected)
		}
	}
}

// ambiguousWidth are signs that a terminal draws in one cell or in two.
var ambiguousWidth = regexp.MustCompile("[“”‘’…—·×→≥≤°●■♥①-⑳─-╿]")

// TestTheLessonsSpeakBothLanguages: each step has words in Chinese, without a sign of
// ambiguous width and without signs of half a width between Chinese characters.
func TestTheLessonsSpeakBothLanguages(t *testing.T) {
	half := regexp.MustCompile(`\p{Han}[,:;?!]|[,:;?!]\p{Han}`)
	check := func(d *drill.Drill, what, text string) {
		t.Helper()
		if text == "" {
			t.Errorf("%s: %s has no words in Chinese", d.Name, what)
		}
		if bad := ambiguousWidth.FindString(text) + half.FindString(text); bad != "" {
			t.Errorf("%s: %s: %q in %q", d.Name, what, bad, text)
		}
	}
	for _, d := range course(t) {
		l := d.Lesson
		for _, line := range slices.Concat(l.Etcdctl, l.Go) {
			if len(line) > 74 { // what a terminal of 80 columns has for them
				t.Errorf("%s: %d signs, and the end is cut off: %s", d.Name, len(line), line)
			}
		}
		for _, text := range []drill.Text{l.Title, l.Teaches, l.Elsewhere} {
			check(d, "its page", text["zh"])
		}
		if l.Task != nil {
			check(d, "its task", l.Task.Text["zh"])
			for _, h := range l.Task.Hints {
				check(d, "help with its task", h["zh"])
			}
			for _, w := range l.Task.Wrong {
				check(d, "a wrong way of its task", w.Why["zh"])
			}
			if draft := l.Task.Draft; draft != nil {
				for _, s := range draft.Steps {
					if s.Wait != nil {
						check(d, "why its draft does not do", s.Wait.Else["zh"])
					}
				}
			}
		}
		if l.Exam != nil {
			check(d, "its exam", l.Exam.Text["zh"])
			for _, c := range l.Exam.Cases {
				check(d, "a case of its exam", c.Explanation["zh"])
			}
		}
		for _, s := range d.Steps {
			switch {
			case s.Say != nil:
				check(d, "say", s.Say["zh"])
			case s.Ask != nil:
				check(d, s.Ask.Text.In("en"), s.Ask.Text["zh"])
				check(d, s.Ask.Text.In("en"), s.Ask.After["zh"])
				for i, o := range s.Ask.Options {
					check(d, s.Ask.Text.In("en"), o.Text["zh"])
					if i+1 != s.Ask.Answer {
						check(d, s.Ask.Text.In("en"), o.Why["zh"])
					}
				}
			case !s.See && s.Show == nil:
				check(d, s.Describe(), s.In("zh"))
				if s.In("en") == "" {
					t.Errorf("%s: no words for %s", d.Name, s.Describe())
				}
			}
		}
		for _, e := range d.Expect {
			for _, v := range []drill.Verdict{drill.Held, drill.Violated, drill.Unknown} {
				check(d, e.Name+" "+string(v), drill.Result{Expectation: e, Verdict: v}.Sentence("zh"))
				if en := (drill.Result{Expectation: e, Verdict: v}).Sentence("en"); en == "" {
					t.Errorf("%s: no sentence for %s %s", d.Name, e.Name, v)
				}
			}
		}
	}
	builtIn, err := drills.All()
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range builtIn { // which say what they do in the words of steps
		check(d, "its title", d.Title["zh"])
		check(d, "why", d.Why["zh"])
		for _, s := range d.Steps {
			if s.Say != nil {
				check(d, "say", s.Say["zh"])
			}
			if s.Ask != nil {
				check(d, "ask", s.Ask.Text["zh"])
				for _, o := range s.Ask.Options {
					check(d, s.Ask.Text.In("en"), o.Text["zh"])
				}
			}
		}
	}
}

// TestAnAnswerSaysNoOtherNumberThanWasMeasured: an option that names seconds is right for about as
// many, or else the lesson says "5 to 9 s" of 3 s.
func TestAnAnswerSaysNoOtherNumberThanWasMeasured(t *testing.T) {
	const about = 1.5 // seconds, which a busy machine takes longer
	named := regexp.MustCompile(`(about |at most )?(\d+)(?: to (\d+))? s( or more)?\b`)
	number := func(s string) float64 {
		v, err := strconv.ParseFloat(s, 64)
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
	checked := 0
	for _, d := range course(t) {
		for _, s := range d.Steps {
			if s.Ask == nil || s.Ask.Measure.Unit() != drill.Seconds {
				continue
			}
			for _, o := range s.Ask.Options {
				m := named.FindStringSubmatch(o.Text.In("en"))
				if m == nil {
					continue
				}
				checked++
				lo, hi := number(m[2]), number(m[2])
				if m[1] == "at most " {
					lo = 0
				}
				if m[3] != "" {
					hi = number(m[3])
				}
				from, to, open := strings.Cut(o.Is, "..")
				if open && from != "" && number(from) < lo-about {
					t.Errorf("%s: %q is right for %s s, too", d.Name, o.Text.In("en"), from)
				}
				// A wrong answer may have no end: nothing is measured there.
				if open && to != "" && m[4] == "" && number(to) > hi+about {
					t.Errorf("%s: %q is right for %s s, too", d.Name, o.Text.In("en"), to)
				}
			}
		}
	}
	if checked < 6 {
		t.Errorf("%d answers name seconds", checked)
	}
}

// TestAQuestionIsMeasuredWhenAllOfItIsDone: one about two writes is not measured after the first.
func TestAQuestionIsMeasuredWhenAllOfItIsDone(t *testing.T) {
	writes := regexp.MustCompile(`\b[a-z]\d? writes\b|, then [a-z]\d?\b`)
	checked := 0
	for _, d := range course(t) {
		for i, s := range d.Steps {
			if s.Ask == nil {
				continue
			}
			said, done := len(writes.FindAllString(s.Ask.Text.In("en"), -1)), 0
			for _, after := range d.Steps[i+1:] {
				if after.See {
					break
				}
				if after.Tell != nil && slices.Contains([]string{"put", "write"}, after.Tell.Word) {
					done++
				}
			}
			if checked += said; said != done {
				t.Errorf("%s: %q speaks of %d writes, and is measured after %d", d.Name, s.Ask.Text.In("en"), said, done)
			}
		}
	}
	if checked == 0 {
		t.Error("no question is about a write")
	}
}

// TestEverySystemOfTheArticlesIsTold: of each system that articles on locks compare with etcd
// some lesson says at least two things, in both languages. What is said here of a system is
// looked for in one lesson.
func TestEverySystemOfTheArticlesIsTold(t *testing.T) {
	told := map[string]drill.Text{}
	for _, d := range course(t) {
		told[d.Name] = d.Lesson.Elsewhere
	}
	for _, r := range []struct{ system, lesson, first, second, zhFirst, zhSecond string }{
		{"Redis", "spin", "SET key value NX PX takes", "nobody renews it", "SET key value NX PX 取得锁", "没有人续租"},
		{"Redis, its release", "unlock", "one Lua script", "random value", "一个 Lua 脚本", "随机值"},
		{"Redis, a failover", "leader", "Redis copies without waiting", "may lose the lock", "复制时不等待", "可能丢掉锁"},
		{"Redisson's watchdog", "lease", "Redisson renews its lock to 30 s", "while the client lives", "续到 30 秒", "客户端活着"},
		{"Redisson's wakening", "herd", "Redisson wakes all who wait", "they race", "唤醒所有等待者", "让它们去抢"},
		{"Redisson's other locks", "session", "Redisson counts re-entries", "by thread", "按线程计算重入次数", "Redisson"},
		{"Redlock", "pause", "Redlock asks a majority of 5", "jump of a clock", "向 5 个 Redis 主节点请求多数同意", "时钟跳变"},
		{"Redlock's value", "fence", "as Redlock has", "it has no order", "Redlock 的随机值", "没有顺序"},
		{"ZooKeeper's queue", "order", "ZooKeeper numbers a node", "lowest number holds", "ZooKeeper 给 SEQUENTIAL 节点编号", "编号最小的持有锁"},
		{"ZooKeeper's session", "lease", "survives a lost connection", "2 to 20 ticks", "连接断开后", "2 到 20 个 tick"},
		{"Curator", "pause", "SUSPENDED when it is unsure", "LOST when the session has gone", "SUSPENDED", "LOST"},
		{"MySQL's GET_LOCK and rows", "spin", "ends with its connection", "unique key as a lock never expires", "随连接结束", "永远不到期"},
		{"MySQL's row locks", "deadlock", "InnoDB looks for rings", "ends one transaction", "InnoDB", "结束其中一个事务"},
		{"an optimistic lock", "fence-reads", "WHERE version=?", "reads again", "乐观锁", "重新读"},
		{"Consul", "lease", "TTL of a session is the least", "twice as long", "TTL 是下限", "两倍"},
		{"Consul's lock-delay", "pause", "lock-delay, 15 s", "rarer", "lock-delay（15 秒）", "更少发生"},
		{"Consul's token", "fence", "Consul's LockIndex", "such tokens", "Consul 的 LockIndex", "这样的令牌"},
		{"Chubby", "fence", "name, mode and generation", "lock-delay of up to a minute", "名字、模式和代数", "最长一分钟"},
		{"Leases of Kubernetes", "election", "poll it every 2 s", "does not promise a single leader", "候选者每 2 秒通过可能滞后的缓存读它", "不保证只有一个领导者"},
		{"jetcd", "waiters", "Future that timed out ends nothing", "may get the lock", "Future 超时并不结束什么", "可能拿到锁"},
		{"locks of a thread and of a process", "session", "ReentrantLock belongs to a thread", "file lock to a process", "ReentrantLock 属于线程", "文件锁属于进程"},
	} {
		text := told[r.lesson]
		for lang, facts := range map[string][]string{"en": {r.first, r.second}, "zh": {r.zhFirst, r.zhSecond}} {
			for _, fact := range facts {
				if !strings.Contains(text.In(lang), fact) {
					t.Errorf("%s: lesson %s does not say %q: %s", r.system, r.lesson, fact, text.In(lang))
				}
			}
		}
	}
	named := regexp.MustCompile(`(?:drill |演练 )([a-z-]+)`)
	for name, text := range told {
		for _, lang := range drill.Languages() {
			for _, m := range named.FindAllStringSubmatch(text.In(lang), -1) {
				if _, err := drills.File(m[1]); err != nil {
					t.Errorf("lesson %s: %v", name, err)
				}
			}
		}
	}
}

// TestWhatAPersonDoesHasWords in both languages, for each key of the lab: a lesson says it back.
func TestWhatAPersonDoesHasWords(t *testing.T) {
	var all []model.Action
	for _, info := range model.FaultKinds() {
		f := model.Fault{Kind: info.Kind, Target: "a"}
		all = append(all, model.Action{Kind: model.InjectFault, Fault: f}, model.Action{Kind: model.HealFault, Fault: f})
	}
	all = append(all, model.Action{Kind: model.HealAll}, model.Action{Kind: model.RevokeLease, Lease: 0xa}, model.Action{Kind: model.DeleteClaim, Key: "a"},
		model.Action{Kind: model.SpawnProc, Lock: "a"}, model.Action{Kind: model.SpawnProc, Contender: "a"}, model.Action{Kind: model.TellProc, Contender: "a", Word: "lock"})
	jargon := regexp.MustCompile(`[a-zA-Z]{2,} [a-zA-Z]{2,}|%`)
	for _, a := range all {
		en, zh := drill.ActionIn("en", a), drill.ActionIn("zh", a)
		if en == "" || zh == "" || strings.Contains(en, "%") || jargon.MatchString(zh) || ambiguousWidth.MatchString(zh) {
			t.Errorf("%s: %q, %q", text.English(a.Message()), en, zh)
		}
	}
}

// TestWhatALessonShowsDoesNotHangOnTheReader: one who answers at once sees two work at once
// for as long as the file expects it. A bound of milliseconds is met only by who is slow.
func TestWhatALessonShowsDoesNotHangOnTheReader(t *testing.T) {
	const seen = 500 * time.Millisecond
	for _, d := range course(t) {
		for _, e := range d.Expect {
			if e.Name == "overlap" && e.AtLeast > 0 && e.AtLeast < seen {
				t.Errorf("%s, line %d: an overlap of %v may be over before anybody saw it: let it last by a pause, and expect %v", d.Name, e.Line, e.AtLeast, seen)
			}
		}
	}
}

// TestALessonThatDoesNotWaitIsRefused: a file in which something happens while the person
// reads is no lesson.
func TestALessonThatDoesNotWaitIsRefused(t *testing.T) {
	data, err := lessons.File("lease")
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range []struct{ old, new, want, reason string }{
		{"", "", "", "as it is"},
		{"  - wait: {holder: b, waiters: [c], belief: {b: holding}, within: 20s}\n", "", "under way while this is read", "a died, and its lease runs out"},
		{"{name: c, lock: orders, recipe: mutex, ttl: 4s, manual: true}", "{name: c, lock: orders, recipe: mutex, ttl: 4s, hold: 1s}", "acts by itself", "c takes turns as it likes"},
		{"      measure: holder\n", "", "decided by a measure", "the file alone says what is right"},
		{`is: "1.5..7"`, `is: "1.0..7"`, "may both be so", "two answers fit"},
		{"  - show: queue\n", "", "what is shown beside this", "the reader may look at anything"},
		{", zh: \"8 秒：死亡之后再算一个 TTL\"", "", "has no zh", "an option is not translated"},
		{"minutes: 8", "minutes: 8\n  colour: red", "no field", "an unknown word"},
	} {
		_, err := drill.Parse("lease", []byte(strings.Replace(string(data), r.old, r.new, 1)))
		if r.want == "" && err != nil || r.want != "" && (err == nil || !strings.Contains(err.Error(), r.want)) {
			t.Errorf("%s: %v, want %q", r.reason, err, r.want)
		}
	}
}

// TestEachQuestionHasAScene: the review asks it beside no lab, in each language.
func TestEachQuestionHasAScene(t *testing.T) {
	for _, name := range lessons.Names() {
		d, err := lessons.Lesson(name)
		if err != nil {
			t.Fatal(err)
		}
		for i, s := range d.Steps {
			for _, lang := range drill.Languages() {
				if s.Ask != nil && d.Scene(i+1).In(lang) == "" {
					t.Errorf("lesson %s: nothing is said before %q (%s)", name, s.Ask.Text.In(lang), lang)
				}
			}
		}
	}
}
