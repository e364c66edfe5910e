package tutor

import (
	"slices"
	"strconv"
	"time"

	"locktop/model"
	"locktop/model/smallstores"
	"locktop/ui/draw"
)

// storeWide is how many cells a store takes.
const storeWide = 13

// storesLines are the stores side by side, each with the owner of its key and how long that is there,
// and the clients with what they count on.
func storesLines(th *draw.Theme, m *smallstores.Model, w int) []string {
	seconds := func(d time.Duration) string { return model.Duration(d, false) }
	head := []draw.Span{draw.Plain.Of("  ")}
	keys, state := []draw.Span{draw.Plain.Of("  ")}, []draw.Span{draw.Plain.Of("  ")}
	add := func(to *[]draw.Span, st draw.Style, text string) {
		text = th.Cut(text, storeWide-1)
		*to = append(*to, st.Of(text), draw.Plain.Of(draw.Blank(storeWide-draw.Width(text))))
	}
	for i, s := range m.Stores {
		add(&head, draw.Heading, th.Say("stores-store", i+1))
		switch {
		case s.Down:
			add(&keys, draw.Bad, th.Sign.Bad+" "+th.Say("stores-down"))
		case s.Owner != "" && m.TTL == 0:
			add(&keys, draw.Good, th.Sign.Holds+" "+s.Owner)
		case m.Now < s.Rests:
			add(&keys, draw.Late, th.Sign.Waits+" "+th.Say("stores-resting", seconds(s.Rests-m.Now)))
		case s.Owner != "":
			add(&keys, draw.Good, th.Sign.Holds+" "+s.Owner+" "+seconds(s.Until-m.Now))
		default:
			add(&keys, draw.Dim, th.Sign.Waits+" "+th.Say("stores-empty"))
		}
		if s.New {
			add(&state, draw.Late, th.Say("stores-came-back"))
		} else {
			add(&state, draw.Dim, "")
		}
	}
	lines := []string{th.Line(w, head, nil), th.Line(w, keys, nil)}
	if slices.ContainsFunc(m.Stores, func(s smallstores.Store) bool { return s.New }) {
		lines = append(lines, th.Line(w, state, nil))
	}
	lines = append(lines, th.Line(w, []draw.Span{draw.Dim.Of("  " + th.Say("stores-clock", seconds(m.Now)))}, nil))
	for _, c := range m.Clients {
		spans := []draw.Span{draw.Plain.Of("  "), draw.Strong.Of(c.Name + "  ")}
		if len(m.Stores) > 1 {
			spans = append(spans, draw.Plain.Of(th.Say("stores-got", c.Got, strconv.Itoa(len(m.Stores)), m.Need)+"  "))
		}
		switch {
		case c.Waits:
			spans = append(spans, draw.Waiting.Of(th.Say("stores-waits")))
		case c.Believes && m.TTL == 0:
			spans = append(spans, draw.Belief.Of(th.Say("stores-believes-on")))
		case c.Believes && c.Paused:
			spans = append(spans, draw.Belief.Of(th.Say("stores-believes-paused")))
		case c.Believes:
			spans = append(spans, draw.Belief.Of(th.Say("stores-believes", seconds(c.Until-m.Now))))
		default:
			spans = append(spans, draw.Dim.Of(th.Say("stores-has-not")))
		}
		lines = append(lines, th.Line(w, spans, nil))
	}
	return lines
}
