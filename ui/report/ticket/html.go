package ticket

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"html/template"
	"io"
	"slices"
	"strconv"
	"sync"
	"time"

	"locktop/model"
	"locktop/model/locks"
	"locktop/model/text"
	"locktop/model/timeline"
	"locktop/ui/report"
)

// style is all the style there is. The policy of the page allows this text and nothing
// else: no script, no image, no font, no address.
const style = `:root{color-scheme:light dark;--bg:#fff;--fg:#1c2128;--dim:#59636e;--line:#d1d9e0;--card:#f6f8fa;--bad:#b3261e;--warn:#8a5a00;--good:#1a6b35;--info:#0b5cad;--even:#2f6fb5;--odd:#8cb8e8;--part:#6a4fa3;--wait:#d9902f}
@media(prefers-color-scheme:dark){:root{--bg:#0f1318;--fg:#dde3ea;--dim:#96a0ab;--line:#303842;--card:#181d24;--bad:#ff8a80;--warn:#f0b952;--good:#6fd08c;--info:#7ab8ff;--even:#4a8fd8;--odd:#234a73;--part:#a88be0;--wait:#d9902f}}
*{box-sizing:border-box}body{margin:0 auto;max-width:64rem;padding:1rem;background:var(--bg);color:var(--fg);font:15px/1.45 system-ui,sans-serif;overflow-wrap:anywhere}
h1{font-size:1.25rem;margin:.2rem 0}h2{font-size:1.05rem;margin:1.6rem 0 .5rem;border-bottom:1px solid var(--line)}h3{font-size:1rem;margin:.2rem 0}.part{margin-top:1rem}
p{margin:.3rem 0}.dim{color:var(--dim)}.verdict{border-left:.35rem solid var(--good);background:var(--card);padding:.6rem .8rem;margin:.8rem 0;font-size:1.1rem}
.error{border-color:var(--bad)}.warning{border-color:var(--warn)}.info{border-color:var(--info)}.unseen{border-color:var(--dim)}
b.error{color:var(--bad)}b.warning{color:var(--warn)}b.info{color:var(--info)}b.well{color:var(--good)}
code{font:13px/1.4 ui-monospace,monospace}pre{font:13px/1.4 ui-monospace,monospace;background:var(--card);padding:.5rem;margin:.3rem 0;overflow-x:auto;white-space:pre-wrap}
.finding{border:1px solid var(--line);border-left-width:.35rem;padding:.5rem .7rem;margin:.5rem 0}.finding.error{border-left-color:var(--bad)}.finding.warning{border-left-color:var(--warn)}.finding.info{border-left-color:var(--info)}.finding.act{border-left-color:var(--fg)}ul{margin:.2rem 0;padding-left:1.2rem}
.lane{display:grid;grid-template-columns:15rem 1fr;gap:.1rem .7rem;align-items:center;margin:.15rem 0}.lane svg{width:100%;height:1.1rem;background:var(--card)}.lane .name{white-space:nowrap;overflow:hidden;text-overflow:ellipsis}
.sub .name{padding-left:1rem;color:var(--dim)}.axis{display:flex;justify-content:space-between;margin-left:15.7rem}.key span{display:inline-block;margin-right:1rem}.key i{display:inline-block;width:.9rem;height:.7rem;margin-right:.3rem}
path{fill:none;stroke-width:7;stroke:var(--even)}.e{background:var(--even)}.o{stroke:var(--odd);background:var(--odd)}.p{stroke:var(--part);background:var(--part)}.w{stroke:var(--wait);stroke-width:2;background:var(--wait)}.b{stroke:var(--bad);background:var(--bad)}.n2{stroke:var(--warn);background:var(--warn)}.u{stroke:var(--dim);background:var(--dim);stroke-dasharray:3 3}.tick{stroke:var(--fg);stroke-width:2;background:var(--fg)}.says{stroke-width:3;stroke:var(--fg);background:var(--fg)}.not{stroke-width:7;stroke:var(--bad);background:var(--bad)}
table{border-collapse:collapse;width:100%}th{text-align:left;color:var(--dim);font-weight:normal}td,th{padding:.15rem .7rem .15rem 0;vertical-align:top;border-bottom:1px solid var(--line)}td.t{white-space:nowrap;font-variant-numeric:tabular-nums}.v{white-space:nowrap}.n{text-align:right;font-variant-numeric:tabular-nums}
.scroll{overflow-x:auto}.scroll td,.scroll th{white-space:nowrap}.graph rect{fill:var(--card);stroke:var(--line)}.graph text{font:12px ui-monospace,monospace;fill:var(--fg)}.graph path{stroke-width:1.5;stroke:var(--dim)}.graph .ring{stroke:var(--bad)}
@media(max-width:40rem){.lane{grid-template-columns:1fr}.axis{margin-left:0}body{padding:.7rem}.wide{display:none}.steps tr{display:block;border-bottom:1px solid var(--line)}.steps td{display:block;border:0}}
@media print{body{max-width:none}}`

