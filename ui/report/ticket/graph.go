package ticket

import (
	"fmt"
	"strings"

	"locktop/model"
)

// graph is who waits for whom, drawn: sessions in columns, each to the right of those that
// wait for it.
type graph struct {
	W, H  int
	Nodes []graphNode
	Edges []graphEdge
}

type graphNode struct {
	X, Y  int
	Name  string
	Ring  bool // it waits for itself in the end
	Title string
}

type graphEdge struct {
	Path string
	Ring bool
	Lock string
}

const (
	nodeW, nodeH = 150, 26
	nodeDX       = 210
	nodeDY       = 38
	nodesMax     = 24
)

// graphOf draws edges, those of the first sessions only.
func graphOf(edges []edge) *graph {
	var nodes []string
	names := map[string]string{}
	var drawn []edge
	add := func(node, name string) bool {
		if _, ok := names[node]; ok {
			return true
		}
		if len(nodes) == nodesMax {
			return false
		}
		nodes = append(nodes, node)
		names[node] = name
		return true
	}
	for _, e := range edges {
		if add(e.to, e.For) && add(e.from, e.Who) {
			drawn = append(drawn, e)
		}
	}
	if len(drawn) == 0 {
		return nil
	}
	to := waitsOf(drawn)
	depth := map[string]int{}
	for _, n := range nodes {
		depthOf(n, to, depth, map[string]bool{})
	}
	g := &graph{}
	at := map[string][2]int{}
	rows := map[int]int{}
	most := 0
	for _, n := range nodes {
		most = max(most, depth[n])
	}
	for _, n := range nodes {
		col := most - depth[n] // who waits stands left
		x, y := 4+col*nodeDX, 4+rows[col]*nodeDY
		rows[col]++
		at[n] = [2]int{x, y}
		g.W, g.H = max(g.W, x+nodeW+4), max(g.H, y+nodeH+4)
		g.Nodes = append(g.Nodes, graphNode{X: x, Y: y, Name: model.Short(names[n], 20), Title: model.Short(names[n], pageText), Ring: reaches(n, n, to, map[string]bool{})})
	}
	for _, e := range drawn {
		a, b := at[e.from], at[e.to]
		ring := reaches(e.to, e.from, to, map[string]bool{})
		x1, y1, x2, y2 := a[0]+nodeW, a[1]+nodeH/2, b[0], b[1]+nodeH/2
		bend := 30
		if x2 <= x1 { // back, along a ring
			x2, bend = b[0]+nodeW, 50
		}
		path := fmt.Sprintf("M%d %dC%d %d %d %d %d %d", x1, y1, x1+bend, y1, x2-bend, y2, x2, y2)
		if x2 == b[0]+nodeW {
			path = fmt.Sprintf("M%d %dC%d %d %d %d %d %d", x1, y1, x1+bend, y1, x2+bend, y2, x2, y2)
			g.W = max(g.W, x1+bend, x2+bend)
		}
		g.Edges = append(g.Edges, graphEdge{path, ring, model.Short(e.Lock, pageText)})
	}
	return g
}

// waitsOf are the sessions for which each session waits. One that waits behind a key of its
// own is in no ring by that.
func waitsOf(edges []edge) map[string][]string {
	to := map[string][]string{}
	for _, e := range edges {
		if e.from != e.to {
			to[e.from] = append(to[e.from], e.to)
		}
	}
	return to
}

// depthOf is how many sessions stand behind one another from n on.
func depthOf(n string, to map[string][]string, depth map[string]int, on map[string]bool) int {
	if d, ok := depth[n]; ok {
		return d
	}
	on[n] = true
	d := 0
	for _, next := range to[n] {
		if !on[next] {
			d = max(d, 1+depthOf(next, to, depth, on))
		}
	}
	delete(on, n)
	depth[n] = d
	return d
}

// reaches says whether who waits at n waits for goal in the end.
func reaches(n, goal string, to map[string][]string, seen map[string]bool) bool {
	for _, next := range to[n] {
		if next == goal {
			return true
		}
		if !seen[next] {
			seen[next] = true
			if reaches(next, goal, to, seen) {
				return true
			}
		}
	}
	return false
}

// ringWords says a ring in words, "" if there is none.
func ringWords(edges []edge) string {
	to := waitsOf(edges)
	var in []string
	on := map[string]bool{}
	for _, e := range edges {
		if !on[e.from] && reaches(e.from, e.from, to, map[string]bool{}) {
			on[e.from] = true
			in = append(in, e.Who)
		}
	}
	if in == nil {
		return ""
	}
	return "These wait for each other in a ring: " + strings.Join(in, ", ")
}
