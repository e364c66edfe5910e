// Locktop is top for etcd locks. It shows the holder of every lock, the queue behind it,
// the health of each lease, and the reason when a lock is stuck.
//
//	etcd ──▶ watcher ──batches──▶ model ──▶ ui
//	ui ──actions──▶ chaos, which alone breaks your locks ──▶ etcd
//	demo: a cluster of its own, with contenders to break
//
// In the order model, watcher | chaos, demo, ui a folder imports none that stands behind it; of watcher, chaos takes
// watcher/validate alone. demo drives chaos/drill, gate and proxy. In the model, store applies events; locks, reports
// and findings write the lines of the journal.
//
// The folders:
//
//	model               values: events, findings, actions, faults, and their words; no clock, no I/O
//	model/recipe        the rules by which programs lock, one value each
//	model/locks         keys, queues, leases, prefixes, members, and what could not be seen
//	model/reports       what contenders and the proxy report: beliefs, faults, connections; the drill that runs
//	model/text          the words of all messages: the one place where they become sentences
//	model/journal       what happened to the locks, line by line
//	model/timeline      when each claim waited and held; marks and gaps, contention in figures
//	model/status        the state of a lock, in a word and a sentence, and when it moves
//	model/findings      the rules that say why a lock is stuck, each beside its explanation; the wait-for graph
//	model/store         applies events to all of these, and says what to read next
//	model/smallstores   a model of small stores that give a lock, for a lesson
//	model/discover      finds prefixes with locks; model/copies copies records that point to each other
//	watcher             etcd as batches of events; it only reads
//	watcher/recording   writes and plays files, one, or a folder of them that keeps the last hours
//	watcher/queue       the bounded queue of events, also for demo and ui/cli
//	watcher/validate    checks each answer, also for chaos and demo
//	watcher/failures    says errors as messages; watcher/pace keeps to the budget of requests
//	chaos               the requests that may leave a client
//	chaos/gate          breaks locks: all that locktop does to your cluster, but for contend, goes through it
//	chaos/proxy         carries and disturbs connections
//	chaos/relay         pairs connections, for the proxy and for demo/cluster
//	chaos/drill         the format of drills. Below it runner plays one, check gives the verdict, storm draws
//	                    one, roles puts programs of yours into the roles of one
//	demo                the lab, which supervises its processes; below it cluster, contender, process,
//	                    resource (what a lock protects). Drills, lessons and the guide are files (lessons/code: the Go of lessons)
//	demo/bench          a module of its own: benchmarks, the soak, the pictures
//	ui                  the console: keys, layout, routing
//	ui/page             all pages, a file or two each, and the code that they share; all.go lists them
//	ui/table            paints rows, ui/timeline lanes, ui/draw text as terminal cells: theme, width, styles;
//	                    they know no page. The axis of times is in ui/page
//	ui/terminal         brings frames to the terminal, and asks for its background
//	ui/dialog           the dialogs over a page
//	ui/tutor            the panel of the guide and of lessons
//	ui/host             the interface between the console and its dialogs and panel
//	ui/cast             writes a recorded terminal in the format of asciinema, also for the pictures
//	ui/fields           one table of fields: the columns of every output
//	ui/report           the same facts as text and JSON. Below it ticket is the page of the command report,
//	                    metrics is for Prometheus (its alerts: .prometheus/alerts.yml)
//	ui/cli              the command line, which joins all. Below it session is the loop behind every command
//	                    that looks, playback plays a recording under the console, control is the door of
//	                    lab and proxy for scripts,
//	                    course tells drills and lessons to a person, remember has per-user files, documents
//	                    writes what is made of the program,
//	                    quiet keeps Bubble Tea from asking the terminal
//	for tests           model/modeltest, watcher/hostile, chaos/chaostest, demo/labtest, demo/etcdtest
//
// .github/CONTRIBUTING.md says where each kind of change goes. Two walks through the packages:
//
// How a put reaches the screen. The watcher has it in a [model.Batch], and the loop of ui.Shell
// hands that to store.Store. Package locks asks model/recipe which lock the key belongs to and
// puts it into that queue; the journal gets a line, the timeline notes who came, and findings asks its
// rules about that lock. Before the next frame the page on the screen (ui/page) has ui/table
// paint its rows: a row of ui/fields, or the page itself, gives the text of each cell.
//
// How a revoke reaches the journal. x is a row of the table of keys, and opens a dialog
// (ui/dialog), which wants a plan of host.Actions: chaos/gate reads which keys would go. Once
// that is confirmed, the gate reads again, writes a line into the audit log, revokes,
// writes another, and tells the model by an event, [model.Acted]. Before or after that the
// watch sees the keys go. From both, model/journal concludes that you revoked the lease. Why other
// keys went is found in model/locks by readings (attribution.go), and in model/reports by the proxy.
package main

import (
	"os"

	"locktop/ui/cli"
)

func main() {
	os.Exit(cli.Main(os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
}
