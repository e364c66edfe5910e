package dialog

import (
	"cmp"
	"strconv"
	"time"

	"locktop/model"
	"locktop/ui/draw"
)

// choice is the second step of the menu: how a fault is to be done. All of it is
// chosen by arrows, nothing is typed.
type choice struct {
	info model.FaultInfo
	base model.Fault
	asks []ask
	at   int // the ask under the cursor
}

// ask is one thing to choose, among presets.
type ask struct {
	name   string
	values []value
	at     int // the value that is chosen
}

// value is a preset: its words, and what it does to the fault.
type value struct {
	words string
	set   func(*model.Fault)
}

// presets returns what there is to choose for a kind of fault.
func presets(info model.FaultInfo, base model.Fault, members []string) *choice {
	c := &choice{info: info, base: base}
	add := func(name string, first int, values []value) {
		if len(values) > 1 {
			c.asks = append(c.asks, ask{name, values, first})
		}
	}
	for _, name := range info.Takes {
		switch name {
		case "method":
			add(name, 0, methodValues)
		case "direction":
			add(name, 0, directionValues)
		case "delay":
			add(name, 1, delayValues)
		case "rate":
			add(name, 0, rateValues)
		case "count":
			add(name, 0, countValues)
		case "member":
			add("at", 0, memberValues(members))
		case "value":
			c.base.Value = "by hand"
		}
	}
	if !info.Instant {
		add("for", 1, forValues)
	}
	return c
}

var methodValues = []value{
	methodValue("KV/Txn"), methodValue("KV/DeleteRange"), methodValue("Lease/LeaseKeepAlive"), methodValue("Watch/Watch"), methodValue(""),
}

func methodValue(name string) value {
	return value{cmp.Or(name, "every method"), func(f *model.Fault) { f.Method = name }}
}

var directionValues = []value{
	{"requests", func(f *model.Fault) { f.Direction = model.Requests }},
	{"replies", func(f *model.Fault) { f.Direction = model.Replies }},
}

var delayValues = []value{delayValue(200 * time.Millisecond), delayValue(time.Second), delayValue(3 * time.Second)}

func delayValue(d time.Duration) value {
	return value{d.String(), func(f *model.Fault) { f.Delay = d }}
}

var rateValues = []value{rateValue(0), rateValue(10_000), rateValue(1_000)}

func rateValue(n int) value {
	words := "not thin"
	if n > 0 {
		words = draw.Count(int64(n)) + " B/s"
	}
	return value{words, func(f *model.Fault) { f.Rate = n }}
}

var countValues = []value{countValue(0), countValue(1)}

func countValue(n int) value {
	words := "all"
	if n > 0 {
		words = strconv.Itoa(n)
	}
	return value{words, func(f *model.Fault) { f.Count = n }}
}

var forValues = []value{forValue(5 * time.Second), forValue(15 * time.Second), forValue(0)}

func forValue(d time.Duration) value {
	words := "until healed"
	if d > 0 {
		words = d.String()
	}
	return value{words, func(f *model.Fault) { f.For = d }}
}

func memberValues(members []string) []value {
	values := []value{{"all members", func(*model.Fault) {}}}
	for _, name := range members {
		values = append(values, value{name, func(f *model.Fault) { f.Member = name }})
	}
	return values
}

// fault is what was chosen.
func (c *choice) fault() model.Fault {
	f := c.base
	for _, x := range c.asks {
		x.values[x.at].set(&f)
	}
	return f
}

// move goes to another ask.
func (c *choice) move(n int) { c.at = max(0, min(c.at+n, len(c.asks)-1)) }

// turn chooses another value of the ask under the cursor.
func (c *choice) turn(n int) {
	x := &c.asks[c.at]
	x.at = max(0, min(x.at+n, len(x.values)-1))
}

// line shows the values of an ask, or where they have no room the chosen one.
func (x *ask) line(th *draw.Theme, w int, cursor bool) []draw.Span {
	mark := "  "
	if cursor {
		mark = th.Sign.Cursor + " "
	}
	name := th.FaultWord(x.name)
	lead := []draw.Span{draw.Accent.Of(mark), draw.Dim.Of(name + draw.Blanks[:max(1, 11-draw.Width(name))])}
	line, n := lead, 13
	for i, v := range x.values {
		text := th.FaultWord(v.words)
		n += draw.Width(text) + 2
		if i == x.at {
			line = append(line[:len(line):len(line)], draw.Accent.Of("["), draw.Strong.Of(text), draw.Accent.Of("]"))
		} else {
			line = append(line[:len(line):len(line)], draw.Plain.Of(" "+text+" "))
		}
	}
	if n <= w {
		return line
	}
	return append(lead, draw.Accent.Of("["), draw.Strong.Of(th.Cut(th.FaultWord(x.values[x.at].words), max(4, w-24))), draw.Accent.Of("]"),
		draw.Dim.Of(" "+th.Say("of", x.at+1, len(x.values))))
}