func stylePolicy() string {
	sum := sha256.Sum256([]byte(style))
	return "default-src 'none'; style-src 'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"
}

// view is a page as the template paints it.
type view struct {
	*Page
	Policy            string
	Style             template.CSS
	Span, Begin, End  string
	Facts, Blind      []string
	Cards             []storyView
	Noted             []report.Finding // at the end, with no card of their own
	Above             []eventLane
	Lanes             []lockLane
	Axis              []string
	Graph             *graph
	Ring              string
	Rehearsal         *drillView
	OverlapRows       [][2]string
	HandoverRows      [][2]string
	HappenedRows      [][2]string
	DoneRows          [][3]string
	MaskedWords, Left string
}

// lockLane is a lock on the axis: what all held, and below it the lanes of those who took
// part, if it is told of in full.
type lockLane struct {
	lock
	Level, Held, Waited, Behind, Who string
	Lane                             lane
	Acts                             string
	Parts                            []lane
	Beliefs                          []beliefLane
}

// Locks of which every one who took part has a lane, and how many of these.
const (
	toldInFull = 3
	partsMax   = 10
)

// believedFalsely is the title of what clients believed while another held.
const believedFalsely = "Who believed what was not so"

const stamp = "2006-01-02 15:04:05.000 MST"

func (p *Page) view() view {
	v := view{Page: p, Policy: stylePolicy(), Style: template.CSS(style), Span: model.Duration(p.To.Sub(p.From), false),
		Begin: p.From.Format(stamp), End: p.To.Format(stamp), Graph: graphOf(p.WaitsFor), Ring: ringWords(p.WaitsFor), MaskedWords: p.maskedWords(), Left: p.leftWords()}
	v.Facts, v.Blind = p.facts(), p.blind()
	v.Rehearsal, v.OverlapRows = p.drillView(), p.overlapRows()
	v.Cards, v.Noted = p.storyViews(), p.noted()
	v.lanes()
	for _, e := range p.Handovers {
		v.HandoverRows = append(v.HandoverRows, eventRow(e))
	}
	for i, e := range p.Happened {
		v.HappenedRows = append(v.HappenedRows, [2]string{eventRow(e)[0], p.happened[i]})
	}
	for _, d := range p.Done {
		by := "not told"
		if d.By != nil {
			by = *d.By
		}
		v.DoneRows = append(v.DoneRows, [3]string{model.Clock(d.At), by, d.Text})
	}
	return v
}

func eventRow(e report.Event) [2]string {
	at := "earlier"
	if e.At != nil {
		at = model.Clock(*e.At)
	}
	return [2]string{at, e.Text}
}

// Quiet is said where nothing happened that has a card, and no more than could be seen.
func (v view) Quiet() string {
	switch {
	case len(v.Lanes) == 0:
		return "There was no lock to judge, and nothing was broken."
	case len(v.Blind) > 0:
		return "No problem was found in what could be seen, and nothing was broken."
	}
	return "No problem was found, and nothing was broken."
}

