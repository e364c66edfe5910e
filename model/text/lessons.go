package text

import "locktop/model"

// lessons are the sentences that say what happens in a lesson: what is done, waited for and measured,
// and what came of it.
var lessons = map[model.MessageID]Sentence{
	"story-pause":                {"{0} is paused", "暂停 {0}"},
	"story-kill":                 {"{0} is killed", "杀掉 {0}"},
	"story-stop":                 {"{0} is asked to end", "让 {0} 正常结束"},
	"story-hold-keepalives":      {"the renewals of {0} are held back", "拦住 {0} 的续租"},
	"story-hold":                 {"messages of {0} are held back", "拦住 {0} 的消息"},
	"story-delay":                {"messages of {0} come late", "让 {0} 的消息迟到"},
	"story-drop-reply":           {"replies to {0} are lost", "丢弃给 {0} 的回答"},
	"story-freeze":               {"nothing of {0} passes", "冻结 {0} 的连接"},
	"story-cut":                  {"{0} is cut off", "切断 {0} 的连接"},
	"story-slow":                 {"the link of {0} is slow", "让 {0} 的连接变慢"},
	"story-stop-member":          {"the member {0} stops", "停掉成员 {0}"},
	"story-stop-leader":          {"the leader stops", "停掉 Leader"},
	"story-pause-member":         {"the member {0} is paused", "暂停成员 {0}"},
	"story-isolate":              {"the member {0} is isolated", "隔离成员 {0}"},
	"story-slow-member":          {"the member {0} is slow", "让成员 {0} 变慢"},
	"story-move-leader":          {"another member becomes the leader", "换另一个成员做 Leader"},
	"story-lose-quorum":          {"a majority of the members stops", "停掉多数成员"},
	"story-deadlock":             {"two programs take two locks in opposite order", "两个程序以相反的顺序拿两把锁"},
	"story-compact":              {"the history is compacted", "压缩历史"},
	"story-fill":                 {"the database is full", "填满数据库"},
	"story-put":                  {"the key {0} is put without a lease", "写入没有租约的键 {0}"},
	"story-detach":               {"the key of {0} loses its lease", "让 {0} 的键脱离租约"},
	"story-revoke":               {"the lease of {0} is revoked", "撤销 {0} 的租约"},
	"story-delete":               {"the claim of {0} is deleted", "删除 {0} 的排队键"},
	"story-over-pause":           {"{0} runs on", "让 {0} 继续运行"},
	"story-over-hold-keepalives": {"the renewals of {0} pass again", "放行 {0} 的续租"},
	"story-told-lock":            {"{0} asks for the lock", "{0} 请求锁"},
	"story-told-unlock":          {"{0} lets the lock go", "{0} 释放锁"},
	"story-told-lock-again":      {"{0} locks once more with its session", "{0} 用同一会话再次加锁"},
	"story-told-read":            {"{0} reads the resource", "{0} 读资源"},
	"story-told-put":             {"{0} writes what it made of it", "{0} 写资源"},
	"story-told-write":           {"{0} reads and writes the resource", "{0} 读写资源"},
	"story-told-close":           {"{0} closes its session", "{0} 关闭会话"},
	"story-told-drop":            {"{0} stops renewing", "{0} 停止续租"},
	"story-told-renew":           {"{0} renews the holder's lease", "{0} 给持有者的租约续租"},
	"story-told-queue-by":        {"{0} chooses how it looks for who is before it", "{0} 选择怎样找排在前面的"},
	"story-told-rewrite":         {"{0} writes its own key again", "{0} 再写一次自己的键"},
	"story-told-proclaim":        {"{0} writes a new value", "{0} 改写自己的值"},
	"story-told-give-up":         {"{0} gives up its place", "{0} 放弃自己的位置"},
	"story-told-abandon":         {"{0} gives up, and its call waits on", "{0} 放弃了，它的调用还在等"},
	"story-told-observe":         {"{0} observes", "{0} 开始观察"},
	"story-told-observed":        {"{0} is asked whom it observed last", "问 {0} 最后观察到谁"},
	"story-told-leader":          {"{0} asks etcd who leads", "{0} 向 etcd 询问领导者"},
	"story-told-claim":           {"{0}: Txn puts its claim", "{0}：Txn 写入排队键"},
	"story-told-get":             {"{0}: Get reads a claim", "{0}：Get 读取排队键"},
	"story-told-watch":           {"{0}: Watch follows what it read", "{0}：Watch 监听刚读到的键"},
	"story-told-enter":           {"{0} goes to work", "{0} 开始工作"},
	"story-told-look":            {"{0}: Get reads /data", "{0}：Get 读取 /data"},
	"story-told-save-if":         {"{0}: Txn writes /data", "{0}：Txn 写入 /data"},
	"story-told-unlock-if":       {"{0}: Txn deletes the key", "{0}：Txn 删除键"},
	"story-told-take-if":         {"{0}: Txn puts its keys", "{0}：Txn 写入键"},
	"story-told-return":          {"{0} goes on", "{0} 继续做别的"},
	"story-told-resign-again":    {"{0} calls Resign once more", "{0} 再次调用 Resign"},
	"story-told-unlock-again":    {"{0} sends its unlock once more", "{0} 把释放请求再发一次"},
	"story-told-delete":          {"{0} deletes the key by its name", "{0} 按名字删除键"},
	"story-told-ttl":             {"{0} chooses its TTL", "{0} 选定 TTL"},
	"story-told-renew-every":     {"{0} chooses how it renews", "{0} 选定续租方式"},
	"story-told-rule":            {"the resource takes the rule", "资源采用这条规则"},

	"came-one-holder-held":          {"In etcd the lock had one holder at a time.", "在 etcd 里，锁每次只有一个持有者。"},
	"came-one-holder-violated":      {"The lock had a holder that was not first in the queue.", "持有锁的不是队列里的第一个。"},
	"came-one-holder-unknown":       {"It cannot be told whether the lock ever had two holders.", "无法判定锁是否有过两个持有者。"},
	"came-fifo-held":                {"It was served in the order of arrival.", "锁按到达的顺序交接。"},
	"came-fifo-violated":            {"It was not served in the order of arrival.", "锁没有按到达的顺序交接。"},
	"came-fifo-unknown":             {"It cannot be told in which order it was served.", "无法判定锁按什么顺序交接。"},
	"came-overlap-held":             {"The time in which two programs believed that they hold was as expected.", "两个程序同时认为自己持有锁，时间和预期一样长。"},
	"came-overlap-violated":         {"The time in which two programs believed that they hold was not as expected.", "两个程序同时认为自己持有锁，时间和预期不一样长。"},
	"came-overlap-unknown":          {"It cannot be told for how long two programs believed that they hold.", "无法判定两个程序同时认为自己持有锁有多久。"},
	"came-handover-held":            {"The lock changed hands in time.", "锁按时交接。"},
	"came-handover-violated":        {"The lock did not change hands as expected.", "锁没有按预期交接。"},
	"came-handover-unknown":         {"It cannot be told whether the lock changed hands in time.", "无法判定锁是否按时交接。"},
	"came-failed-attempts-held":     {"Requests failed as often as expected.", "落空的请求与预期相符。"},
	"came-failed-attempts-violated": {"Requests did not fail as often as expected.", "落空的请求与预期不符。"},
	"came-failed-attempts-unknown":  {"It cannot be told how many requests failed.", "无法判定多少请求落空。"},
	"came-lost-updates-held":        {"An update was lost, as expected.", "如预期丢失了一次更新。"},
	"came-lost-updates-violated":    {"No update was lost, against what was expected.", "没有更新丢失，与预期不符。"},
	"came-lost-updates-unknown":     {"It cannot be told whether an update was lost.", "无法判定是否丢失了更新。"},
	"came-no-lost-update-held":      {"No update was lost.", "没有更新丢失。"},
	"came-no-lost-update-violated":  {"An update was lost.", "丢失了一次更新。"},
	"came-no-lost-update-unknown":   {"It cannot be told whether an update was lost.", "无法判定是否丢失了更新。"},
	"came-no-old-token-held":        {"The resource accepted no token older than one it had seen.", "资源没有接受过比见过的更旧的令牌。"},
	"came-no-old-token-violated":    {"The resource accepted a token older than one it had seen.", "资源接受过比见过的更旧的令牌。"},
	"came-no-old-token-unknown":     {"It cannot be told whether the resource accepted a token older than one it had seen.", "无法判定资源是否接受过比见过的更旧的令牌。"},
	"came-answer-held":              {"The lesson's answer is what was measured.", "课程的答案与测量结果一致。"},
	"came-answer-violated":          {"The lesson's answer is not what was measured.", "课程的答案与测量结果不一致。"},
	"came-answer-unknown":           {"None of the lesson's answers is what was measured.", "课程的答案里没有一个与测量结果相符。"},

	"story-no-longer":     {"no longer: {0}", "不再：{0}"},
	"story-all-healed":    {"every fault ends", "恢复所有故障"},
	"story-starts":        {"{0} starts", "启动 {0}"},
	"story-every-program": {"all", "所有程序"},
	"story-lease-revoked": {"the lease {0} is revoked", "撤销租约 {0}"},
	"story-claim-deleted": {"the claim {0} is deleted", "删除排队键 {0}"},
	"story-new-program":   {"a new program wants {0}", "新增一个想要 {0} 的程序"},
	"story-runs-for":      {"letting it run for {0}", "让它运行 {0}"},

	"measured-nothing":   {"nothing to measure", "没有量到"},
	"measured-seconds":   {"{0} s", "{0} 秒"},
	"measured-no-number": {"nothing measured", "没有测到"},
	"bound-least":        {"at least {0}", "至少 {0}"},
	"bound-most":         {"at most {0}", "最多 {0}"},
	"measured-nobody":    {"nobody", "没有人"},

	"clauses": {"{0}, {1}", "{0}，{1}"},

	"names-and":      {"{0} and {1}", "{0} 和 {1}"},
	"names-numbered": {"{0}1 to {0}{1}", "{0}1 到 {0}{1}"},

	"a-name": {"{0}", "{0}"},

	"want-nobody-holds": {"nobody to hold {0}", "没有人持有 {0}"},

	"met-nobody-holds": {"nobody holds {0}", "没有人持有 {0}"},

	"want-holds-knowing": {"{0} to hold {1} and know it", "{0} 持有 {1}，自己也知道"},

	"met-holds-knowing": {"{0} holds {1} and knows it", "{0} 持有 {1}，自己也知道"},

	"want-holds": {"{0} to hold {1}", "{0} 持有 {1}"},

	"met-holds": {"{0} holds {1}", "{0} 持有 {1}"},

	"want-waits-behind": {"{0} to wait", "{0} 在等待"},

	"met-waits-behind": {"{0} waits", "{0} 在等待"},

	"want-wait-behind": {"{0} to wait in this order", "{0} 按这个顺序等待"},

	"met-wait-behind": {"{0} wait in this order", "{0} 按这个顺序等待"},

	"want-waits-for": {"{0} to wait for {1}", "{0} 等待 {1}"},

	"met-waits-for": {"{0} waits for {1}", "{0} 等待 {1}"},

	"want-wait-for": {"{0} to wait for {1} in this order", "{0} 按这个顺序等待 {1}"},

	"met-wait-for": {"{0} wait for {1} in this order", "{0} 按这个顺序等待 {1}"},

	"want-gone": {"{0} to leave the queue of {1}", "{0} 在 {1} 没有排队键"},

	"met-gone": {"{0} has no claim on {1}", "{0} 在 {1} 没有排队键"},

	"want-keys": {"{0} to have {1} {1|key|keys}", "{0} 有 {1} 个键"},

	"met-keys": {"{0} has {1} {1|key|keys}", "{0} 有 {1} 个键"},

	"want-answer": {"{0} to report", "{0} 报告结果"},

	"met-answer": {"{0} has reported", "{0} 报告了结果"},

	"want-runs": {"{0} to run", "{0} 在运行"},

	"met-runs": {"{0} runs", "{0} 在运行"},

	"want-ends": {"{0} to end", "{0} 已结束"},

	"met-ends": {"{0} has ended", "{0} 已结束"},

	"want-end": {"{0} to end", "{0} 已结束"},

	"met-end": {"{0} have ended", "{0} 已结束"},

	"want-turns": {"{0} {0|turn|turns}", "获取锁 {0} 次"},

	"met-turns": {"there {0|was|were} {0} {0|turn|turns}", "获取锁 {0} 次"},

	"want-found":  {"the finding \"{0}\"", "诊断出「{0}」"},
	"want-over":   {"the finding \"{0}\" to go", "诊断「{0}」消失"},
	"met-over":    {"no finding \"{0}\"", "没有诊断出「{0}」"},
	"want-leader": {"the leader {0}", "Leader：{0}"},

	"want-up": {"{0} {0|member|members} to answer", "{0} 个成员有回答"},

	"met-up": {"{0} {0|member answers|members answer}", "{0} 个成员有回答"},

	"want-one-holding": {"{0} to believe that it holds", "{0} 认为自己持有锁"},

	"met-one-holding": {"{0} believes that it holds", "{0} 认为自己持有锁"},

	"want-all-holding": {"{0} to believe that they hold", "{0} 认为自己持有锁"},

	"met-all-holding": {"{0} believe that they hold", "{0} 认为自己持有锁"},

	"want-one-waiting": {"{0} to wait", "{0} 在等待"},

	"met-one-waiting": {"{0} waits", "{0} 在等待"},

	"want-all-waiting": {"{0} to wait", "{0} 在等待"},

	"met-all-waiting": {"{0} wait", "{0} 在等待"},

	"want-one-lost": {"{0} to know that it lost the lock", "{0} 得知锁已丢失"},

	"met-one-lost": {"{0} knows that it lost the lock", "{0} 得知锁已丢失"},

	"want-all-lost": {"{0} to know that they lost the lock", "{0} 得知锁已丢失"},

	"met-all-lost": {"{0} know that they lost the lock", "{0} 得知锁已丢失"},

	"want-one-leaving": {"{0} to let go", "{0} 正在释放"},

	"met-one-leaving": {"{0} is letting go", "{0} 正在释放"},

	"want-all-leaving": {"{0} to let go", "{0} 正在释放"},

	"met-all-leaving": {"{0} let go", "{0} 正在释放"},

	"want-one-idle": {"{0} to no longer want the lock", "{0} 不再要锁"},

	"met-one-idle": {"{0} no longer wants the lock", "{0} 不再要锁"},

	"want-all-idle": {"{0} to no longer want the lock", "{0} 不再要锁"},

	"met-all-idle": {"{0} no longer want the lock", "{0} 不再要锁"},
}
