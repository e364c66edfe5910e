package course

import (
	"fmt"
	"regexp"
	"strings"
)

// words are what a pupil is told beside the lesson's own texts, in English and in Chinese.
var words = map[string][2]string{
	"missed":       {"This did not come to pass: %s. The lesson goes on from what is.", "这一步没有实现：%s。课程从现状继续。"},
	"by-hand":      {"You changed the lab (%s), so this did not come to pass: %s. The lesson goes on from what is.", "你改动了实验（%s），所以这一步没有实现：%s。课程从现状继续。"},
	"meddled":      {"You changed the lab during the story: %s. What was expected does not count.", "你在故事里改动了实验：%s。预期不再作数。"},
	"etcdctl":      {"By hand, with etcdctl:", "用 etcdctl 亲手做："},
	"go":           {"In Go:", "用 Go："},
	"elsewhere":    {"Elsewhere: ", "在别的系统里："},
	"task":         {"Your turn: ", "轮到你："},
	"task-done":    {"Done: the lab shows it.", "完成：实验里看得到。"},
	"task-left":    {"Skipped.", "已跳过。"},
	"hint":         {"Hint: ", "提示："},
	"task-passed":  {"You did the task.", "你完成了任务。"},
	"task-skipped": {"The task is not done.", "任务没有完成。"},
	"exam":         {"The exam: ", "考试："},
	"exam-wait":    {"the exam to be ready", "考试准备好"},
	"exam-ready":   {"the exam is ready", "考试准备好了"},
	"exam-heal":    {"in the exam find the fault, and heal that one", "考试里要找到故障，只恢复它"},
	"exam-broke":   {"The exam could not be set up. Take the lesson once more. The reason is:", "考试没能准备好，再上一次这一课。原因是："},
	"exam-wrong": {"That was the wrong cure, as the console said before: the holder was well, and its work was cut off. This was the cure: ",
		"这样做不对，界面事先说过：持有者没有问题，它的工作却被打断了。正确的做法："},
	"exam-passed":  {"You found the fault of the exam and healed it.", "你找到并恢复了考试里的故障。"},
	"exam-skipped": {"The fault of the exam is not healed.", "考试里的故障没有恢复。"},
	"own": {"Now your own program. This line puts it into a drill, and says for how long it works on after it has lost its lock. REHEARSE.md tells the rest.",
		"接着是你自己的程序。这一行让它参加演练，并说出它丢了锁以后还工作多久。其余见 REHEARSE.md。"},
}