// lanes cuts the time into cells and paints every lock.
func (v *view) lanes() {
	count := len(v.Locks)
	parts := make([][]part, count)
	for i, l := range v.Locks {
		if i < toldInFull {
			parts[i] = v.parts(l)
			count += len(parts[i])
		}
		if len(l.beliefs) > 0 {
			count += 2 * believersMax
		}
	}
	a := newAxis(v.From, v.To, count)
	v.Above = v.aboveLocks(a)
	for i, l := range v.Locks {
		x := lockLane{lock: l, Level: levelWord(l.level), Held: secondsWords(l.TotalHold), Waited: secondsWords(l.TotalWait),
			Behind: v.waiters(l), Who: "-", Lane: a.lane(l.Name, l.spans)}
		for _, p := range parts[i] {
			x.Parts = append(x.Parts, a.lane(p.client, p.spans))
		}
		x.Beliefs, x.Acts = a.believers(l), v.actsOn(a, l.raw)
		if l.Holder != nil {
			x.Who = *l.Holder
		}
		if l.Since != nil {
			x.Held += l.Since.Format(" from 15:04:05 on")
		}
		x.Name = model.Short(model.Printable(l.raw), 120)
		v.Lanes = append(v.Lanes, x)
	}
	for i := range 5 {
		at := v.From.Add(time.Duration(float64(v.To.Sub(v.From)) * float64(i) / 4))
		v.Axis = append(v.Axis, at.Format("15:04:05"))
	}
}

// part is one who took part in a lock.
type part struct {
	client string
	spans  []timeline.Span
}

// parts are those who took part, the last to come last.
func (v *view) parts(l lock) (all []part) {
	at := map[string]int{}
	for _, s := range l.spans {
		who := model.Short(v.s.Who(s.Claim), 40)
		i, ok := at[who]
		if !ok {
			i = len(all)
			at[who] = i
			all = append(all, part{client: who})
		}
		all[i].spans = append(all[i].spans, s)
	}
	if len(all) < 2 {
		return nil // the lane of the lock says as much
	}
	return all[max(0, len(all)-partsMax):]
}

func levelWord(l model.Level) string {
	switch l {
	case model.LevelError:
		return "error"
	case model.LevelWarning:
		return "warning"
	case model.LevelWell:
		return "well"
	}
	return "info"
}

// secondsWords is a sum to the millisecond, as all outputs have it.
func secondsWords(s float64) string { return strconv.FormatFloat(s, 'f', 3, 64) + " s" }

func (p *Page) facts() []string {
	var facts []string
	if c := p.Cluster; c != nil {
		line := fmt.Sprintf("cluster %s, revision %d, %s", c.ID, c.Revision, model.CountOf(c.Members, "member"))
		if c.Version != nil {
			line += ", etcd " + *c.Version
		}
		switch {
		case p.s.Cluster().Silent():
			line += ", no member answers from here"
		case c.Leader == nil:
			line += ", no leader known"
		}
		facts = append(facts, line)
		for _, a := range c.Alarms {
			facts = append(facts, "alarm: "+a)
		}
	}
	var prefixes []string
	for _, x := range p.Seen.Prefixes {
		if x == "" {
			x = "all keys"
		}
		prefixes = append(prefixes, model.Short(model.Printable(x), 80))
	}
	return append(facts, fmt.Sprintf("%s, %s, %s under %s", model.CountOf(len(p.s.Locks()), "lock"), model.CountOf(p.Seen.Claims, "claim"), model.CountOf(p.Seen.OtherKeys, "other key"),
		joinSome(prefixes, 8)))
}

func joinSome(list []string, most int) string {
	more := ""
	if n := len(list) - most; n > 0 {
		more = fmt.Sprintf(" and %d more", n)
	}
	out := ""
	for i, x := range list[:min(most, len(list))] {
		if i > 0 {
			out += ", "
		}
		out += x
	}
	return out + more
}

