package ui

import (
	"fmt"
	"strings"
	"testing"

	"github.com/charmbracelet/lipgloss"
	peer "github.com/charmbracelet/lipgloss/table"

	"locktop/model"
	"locktop/ui/draw"
	"locktop/ui/page"
)

// peerRows are the cells of as many locks as BenchmarkPaintAll has lines with rows on
// its screen, in the same texts and styles.
func peerRows(x *bench) (rows [][]string, styles [][]draw.Style) {
	for _, name := range x.viewState.Locks.Order.IDs[:x.locksTable.H+x.queueTable.H] {
		r := &x.locksTable.Row
		r.Spans, r.Ends = r.Spans[:0], r.Ends[:0]
		page.LockRow(x.Frame().View, x.state.Lock(name), r)
		var cells []string
		var looks []draw.Style
		from := 0
		for _, to := range r.Ends {
			var text strings.Builder
			look := draw.Plain
			for _, sp := range r.Spans[from:to] {
				text.WriteString(sp.Text)
				look = sp.St
			}
			cells, looks, from = append(cells, text.String()), append(looks, look), to
		}
		rows, styles = append(rows, cells), append(styles, looks)
	}
	return rows, styles
}

// BenchmarkPeerTable paints the same rows with lipgloss/table on the same width. It
// knows no rows that did not change, so this is what both paints compare with.
func BenchmarkPeerTable(b *testing.B) {
	x := crowd(b, 10_000)
	x.dirty = true
	x.View()
	rows, styles := peerRows(x)
	var titles []string
	for _, c := range page.LockCells {
		titles = append(titles, c.Title)
	}
	looks := map[draw.Style]lipgloss.Style{}
	for st := range draw.StyleCount {
		looks[st] = lipgloss.NewStyle().Foreground(lipgloss.Color(fmt.Sprint(int(st) % 16)))
	}
	b.ReportAllocs()
	for b.Loop() {
		t := peer.New().Width(200).Headers(titles...).Rows(rows...).Border(lipgloss.HiddenBorder()).
			StyleFunc(func(row, col int) lipgloss.Style {
				if row < 0 {
					return looks[draw.Heading]
				}
				return looks[styles[row][col]]
			})
		if got := t.String(); strings.Count(got, "\n") < len(rows) {
			b.Fatalf("%d rows, and this was painted:\n%s", len(rows), got)
		}
	}
}

// BenchmarkGrowth is what a change of one lock costs, applied and painted, and what a
// frame in which all is new costs, by the number of claims, ten of each lock.
func BenchmarkGrowth(b *testing.B) {
	for _, claims := range []int{1_000, 10_000, 100_000, 1_000_000} {
		x := growth(b, claims)
		b.Run(fmt.Sprintf("event/%d", claims), func(b *testing.B) {
			left := int64(0)
			for b.Loop() {
				left = (left + 1) % 60
				x.w.read(4, model.LeaseID(0x694d81e5fc650000), 60, left)
				x.Update(x.w.batch())
				x.View()
			}
		})
		b.Run(fmt.Sprintf("paint/%d", claims), func(b *testing.B) {
			for b.Loop() {
				clear(x.locksTable.Old)
				clear(x.queueTable.Old)
				x.dirty = true
				x.View()
			}
		})
	}
}

// growth is a Shell with so many claims behind it, ten of each lock.
func growth(tb testing.TB, claims int) *bench {
	b := newBench(tb, Options{Lab: true, Profile: colours})
	b.size(200, 50)
	for i := range claims {
		b.w.claim(1, fmt.Sprintf("/jobs/team-%02d/lock-%06d", i/10%7, i/10), "", model.LeaseID(0x694d81e5fc650000+i))
	}
	b.sync(3)
	b.viewState.Locks.Order.NotBefore = at(1e6) // without the sort, which has its own rhythm
	return b
}
