package text

import "locktop/model"

// nextMoves are what it takes for a lock to move, and the same in fewer words.
var nextMoves = map[model.MessageID]Sentence{
	"until":                                 {"until {0}", "直到{0}"},
	"will-not-clear-by-itself":              {"will not clear by itself", "不会自己解除"},
	"not-by-itself":                         {"not by itself", "不会自己动"},
	"will-not-clear-while-alive":            {"will not clear while its holder is alive", "持有者活着就不会解除"},
	"not-while-renewed":                     {"not while renewed", "续租就不动"},
	"never-if-a-deadlock":                   {"never, if this is a deadlock", "若是死锁，就不会动"},
	"not-if-a-deadlock":                     {"not if a deadlock", "死锁则不动"},
	"never":                                 {"never", "不会动"},
	"blocking-key-goes":                     {"the key that blocks it goes", "挡住它的键消失"},
	"blocking-key-goes-briefly":             {"blocking key goes", "挡住的键消失"},
	"etcd-revokes-its-lease-past-its-end":   {"etcd revokes its lease, which is past its end", "etcd 撤销它已过期限的租约"},
	"etcd-revokes-its-lease":                {"etcd revokes its lease", "etcd 撤销它的租约"},
	"etcd-revokes-it":                       {"etcd revokes it", "etcd 撤销它"},
	"its-key-is-deleted":                    {"its key is deleted: it has no lease", "它的键被删除：键没有租约"},
	"key-is-deleted":                        {"key is deleted", "键被删除"},
	"its-lease-ends-unless-renewed":         {"its lease ends, in {0} unless renewed", "租约到期，若不续租还有 {0}"},
	"its-lease-ends-in":                     {"its lease ends, in {0}", "租约到期，还有 {0}"},
	"its-lease-ends":                        {"its lease ends", "租约到期"},
	"lease-ends-in":                         {"lease ends in {0}", "租约 {0} 后到期"},
	"ends-in":                               {"ends in {0}", "{0} 后到期"},
	"all-holders-release":                   {"all {0} holders release", "{0} 个持有者都释放"},
	"all-release":                           {"all {0} release", "{0} 个都释放"},
	"its-program-releases":                  {"its program releases", "程序释放"},
	"program-releases":                      {"program releases", "程序释放"},
	"its-program-releases-or-lease-ends":    {"its program releases, or its lease ends", "程序释放或租约到期"},
	"program-releases-or-lease-ends":        {"program releases, or its lease ends", "程序释放或租约到期"},
	"its-program-releases-or-lease-ends-in": {"its program releases, or its lease ends, in {0}", "程序释放，或租约到期（还有 {0}）"},
	"its-program-releases-or-lease-ends-unless-renewed": {"its program releases, or its lease ends, in {0} unless renewed", "程序释放，或租约到期（若不续租还有 {0}）"},
	"program-releases-or-lease-ends-in":                 {"program releases, or lease ends in {0}", "程序释放，或 {0} 后到期"},
	"release-or-in":                                     {"release or in {0}", "释放或 {0} 后"},
	"releases-usually-within":                           {"its program releases, usually within {0}", "程序释放，通常在 {0} 内"},
	"releases-usually-in":                               {"its program releases, usually in {0} to {1}", "程序释放，通常在 {0} 到 {1} 后"},
	"releases-usually-in-about":                         {"its program releases, usually in about {0}", "程序释放，通常在约 {0} 后"},
	"as-usual":                                          {"~{0}, as usual", "约 {0}"},
	"soon-as-usual":                                     {"soon, as usual", "快了"},

	"if-the-holders-clock-is-right":     {", if the holder's clock is right", "，如果持有者的时钟准"},
	"overdue-others-may-take-it":        {"overdue by {0}: others may take it{1}", "过期 {0}：别人可以接手{1}"},
	"overdue-by":                        {"overdue by {0}{1}", "过期 {0}{1}"},
	"others-may-take-it-unless-renewed": {"others may take it in {0} unless renewed{1}", "若不续租，{0} 后别人可以接手{1}"},
	"others-may-take-it-in":             {"others may take it in {0}", "{0} 后别人可以接手"},
	"expires-in":                        {"expires in {0}{1}", "{0} 后过期{1}"},

	"not-a-known-lock":             {"{0} is not a known lock: none of its keys is known to hold it", "{0} 不是已知的锁：不知道哪个键持有它"},
	"stands-first-and-is-no-claim": {"{0} stands first, and is not a claim of {1}", "{0} 排在最前，它不是 {1} 的排队键"},
	"hold-together":                {"{0} hold {1} together: {2}", "{0} 个一起持有 {1}：{2}"},
	"and-so-on":                    {"…", "等"},
}

// quiet are what is said of a lock of which nothing is found, and of a Lease of Kubernetes.
var quiet = map[model.MessageID]Sentence{
	"nothing-can-be-found":          {"nothing can be found: {0}", "什么都看不出来：{0}"},
	"no-problem-found":              {"no problem found; it is {0}: {1}", "没有发现问题；{0}：{1}"},
	"holds-for":                     {"{0} holds for {1}{2}", "{0} 已持有 {1}{2}"},
	"wait-behind-it":                {"; {0} {0|waits|wait}, the longest for {1}", "；{0} 个在等，最久的等了 {1}"},
	"names-unread":                  {model.NamesUnread, "没有记录值，所以也没有名字"},
	"stays-so":                      {"it stays so {0}", "保持这样：{0}"},
	"half-of-the-holds-took":        {"of the last {0} holds half took {1} at most, the longest {2}", "最近 {0} 次持有，一半不超过 {1}，最久 {2}"},
	"estimate-needs-holds":          {"an estimate needs {0} holds that were seen whole; {1} were", "估计需要完整看到 {0} 次持有；现在有 {1} 次"},
	"a-hung-program-looks-the-same": {"a hung program whose client still renews looks the same in etcd", "程序卡住而客户端仍在续租时，etcd 里看起来一样"},

	"encrypted-by-kubernetes": {"encrypted by Kubernetes: who holds it is not known", "被 Kubernetes 加密：谁持有不清楚"},
	"held-by":                 {"held by {0}", "由 {0} 持有"},
	"acquired-at":             {", acquired {0}", "，获取于 {0}"},
	"holder-and-transitions":  {"{0}{1}, {2} transitions", "{0}{1}，换过 {2} 次"},
	"renewed-for":             {"renewed {0} by the holder's clock, for {1:go}", "按持有者的时钟，续租于 {0}，期限 {1:go}"},
	"coordinated-election":    {"coordinated election{0}{1}", "协调选举{0}{1}"},
	"strategy":                {", strategy {0}", "，策略 {0}"},
	"preferred-holder":        {", preferred holder {0}", "，首选持有者 {0}"},
}

// screen are the words of the console.
var screen = map[model.MessageID]Sentence{
	"free-for":                  {"free for {0}", "空闲 {0}"},
	"for":                       {"for {0}", "已 {0}"},
	"keys":                      {"{0} {0|key|keys}", "{0} 个键"},
	"no-waiters":                {"no waiters", "没有等待者"},
	"choose-a-key":              {"{0}; choose a key in its queue", "{0}；在它的队列里选一个键"},
	"no-claim-to-break-here":    {"no claim to break: nobody holds it and nobody waits", "没有可打破的：没有人持有，也没有人等待"},
	"nothing-selected-to-break": {"nothing selected to break", "没有选中可打破的"},
}
