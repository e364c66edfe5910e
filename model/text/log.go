package text

import "locktop/model"

// notes are the lines about the watch itself.
var notes = map[model.MessageID]Sentence{
	"quote":               {"{0}", "{0}"},
	"entries-left-out":    {"{0} entries are left out here: more happened than is kept", "这里省略了 {0} 条：发生的比保留的多"},
	"all-keys":            {"all keys", "所有的键"},
	"listed-again":        {"{0}: listed again at revision {1}, and what happened in between was not seen", "{0} 在修订版本 {1} 重新列出：中间发生的没有看到"},
	"history-is-read":     {"the history of {0} is read from revision {1} on: when it happened is not known, nor what came before", "从修订版本 {1} 开始读 {0} 的历史：什么时候发生、之前有什么，都不清楚"},
	"history-was-read":    {"the history of {0} is read up to revision {1}: from here on it is seen as it happens", "{0} 的历史读到修订版本 {1}：从这里开始是当场看到的"},
	"watch-lost":          {"the watch of {0} is lost ({1}): {2}", "{0} 的监听中断（{1}）：{2}"},
	"watch-back":          {"the watch of {0} is back after {1}, nothing was missed", "{0} 的监听在 {1} 后恢复，没有漏掉什么"},
	"prefix-denied":       {"{0} may not be read: {1}", "{0} 无权读取：{1}"},
	"locktop-did-not-run": {"locktop did not run for {0}: when things happened meanwhile is not known, and times that span it are lower bounds", "locktop 有 {0} 没有运行：这期间的事什么时候发生不清楚，跨过它的时间是下限"},
}

// members are the lines about the cluster.
var members = map[model.MessageID]Sentence{
	"member":                 {"member {0}", "成员 {0}"},
	"member-by-number":       {"member {0:x}", "成员 {0:x}"},
	"another-member":         {"another member", "另一个成员"},
	"in-term":                {", term {0}", "，任期 {0}"},
	"alarm":                  {"alarm: {0}", "告警：{0}"},
	"no-member-answers":      {"no member answers from here: what the cluster does meanwhile is not known", "从这里没有成员回答：集群这期间做什么不清楚"},
	"no-leader":              {"the cluster has no leader: no lock can be taken, freed or expire", "集群没有 Leader：锁不能获取、释放，也不会到期"},
	"no-leader-from-here":    {"no member that answers from here knows a leader ({0} of {1}): they are cut off from the others, or the cluster has no leader", "从这里有回答的成员（{1} 个里的 {0} 个）都不知道 Leader：它们与其他成员断开了，或者集群没有 Leader"},
	"leads":                  {"{0} leads the cluster{1}", "{0} 领导集群{1}"},
	"leads-now":              {"{0} leads the cluster now{1}: every lease starts its TTL anew", "现在由 {0} 领导集群{1}：每个租约重新开始 TTL"},
	"leads-as-before":        {"{0} leads the cluster as before{1}: no leader was elected meanwhile", "仍由 {0} 领导集群{1}：这期间没有选出 Leader"},
	"leads-perhaps-anew":     {"{0} leads the cluster: whether it was elected anew meanwhile is not known, its term was not told", "{0} 领导集群：这期间是否重新选举不清楚，它没有说任期"},
	"has-its-leader-still":   {"the cluster has its leader still{0}", "集群仍有 Leader{0}"},
	"member-does-not-answer": {"{0} does not answer: {1}", "{0} 没有回答：{1}"},
	"member-answers-again":   {"{0} answers again", "{0} 又有回答了"},
}