func (p *Page) blind() []string {
	var out []string
	for _, u := range p.o.Blind {
		what := "the lists of leases"
		switch u.Kind {
		case locks.CoverageKeys:
			what = "the keys under " + model.Short(model.Printable(u.Prefix), 80)
			if u.Prefix == "" {
				what = "all keys"
			}
		case locks.CoverageLeases:
			what = "the readings of " + model.CountOf(u.Leases, "lease")
		}
		out = append(out, fmt.Sprintf("%s, for %s: %s", what, model.Duration(u.Duration, false), text.English(u.Reason)))
	}
	return slices.Clip(out)
}

func (p *Page) maskedWords() string {
	switch {
	case p.Names == "masked":
		return "Names and values of keys are masked."
	case p.Values == "masked":
		return "Values of keys are masked (--values shows them): an owner that only a value names has a number in its place, and a recipe that only a value tells is not known."
	}
	return "Values of keys are shown as they are."
}

func (p *Page) leftWords() string {
	l, out := p.LeftOut, []string{}
	for _, x := range []struct {
		n    int
		noun string
	}{{l.Locks, "lock"}, {l.Findings, "finding"}, {l.WaitsFor, "waiter"}, {l.Handovers, "earlier change of a holder"}, {l.Happened, "earlier event"}, {l.Done, "earlier action"},
		{l.Stories, "lesser problem"}, {l.Beliefs, "belief"}, {l.Steps, "step"}, {l.Expectations, "expectation"}} {
		if x.n > 0 {
			words := model.CountOf(x.n, x.noun)
			if x.noun == "earlier change of a holder" && x.n > 1 {
				words = fmt.Sprintf("%d earlier changes of a holder", x.n)
			}
			out = append(out, words)
		}
	}
	if len(out) == 0 {
		return ""
	}
	return "No room for: " + joinSome(out, len(out)) + "."
}

var inHTML = sync.OnceValue(func() *template.Template { return template.Must(template.New("page").Parse(markup)) })

func (p *Page) html(w io.Writer) error {
	var b bytes.Buffer
	if err := inHTML().Execute(&b, p.view()); err != nil {
		return fmt.Errorf("writing the page: %w", err)
	}
	if _, err := w.Write(model.EscapeUnshown(b.Bytes())); err != nil {
		return fmt.Errorf("writing the page: %w", err)
	}
	return nil
}

