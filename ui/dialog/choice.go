package dialog

import (
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
	name   model.Message
	values []value
	at     int // the value that is chosen
}

// value is a preset: its words, and what it does to the fault.
type value struct {
	words model.Message
	set   func(*model.Fault)
}

// presets returns what there is to choose for a kind of fault.
func presets(info model.FaultInfo, base model.Fault, members []string) *choice {
	c := &choice{info: info, base: base}
	add := func(name model.Message, first int, values []value) {
		if len(values) > 1 {
			c.asks = append(c.asks, ask{name, values, first})
		}
	}
	for _, name := range info.Takes {
		switch name {
		case "method":
			add(model.Say("choose-method"), 0, methodValues)
		case "direction":
			add(model.Say("choose-direction"), 0, directionValues)
		case "delay":
			add(model.Say("choose-delay"), 1, delayValues)
		case "rate":
			add(model.Say("choose-rate"), 0, rateValues)
		case "count":
			add(model.Say("choose-count"), 0, countValues)
		case "member":
			add(model.Say("choose-member"), 0, memberValues(members))
		case "value":
			c.base.Value = "by hand"
		}
	}
	if !info.Instant {
		add(model.Say("choose-length"), 1, forValues)
	}
	return c
}

var methodValues = []value{
	methodValue("KV/Txn"), methodValue("KV/DeleteRange"), methodValue("Lease/LeaseKeepAlive"), methodValue("Watch/Watch"), methodValue(""),
}

func methodValue(name string) value {
	words := model.Say("name", name)
	if name == "" {
		words = model.Say("every-method")
	}
	return value{words, func(f *model.Fault) { f.Method = name }}
}

var directionValues = []value{
	{model.Say("way", model.Requests), func(f *model.Fault) { f.Direction = model.Requests }},
	{model.Say("way", model.Replies), func(f *model.Fault) { f.Direction = model.Replies }},
}

var delayValues = []value{delayValue(200 * time.Millisecond), delayValue(time.Second), delayValue(3 * time.Second)}

func delayValue(d time.Duration) value {
	return value{model.Say("length", d), func(f *model.Fault) { f.Delay = d }}
}

var rateValues = []value{rateValue(0), rateValue(10_000), rateValue(1_000)}

func rateValue(n int) value {
	words := model.Say("not-thin")
	if n > 0 {
		words = model.Say("bytes-per-second", model.Verbatim(draw.Count(int64(n))))
	}
	return value{words, func(f *model.Fault) { f.Rate = n }}
}

var countValues = []value{countValue(0), countValue(1)}

func countValue(n int) value {
	words := model.Say("all-of-them")
	if n > 0 {
		words = model.Say("number", n)
	}
	return value{words, func(f *model.Fault) { f.Count = n }}
}

var forValues = []value{forValue(5 * time.Second), forValue(15 * time.Second), forValue(0)}

func forValue(d time.Duration) value {
	words := model.Say("until-healed")
	if d > 0 {
		words = model.Say("length", d)
	}
	return value{words, func(f *model.Fault) { f.For = d }}
}

func memberValues(members []string) []value {
	values := []value{{model.Say("all-members"), func(*model.Fault) {}}}
	for _, name := range members {
		values = append(values, value{model.Say("name", name), func(f *model.Fault) { f.Member = name }})
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
	name := th.Message(x.name)
	lead := []draw.Span{draw.Accent.Of(mark), draw.Dim.Of(name + draw.Blanks[:max(1, 11-draw.Width(name))])}
	line, n := lead, 13
	for i, v := range x.values {
		text := th.Message(v.words)
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
	return append(lead, draw.Accent.Of("["), draw.Strong.Of(th.Cut(th.Message(x.values[x.at].words), max(4, w-24))), draw.Accent.Of("]"),
		draw.Dim.Of(" "+th.Say("of", x.at+1, len(x.values))))
}