// lab are the lines about programs, faults and drills, and about what was found.
var lab = map[model.MessageID]Sentence{
	"process-is":           {"{0} (pid {1}) is {2}", "{0}（pid {1}）{2}"},
	"process-runs":         {"{0} (pid {1}) is running", "{0}（pid {1}）在运行"},
	"process-paused":       {"{0} (pid {1}) is paused", "{0}（pid {1}）被暂停"},
	"process-ended":        {"{0} (pid {1}) is ended", "{0}（pid {1}）已结束"},
	"process-killed":       {"{0} (pid {1}) is ended: killed", "{0}（pid {1}）被杀掉"},
	"process-stopped":      {"{0} (pid {1}) is ended: stopped", "{0}（pid {1}）已按请求结束"},
	"process-ended-how":    {"{0} (pid {1}) is {2}: {3}", "{0}（pid {1}）{2}：{3}"},
	"noticed-lease-gone":   {"{0} noticed that its lease is gone", "{0} 得知租约没了"},
	"wrote-with-old-token": {"{0} wrote with the old token {1}, though {2} was given: accepted, NOT FENCED", "{0} 用旧令牌 {1} 写入，而 {2} 已经发出：被接受，没有防护"},
	"fault":                {"fault: {0}", "故障：{0}"},
	"fault-healed":         {"fault ended: {0} (healed)", "故障结束：{0}（已恢复）"},
	"fault-target-ended":   {"fault ended: {0} (target ended)", "故障结束：{0}（目标已结束）"},
	"fault-time-was-up":    {"fault ended: {0} (its time was up)", "故障结束：{0}（时间到）"},
	"fault-ended":          {"fault ended: {0} ({1})", "故障结束：{0}（{1}）"},

	"drill-began":    {"drill {0} began: {1}", "演练 {0} 开始：{1}"},
	"step":           {"step {0}{1}", "课程第 {0} 步"},
	"step-failed":    {"step {0} failed{1}", "课程第 {0} 步失败"},
	"step-over":      {"step {0} over{1}", "课程第 {0} 步完成"},
	"step-says":      {": {0}", "：{0}"},
	"expected":       {"expected {0}: {1}", "预期 {0}：{1}"},
	"expected-seen":  {"expected {0}: {1}, {2}", "预期 {0}：{1}，{2}"},
	"drill-over":     {"drill over: {0}", "演练结束：{0}"},
	"drill-over-why": {"drill over: {0}, {1}", "演练结束：{0}，{1}"},

	"found":                   {"{0:title} ({1}): {2}", "{0}（{1}）：{2}"},
	"found-alone":             {"{0:title} ({1})", "{0}（{1}）"},
	"found-on-lock":           {"{0} (on {1})", "{0}（{1}）"},
	"found-on-locks":          {"{0} (on {1} and {2} more)", "{0}（{1} 等，另有 {2} 个锁）"},
	"was-found":               {"Was: {0}, from {1} for {2}: {3}", "曾有：{0}，从 {1} 起持续 {2}：{3}"},
	"was-found-on":            {"Was: {0} on {1}, from {2} for {3}: {4}", "曾有：{1} 上的{0}，从 {2} 起持续 {3}：{4}"},
	"opened-at-what-happened": {"opened at {0}: {1}", "打开于 {0}：{1}"},
	"opened-at-the-worst":     {"opened at {0}, the worst of {1} incidents: {2}; ( and ) go to others", "打开于 {0}，{1} 起事件里最严重的：{2}；( 和 ) 去其他的"},
	"was-ended-by":            {"{0}; ended by {1}", "{0}；由 {1} 结束"},
	"broken-by-hand":          {"{0}; {1} {1|lock was|locks were} broken by hand", "{0}；有 {1} 把锁被手动破坏"},
	"and-problems-before":     {" ({0} more {0|problem|problems} before the end)", "（结束前还有 {0} 个问题）"},
	"was-and-is":              {"{0}{1}. At the end: {2}", "{0}{1}。结束时：{2}"},
	"found-over":              {"{0:title} is over, after {1}", "「{0}」结束，历时 {1}"},
	"found-out-of-sight":      {"{0:title} is out of sight after {1}: no member answers", "「{0}」在 {1} 后看不到了：没有成员回答"},
}

// actions are the lines about what was done from here.
var actions = map[model.MessageID]Sentence{
	"outcome-done":     {"{0}{1}{2}", "{0}{1}{2}"},
	"outcome-unknown":  {"unknown whether done: {0}{1}{2}", "不知道做了没有：{0}{1}{2}"},
	"outcome-not-done": {"not done: {0}{1}{2}", "没有做：{0}{1}{2}"},
	"detail":           {" ({0})", "（{0}）"},
	"detail-lab":       {"by the lab", "由实验执行"},
	"detail-no-fault":  {"no fault was in force", "没有在起作用的故障"},
	"detail-faults":    {"{0} {0|fault|faults}", "{0} 个故障"},
	"detail-process":   {"pid {0}", "pid {0}"},
	"detail-revision":  {"revision {0}", "修订版本 {0}"},
	"detail-lease":     {"lease {0}", "租约 {0}"},
	"detail-keys":      {"{0} {0|key|keys}", "{0} 个键"},

	"detail-to":      {"to {0}", "换到 {0}"},
	"detail-up-to":   {"up to revision {0}", "到修订版本 {0}"},
	"detail-stopped": {"{0} stopped", "停掉 {0}"},

	"detail-named-process":  {"{0}, pid {1}", "{0}，pid {1}"},
	"detail-key-not-shown":  {"{0} {0|key|keys}; {1:q} was not shown: it joined just before", "{0} 个键；{1:q} 没有显示过：它刚刚加入"},
	"detail-keys-not-shown": {"{0} {0|key|keys}; {1} were not shown: they joined just before, {2:q} is the first", "{0} 个键；{1} 个没有显示过：它们刚刚加入，第一个是 {2:q}"},
	"failure":               {": {0}", "：{0}"},
	"revoked-lease":         {"Revoked lease {0}", "撤销租约 {0}"},
	"deleted-claim":         {"Deleted claim {0}", "删除排队键 {0}"},
	"started":               {"Started {0}", "启动 {0}"},
	"added-contender":       {"Added a contender on {0}", "新增竞争者：{0}"},
	"did-fault":             {"{0}", "{0}"},
	"healed":                {"Healed: {0}", "恢复：{0}"},
	"healed-all":            {"Healed every fault", "恢复所有故障"},
	"told":                  {"Told {0} to {1}", "告诉 {0}：{1}"},
	"did":                   {"Did: {0}", "已做：{0}"},

	"revoke-lease":        {"revoke lease {0}", "撤销租约 {0}"},
	"delete-claim":        {"delete claim {0} if its create revision is still {1}", "删除排队键 {0}，如果创建修订版本还是 {1}"},
	"delete-claim-as-put": {"delete claim {0} if its create revision is still {1} and its mod revision {2}", "删除排队键 {0}，如果创建修订版本还是 {1}，修改修订版本还是 {2}"},
	"start":               {"start {0}", "启动 {0}"},
	"add-contender":       {"add a contender on {0}", "新增竞争者：{0}"},
	"do-fault":            {"{0}", "{0}"},
	"heal":                {"heal: {0}", "恢复：{0}"},
	"heal-all":            {"heal every fault", "恢复所有故障"},
	"tell":                {"tell {0} to {1}", "告诉 {0}：{1}"},
	"do":                  {"{0}", "{0}"},
}