const markup = `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta http-equiv="Content-Security-Policy" content="{{.Policy}}">
<meta name="viewport" content="width=device-width,initial-scale=1"><meta name="referrer" content="no-referrer"><title>locktop report: {{.Source}}</title>
<style>{{.Style}}</style></head><body>
<h1>locktop report</h1>
<p class="dim">{{.Source}}: {{.Begin}} to {{.End}} ({{.Span}})</p>
<div class="verdict {{.Verdict.Level}}">{{.Verdict.Text}}</div>
{{range .Blind}}<p><b class="warning">Not seen:</b> {{.}}</p>
{{end}}{{range .Facts}}<p class="dim">{{.}}</p>
{{end}}<p class="dim">{{.MaskedWords}}{{with .Left}} {{.}}{{end}}</p>
{{with .Rehearsal}}<h2>{{with .Title}}{{.}}{{else}}A drill{{end}}</h2>
<div class="verdict {{.Level}}">{{.Outcome}}</div>
{{with .Defect}}<p>A known defect, expected to show: {{.}}</p>
{{end}}{{with .Why}}<p>{{.}}</p>
{{end}}{{if .Judged}}<h3 class="part">What was expected, and seen</h3>
<table><tr><th></th><th>expected</th><th>seen</th></tr>
{{range .Judged}}<tr><td class="v"><b class="{{.Level}}">{{.Verdict}}</b></td><td>{{.Expected}}</td><td>{{.Seen}}{{if .Evidence}}<ul>{{range .Evidence}}<li>{{.}}</li>{{end}}</ul>{{end}}</td></tr>
{{end}}</table>
{{end}}{{if .StepRows}}<h3 class="part">Its steps</h3>
<table class="steps">{{range .StepRows}}<tr><td class="t dim">{{index . 0}}</td><td>{{index . 1}}</td><td>{{index . 2}}</td></tr>
{{end}}</table>
{{end}}{{end}}<h2>What happened</h2>
{{range $x := .Cards}}<div class="finding {{.Severity}}"><h3><b class="{{.Severity}}">{{.Title}}</b>{{with .On}} on {{.}}{{end}} <span class="dim">{{.When}}</span></h3><p>{{.What}}</p>
{{with .Ended}}<p><b>{{$x.How}}</b> {{.}}</p>
{{end}}{{if .Evidence}}<ul>{{range .Evidence}}<li>{{.}}</li>{{end}}</ul>{{end}}{{range .Advice}}<p><b>do:</b> {{.}}</p>{{end}}{{range .Etcdctl}}<pre>{{.}}</pre>{{end}}{{with .Lines}}<pre>{{.}}</pre>{{end}}</div>
{{else}}<p>{{.Quiet}}</p>
{{end}}<h2>Locks across time</h2>
<p class="key dim"><span><i class="e"></i>held</span><span><i class="o"></i>held by the next one</span><span><i class="p"></i>changed hands, or held in part</span><span><i class="w"></i>somebody waits</span><span><i class="b"></i>error, or no leader</span><span><i class="n2"></i>warning, or a member without an answer</span><span><i class="u"></i>not seen</span><span><i class="tick"></i>broken by hand, or another leader</span>{{if .Page.Beliefs}}<span><i class="says"></i>its client says that it holds</span><span><i class="not"></i>and another held</span>{{end}}</p>
{{if .Lanes}}{{range .Above}}<div class="lane sub"><span class="name">{{.Name}}</span><svg viewBox="0 0 720 10" preserveAspectRatio="none" role="img" aria-label="{{.Name}}">{{with .Warn}}<path class="n2" d="{{.}}"/>{{end}}{{with .Bad}}<path class="b" d="{{.}}"/>{{end}}{{with .Unseen}}<path class="u" d="{{.}}"/>{{end}}{{with .Moments}}<path class="tick" d="{{.}}"/>{{end}}</svg></div>
{{end}}{{end}}{{range .Lanes}}<div class="lane"><span class="name" title="{{.Name}}"><b class="{{.Level}}">{{.Name}}</b></span><svg viewBox="0 0 720 10" preserveAspectRatio="none" role="img" aria-label="{{.Name}}: held {{.Held}}, waited {{.Waited}}">{{with .Lane.Even}}<path d="{{.}}"/>{{end}}{{with .Lane.Odd}}<path class="o" d="{{.}}"/>{{end}}{{with .Lane.Part}}<path class="p" d="{{.}}"/>{{end}}{{with .Lane.Waits}}<path class="w" transform="translate(0 4)" d="{{.}}"/>{{end}}{{with .Acts}}<path class="tick" d="{{.}}"/>{{end}}</svg></div>
{{range .Parts}}<div class="lane sub"><span class="name" title="{{.Name}}">{{.Name}}</span><svg viewBox="0 0 720 10" preserveAspectRatio="none">{{with .Even}}<path d="{{.}}"/>{{end}}{{with .Odd}}<path d="{{.}}"/>{{end}}{{with .Part}}<path class="p" d="{{.}}"/>{{end}}{{with .Waits}}<path class="w" transform="translate(0 4)" d="{{.}}"/>{{end}}</svg></div>
{{end}}{{range .Beliefs}}<div class="lane sub"><span class="name" title="{{.Name}} says">{{.Name}} says</span><svg viewBox="0 0 720 10" preserveAspectRatio="none">{{with .Not}}<path class="not" d="{{.}}"/>{{end}}{{with .Says}}<path class="says" d="{{.}}"/>{{end}}</svg></div>
{{end}}{{else}}<p>No lock was seen.</p>
{{end}}<div class="axis dim">{{range .Axis}}<span>{{.}}</span>{{end}}</div>
{{if .Lanes}}<div class="scroll"><table><tr><th>lock</th><th class="wide">recipe</th><th>state at the end</th><th>holder</th><th class="n">waiting</th><th class="n">handovers</th><th class="n">held</th><th class="n">waited for</th></tr>
{{range .Lanes}}<tr><td>{{.Name}}</td><td class="wide">{{.Recipe}}</td><td><b class="{{.Level}}">{{.State}}</b></td><td>{{.Who}}</td><td class="n">{{.Behind}}</td><td class="n">{{.Handovers}}</td><td class="n">{{.Held}}</td><td class="n">{{.Waited}}</td></tr>
{{end}}</table></div>
{{end}}{{if .Noted}}<h2>Also noted at the end</h2>
{{end}}{{range .Noted}}<div class="finding {{.Severity}}"><h3><b class="{{.Severity}}">{{.Severity}}</b> {{.Problem}} <span class="dim">({{.Confidence}}, since {{.Since.Format "15:04:05"}}, {{.Code}})</span></h3><p>{{.Summary}}</p>
{{if .Evidence}}<ul>{{range .Evidence}}<li>{{.}}</li>{{end}}</ul>{{end}}{{range .Advice}}<p><b>do:</b> {{.}}</p>{{end}}{{if .Alternatives}}<p class="dim">looks the same from outside: {{.Alike}}</p>{{end}}{{range .Etcdctl}}<pre>{{.}}</pre>{{end}}</div>
{{end}}<h2>Who waits for whom</h2>
{{with .Ring}}<p><b class="error">{{.}}</b></p>
{{end}}{{with .Graph}}<div class="scroll"><svg class="graph" width="{{.W}}" height="{{.H}}" viewBox="0 0 {{.W}} {{.H}}" role="img" aria-label="who waits for whom">{{range .Edges}}<path{{if .Ring}} class="ring"{{end}} d="{{.Path}}"><title>{{.Lock}}</title></path>{{end}}{{range .Nodes}}<g><title>{{.Title}}</title><rect{{if .Ring}} class="ring"{{end}} x="{{.X}}" y="{{.Y}}" width="150" height="26" rx="4"/><text x="{{.X}}" y="{{.Y}}" dx="7" dy="17">{{.Name}}</text></g>{{end}}</svg></div>
<p class="dim">Who stands left waits for who stands right, at {{$.End}}.</p>
{{else}}<p>Nobody is seen to wait at {{.End}}.</p>
{{end}}{{if .OverlapRows}}<h2>` + believedFalsely + `</h2>
<table>{{range .OverlapRows}}<tr><td class="t dim">{{index . 0}}</td><td>{{index . 1}}</td></tr>
{{end}}</table>
{{end}}<h2>Holders that came and went</h2>
{{if .HandoverRows}}<table>{{range .HandoverRows}}<tr><td class="t dim">{{index . 0}}</td><td>{{index . 1}}</td></tr>
{{end}}</table>{{else}}<p>None was seen.</p>{{end}}
<h2>What was done, and by whom</h2>
{{if .DoneRows}}<table>{{range .DoneRows}}<tr><td class="t dim">{{index . 0}}</td><td>{{index . 1}}</td><td>{{index . 2}}</td></tr>
{{end}}</table>{{else}}<p>Nothing was done through this program.</p>{{end}}
<h2>What else happened</h2>
{{if .HappenedRows}}<table>{{range .HappenedRows}}<tr><td class="t dim">{{index . 0}}</td><td>{{index . 1}}</td></tr>
{{end}}</table>{{else}}<p>Nothing was seen.</p>{{end}}
<h2>To see it again</h2>
{{range .Again}}<pre>{{.}}</pre>
{{end}}</body></html>
`
