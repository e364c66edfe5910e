package text

import "locktop/model"

// notes are the lines about the watch itself.
var notes = map[model.MessageID]Sentence{
	"quote":               {"{0}", "{0}"},
	"entries-left-out":    {"{0} entries are left out here: more happened than is kept", ""},
	"all-keys":            {"all keys", ""},
	"listed-again":        {"{0} was listed again at revision {1}: what happened in between was not seen", ""},
	"history-is-read":     {"the history of {0} is read from revision {1} on: when it happened is not known, nor what came before", ""},
	"history-was-read":    {"the history of {0} is read up to revision {1}: from here on it is seen as it happens", ""},
	"watch-lost":          {"the watch of {0} is lost ({1}): {2}", ""},
	"watch-back":          {"the watch of {0} is back after {1}, nothing was missed", ""},
	"prefix-denied":       {"{0} may not be read: {1}", ""},
	"locktop-did-not-run": {"locktop did not run for {0}: when things happened meanwhile is not known, and times that span it are lower bounds", ""},
}

// members are the lines about the cluster.
var members = map[model.MessageID]Sentence{
	"member":                 {"member {0}", "成员 {0}"},
	"member-by-number":       {"member {0:x}", "成员 {0:x}"},
	"another-member":         {"another member", ""},
	"in-term":                {", term {0}", ""},
	"alarm":                  {"alarm: {0}", ""},
	"no-member-answers":      {"no member answers from here: what the cluster does meanwhile is not known", ""},
	"no-leader":              {"the cluster has no leader: no lock can be taken, freed or expire", ""},
	"no-leader-from-here":    {"no member that answers from here knows a leader ({0} of {1}): they are cut off from the others, or the cluster has no leader", ""},
	"leads":                  {"{0} leads the cluster{1}", ""},
	"leads-now":              {"{0} leads the cluster now{1}: every lease starts its TTL anew", ""},
	"leads-as-before":        {"{0} leads the cluster as before{1}: no leader was elected meanwhile", ""},
	"leads-perhaps-anew":     {"{0} leads the cluster: whether it was elected anew meanwhile is not known, its term was not told", ""},
	"has-its-leader-still":   {"the cluster has its leader still{0}", ""},
	"member-does-not-answer": {"{0} does not answer: {1}", ""},
	"member-answers-again":   {"{0} answers again", ""},
}

// lab are the lines about programs, faults and drills, and about what was found.
var lab = map[model.MessageID]Sentence{
	"process-is":           {"{0} (pid {1}) is {2}", ""},
	"process-runs":         {"{0} (pid {1}) is running", "{0} (pid {1}) 在运行"},
	"process-paused":       {"{0} (pid {1}) is paused", "{0} (pid {1}) 被暂停"},
	"process-ended":        {"{0} (pid {1}) is ended", "{0} (pid {1}) 已结束"},
	"process-killed":       {"{0} (pid {1}) is ended: killed", "{0} (pid {1}) 被杀掉"},
	"process-stopped":      {"{0} (pid {1}) is ended: stopped", "{0} (pid {1}) 已按请求结束"},
	"process-ended-how":    {"{0} (pid {1}) is {2}: {3}", "{0} (pid {1}) 已结束：{3}"},
	"noticed-lease-gone":   {"{0} noticed that its lease is gone", "{0} 得知租约没了"},
	"wrote-with-old-token": {"{0} wrote with the old token {1}: accepted, though {2} was given", "{0} 用旧令牌 {1} 写入：被接受，而 {2} 已经发出"},
	"fault":                {"fault: {0}", "故障：{0}"},
	"fault-healed":         {"fault ended: {0} (healed)", "故障结束：{0}（已恢复）"},
	"fault-target-ended":   {"fault ended: {0} (target ended)", "故障结束：{0}（目标已结束）"},
	"fault-ended":          {"fault ended: {0} ({1})", "故障结束：{0} ({1})"},

	"drill-began":    {"drill {0} began: {1}", ""},
	"step":           {"step {0}{1}", "课程第 {0} 步"},
	"step-failed":    {"step {0} failed{1}", "课程第 {0} 步"},
	"step-over":      {"step {0} over{1}", "课程第 {0} 步完成"},
	"step-says":      {": {0}", ""},
	"expected":       {"expected {0}: {1}", ""},
	"expected-seen":  {"expected {0}: {1}, {2}", ""},
	"drill-over":     {"drill over: {0}", ""},
	"drill-over-why": {"drill over: {0}, {1}", ""},

	"found":         {"{0} ({1}): {2}", ""},
	"found-over":    {"{0} is over, after {1}", ""},
	"found-over-on": {"{0} on {2} is over, after {1}", ""},
}

// actions are the lines about what was done from here.
var actions = map[model.MessageID]Sentence{
	"outcome-done":     {"{0}{1}{2}", "{0}{1}{2}"},
	"outcome-unknown":  {"unknown whether done: {0}{1}{2}", ""},
	"outcome-not-done": {"not done: {0}{1}{2}", ""},
	"detail":           {" ({0})", " ({0})"},
	"failure":          {": {0}", ": {0}"},
	"revoked-lease":    {"Revoked lease {0}", "撤销租约 {0}"},
	"deleted-claim":    {"Deleted claim {0}", "删除排队键 {0}"},
	"started":          {"Started {0}", "启动 {0}"},
	"added-contender":  {"Added a contender on {0}", "新增竞争者：{0}"},
	"did-fault":        {"{0}", "{0}"},
	"healed":           {"Healed: {0}", "恢复：{0}"},
	"healed-all":       {"Healed every fault", "恢复所有故障"},
	"told":             {"Told {0} to {1}", "告诉 {0}：{1}"},
	"did":              {"Did: {0}", ""},
}