// comments are those in the lines that a lesson shows, in Chinese.
var comments = map[string]string{
	"Close takes the claim away, whatever went wrong, also after ctx:": "无论出什么错，Close 都会带走排队键，ctx 结束后也会：",
	"the lease is lost: stop":                                         "租约丢了：停下",
	"waits for its turn":                                              "等待轮到自己",
	"N: the Revision above, plus 1":                                   "N：上面的 Revision 加 1",
	"waitTurn waits with the claim key, which was created at rev.":    "waitTurn 用排队键 key 等待，它在 rev 创建。",
	"After an error revoke its lease: the claim may stand.":           "出错后撤销它的租约：排队键可能还在。",
	"nobody is ahead: it is mine":                                     "前面没有人：锁是我的",
	"it was deleted: look again":                                      "它被删除了：再看一次",
	"with a context that lives still":                                 "用还活着的 context",
	"as long as ctx":                                                  "和 ctx 一样久",
	"renewed: the full TTL again":                                     "已续租：又有完整的 TTL",
	"the channel is closed: the lease is lost, stop":                  "channel 已关闭：租约丢了，停下",
	"it says LEASE, and nobody renews it":                             "它给出 LEASE，没有人续租",
	"A session renews its lease: the work may take longer than 10 s.": "会话会续租：工作可以超过 10 秒。",
	"frees it":                    "放开锁",
	"no place in the queue":       "不占队列里的位置",
	"somebody else does the work": "工作由别人做",
	"step is one of the work, after m.Lock returned no error.":           "step 是工作的一步，在 m.Lock 没有出错之后。",
	"After an error of step end the work, and close s.":                  "step 出错后结束工作，关闭 s。",
	"A pause may come here. So etcd looks once more:":                    "这里可能停顿，所以让 etcd 再看一次：",
	"it may be written: read before you try again":                       "可能已经写了：再试之前先读",
	"unlock deletes key if its value is me, which no other take has.":    "unlock 只在值是 me 时删除 key，每次加锁的 me 都不同。",
	"Also after ctx has ended:":                                          "ctx 结束后也要做：",
	"it may be deleted: let the lease end, too":                          "可能已经删除：让租约也结束",
	"with ETCD_LOCK_KEY. It has in it:":                                  "带着 ETCD_LOCK_KEY 运行，其中有：",
	"the token":                                                          "令牌",
	"token goes with each write, after m.Lock returned no error.":        "m.Lock 没有出错之后，每次写都带上 token。",
	"It is the create revision: not m.Header().Revision, nor the lease.": "它是创建版本号，不是 m.Header().Revision，也不是租约号。",
	"fence is in the resource.":                                          "fence 在资源里。",
	"N: its ModRevision, 0 if it is not there":                           "N：它的 ModRevision，没有这个键就是 0",
	"change rewrites data, after m.Lock returned no error.":              "m.Lock 没有出错之后，change 改写 data。",
	"of a key that is not there":                                         "键不存在时",
	"observes":                                                           "观察",
	"resigns":                                                            "让位",
	"it ends Campaign, too":                                              "也结束 Campaign",
	"Each step of the work is a transaction If this leader leads:":       "工作的每一步都是事务，条件是它仍是领导者：",
	"of the dead waiter":                                                 "死去的等待者的租约",
	"lockSoon waits for the lock for 10 s at most, or closes s.":         "lockSoon 最多等锁 10 秒，等不到就关闭 s。",
	"no lease: wait no longer":                                           "没有租约：不再等",
	"The claim may stand, though Lock failed. Close deletes it:":         "Lock 出错，排队键也可能还在。Close 会删掉它：",
	"from now on watch s.Done()":                                         "从现在起看着 s.Done()",
	"all that hangs on it":                                               "挂在它上面的一切",
	"takes all of it along":                                              "把这些都带走",
	"owner is one worker, or one request. No two share it.":              "owner 是一个工作者，或一个请求，不能共用。",
	"watch s.Done() at work":                                             "工作时看着 s.Done()",
	"it is locked already":                                               "已经加了锁",
	"the lease is lost":                                                  "租约丢了",
	"no claim stays behind":                                              "不留下排队键",
	"only what Lock gave is counted":                                     "Lock 成功了才计数",
	"an error: the lease may have been lost":                             "出错：租约可能已经丢了",
	`Not "/orders" beside "/orders/eu":`:                                 `不要同时用 "/orders" 和 "/orders/eu"：`,
	`holderOf is the first key of a lock, "" for none.`:                  `holderOf 是锁的第一个键，没有就是 ""。`,
	"NewMutex adds a slash to the name, code of your own has to:":        "NewMutex 在名字后加斜杠，自己写的代码也要加：",
	`"/orders/eu-west" begins like europe.`:                              `"/orders/eu-west" 的开头和 europe 一样。`,
	"all of them":                                                        "全部成员",
	"notices a dead one":                                                 "能发现断掉的连接",
	"deleted waits until key is deleted, after rev.":                     "deleted 等到 key 在 rev 之后被删除。",
	"It ends with an error when there is no leader.":                     "没有 Leader 时，它出错结束。",
	"one lease leads here and waits there":                               "同一个租约在这里领先，在那里等待",
	"lockAll takes all locks, or closes s. Give it a ctx that ends.":     "lockAll 拿到所有的锁，否则关闭 s。给它一个会结束的 ctx。",
	"the same order in every program":                                    "每个程序都用同一顺序",
	"Let go of all, and of this claim. Try again later:":                 "放开全部，也放开这个排队键。以后再试：",
}

// comment is where one begins in a line.
var comment = regexp.MustCompile(`^(.*(?:// |   # ))(.+)$`)

// code are lines that are shown as they are, but for their comments.
func (p *Pupil) code(lines []string) (in []string) {
	for _, line := range lines {
		if m := comment.FindStringSubmatch(line); m != nil && p.lang == "zh" && comments[m[2]] != "" {
			line = m[1] + comments[m[2]]
		}
		in = append(in, line)
	}
	return in
}

func (p *Pupil) say(id string, args ...any) string {
	return fmt.Sprintf(words[id][map[bool]int{true: 1}[p.lang == "zh"]], args...)
}

// Language is the language of the course that the locale names, English if it names none.
func Language(getenv func(string) string) string {
	for _, name := range []string{"LC_ALL", "LC_MESSAGES", "LANG"} {
		if v := getenv(name); v != "" {
			if lang, _, _ := strings.Cut(v, "_"); strings.HasPrefix(lang, "zh") {
				return "zh"
			}
			return "en"
		}
	}
	return "en"
}
