package ticket

import (
	"time"

	"locktop/model"
	"locktop/model/journal"
	"locktop/model/reports"
	"locktop/model/store"
	"locktop/model/timeline"
	"locktop/ui/report"
)

// Formats are the formats of a [Page].
var Formats = []string{"html", "md", "json", "perfetto"}

// Options say what a page is about.
type Options struct {
	// Source names what was looked at.
	Source string
	// From is when the look began; it ends at Observation.At.
	From time.Time
	report.Observation
	// Lock, if not "", is the only one that is told of.
	Lock string
	// Values says that the values of keys are as they are. Else they were replaced before
	// anything was made of them, and the page says so.
	Values bool
	// Names says the same of the names of keys.
	Names bool
	// Again are the commands that show the same once more.
	Again []string
	// Log has lines of the journal from before those that the state still has; nil: none.
	Log *Log
	// See returns the commands that show one moment of a lock, of all locks for "".
	See func(at time.Time, lock string) []string
}

// Page is the report of what happened, as a value: HTML, Markdown, JSON and the file for
// Perfetto are views of it.
type Page struct {
	Schema  int             `json:"schema"`
	Source  string          `json:"source"`
	From    time.Time       `json:"from"`
	To      time.Time       `json:"to"`
	Values  string          `json:"values"` // "shown" or "masked"
	Names   string          `json:"names"`  // the same of the names of keys
	Cluster *report.Cluster `json:"cluster"`
	Seen    report.Observed `json:"observed"`

	Verdict verdict `json:"verdict"`
	// Stories are what happened, in the order in which it began.
	Stories []*story `json:"stories"`
	// Drill is null where none was played.
	Drill     *drill           `json:"drill"`
	Locks     []lock           `json:"locks"`
	WaitsFor  []edge           `json:"waits_for"`
	Findings  []report.Finding `json:"findings"`
	Handovers []report.Event   `json:"handovers"`
	Happened  []report.Event   `json:"happened"`
	Done      []done           `json:"done"`
	// Beliefs are when clients believed that they held, as far as anybody told; Overlaps when
	// they did while somebody else held.
	Beliefs  []belief `json:"beliefs"`
	Overlaps []belief `json:"overlaps"`
	Again    []string `json:"again"`
	// LeftOut counts what a page has no room for.
	LeftOut leftOut `json:"left_out"`

	s        *store.View
	o        Options
	lines    []*journal.Entry
	happened []string // Happened in the words of the screen
}

// Bounds of a page, so that it can be sent and read.
const (
	pageLocks     = 100
	pageFindings  = 30
	pageHandovers = 150
	pageHappened  = 150
	pageDoneMax   = 100
	pageEdges     = 60
	pageText      = 400 // characters of a sentence
	pageSource    = 200
)

type leftOut struct {
	Locks     int `json:"locks"`
	WaitsFor  int `json:"waits_for"`
	Findings  int `json:"findings"`
	Handovers int `json:"handovers"`
	Happened  int `json:"happened"`
	Done      int `json:"done"`
	Stories   int `json:"stories"`
	// Beliefs counts overlaps as well.
	Beliefs      int `json:"beliefs"`
	Steps        int `json:"steps"`
	Expectations int `json:"expectations"`
}

type verdict struct {
	// Level is that of the worst finding, "well" for none, "unseen" where something could
	// not be seen.
	Level string `json:"level"`
	Text  string `json:"text"`
}

// lock is a lock across the time of the page.
type lock struct {
	Name       string  `json:"name"`
	NameBase64 string  `json:"name_base64,omitempty"`
	Recipe     string  `json:"recipe"`
	State      string  `json:"state"`
	Holder     *string `json:"holder"`
	// Waiters is null where waiting leaves no trace.
	Waiters   *int `json:"waiters"`
	Handovers int  `json:"handovers"`
	// Since is from when on the sums and the lane are whole, null if from the beginning.
	Since     *time.Time `json:"since"`
	TotalWait float64    `json:"total_wait"`
	TotalHold float64    `json:"total_hold"`

	raw   string
	level model.Level
	spans []timeline.Span

	beliefs  []reports.Believed
	overlaps []reports.Overlap
}

// edge says that one session waits for another.
type edge struct {
	Who  string `json:"who"`
	For  string `json:"for"`
	Lock string `json:"lock"`

	from, to string // who they are: several may have one name
}

// done is something that was done through locktop.
type done struct {
	At   time.Time `json:"at"`
	By   *string   `json:"by"`
	Text string    `json:"text"`
}

// rank puts those first at which a person should look.
func (l lock) rank() model.Level {
	if l.level >= model.LevelWarning {
		return l.level
	}
	return 0
}

// drill is a drill, or a lesson, that was played.
type drill struct {
	Name   *string `json:"name"` // null if its beginning was not seen
	Title  string  `json:"title"`
	Why    string  `json:"why"`
	Defect *string `json:"defect"`
	// Verdict is null while it is played, or if its end was not seen.
	Verdict      *model.DrillVerdict `json:"verdict"`
	Reason       *string             `json:"reason"`
	Steps        []step              `json:"steps"`
	Expectations []judged            `json:"expectations"`
}

type step struct {
	N      int        `json:"n"`
	Text   string     `json:"text"`
	Came   *string    `json:"came"` // what came of it
	Began  time.Time  `json:"began"`
	Ended  *time.Time `json:"ended"`
	Failed bool       `json:"failed"`
}

type judged struct {
	Expected string             `json:"expected"`
	Verdict  model.DrillVerdict `json:"verdict"`
	Seen     *string            `json:"seen"`
	Evidence []string           `json:"evidence"`
}

// belief is a time during which a client believed that it held a lock. Of an overlap Who
// held it then.
type belief struct {
	Lock string     `json:"lock"`
	By   string     `json:"by"`
	From time.Time  `json:"from"`
	To   *time.Time `json:"to"`
	Who  *string    `json:"held_by,omitempty"`
}
