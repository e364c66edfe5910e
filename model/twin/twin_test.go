package twin

import (
	"fmt"
	"reflect"
	"runtime"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// thing has a slot of each kind.
type thing struct {
	name, part string // one begins where the other does
	next       *thing
	all        []*thing
	numbers    []int32
	none, some []string // nil and empty
	nothing    []struct{}
	pair       [2]struct{ at *int }
	byName     map[string]*thing
	byThing    map[*thing]struct{}
	within     map[int]map[string][]string
	noMap      map[string]int
	stays      *fixed
	shared     *common
	open, full Appended
	any        any
	fmt.Stringer
}

type fixed struct{ quiet bool }

type common struct{ text string }

type word struct{ of any }

func (w *word) String() string { return fmt.Sprint(w.of) }

// web is a thing that has everything, in circles.
func web(size int) *thing {
	five := 5
	root := &thing{name: "a name that is long", some: []string{}, nothing: make([]struct{}, 3), byName: map[string]*thing{}, byThing: map[*thing]struct{}{},
		within: map[int]map[string][]string{1: {"x": {"y", ""}, "z": nil}, 2: nil}, stays: &fixed{true}, shared: &common{"all have it"},
		open: append(make(Appended, 0, 64), "abc"...), full: Appended("full")[:4:4], any: word{word{&word{[]any{1, "two", nil}}}}}
	root.part = root.name[:6]
	root.pair[0].at, root.pair[1].at = &five, &five
	root.Stringer = &word{root.name}
	for i := range size {
		x := &thing{name: strings.Repeat("x", i%50), next: root, numbers: []int32{int32(i)}, stays: &fixed{i%2 == 0}, shared: root.shared}
		root.all, root.byName[fmt.Sprint(i)] = append(root.all, x), x
		root.byThing[x] = struct{}{}
	}
	return root
}

func maker() *Maker {
	m := NewMaker([]reflect.Type{reflect.TypeFor[common]()})
	Share(m, func(x *fixed) bool { return x.quiet })
	return m
}

// told is what a web says, without its maps of pointers.
func told(x *thing) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s %s %v %v %v %d %v %v %q %q %d %v %v %v %v\n", x.name, x.part, x.none == nil, x.some != nil, x.noMap == nil, len(x.nothing),
		*x.pair[0].at, x.within, x.open, x.full, cap(x.open), x.any.(word).of.(word).of, x.Stringer, x.stays, x.shared)
	for i, y := range x.all {
		_, known := x.byThing[y]
		fmt.Fprintln(&b, y.name, y.next == x, y.numbers, *y.stays, y.shared == x.shared, x.byName[fmt.Sprint(i)] == y, known)
	}
	return b.String()
}

// TestWhatIsMadeOfAnImage: the same, as often as one wants, whatever becomes of the others and
// of the first; and it is whole after the collector of memory went through all.
func TestWhatIsMadeOfAnImage(t *testing.T) {
	m, first := maker(), web(200)
	want := told(first)
	image := Keep(m, first)
	first.name, first.all[7].numbers[0], *first.pair[0].at = "another", 99, 6
	first.open = append(first.open, "def"...)
	clear(first.byName)
	later := Keep(m, first)
	var all [4]*thing
	var made sync.WaitGroup
	for i := range all {
		made.Go(func() { all[i] = image.New() })
	}
	made.Wait()
	for i, x := range all {
		if d := cmp.Diff(want, told(x)); d != "" {
			t.Fatalf("%d\n%s", i, d)
		}
		if x.pair[0].at != x.pair[1].at || x == first || x.all[0] == first.all[0] {
			t.Errorf("%d: what is one thing is two, or two are one", i)
		}
		if x.all[0].stays != first.all[0].stays || x.all[1].stays == first.all[1].stays || x.shared != first.shared || &x.full[0] != &first.full[0] {
			t.Errorf("%d: what stays is copied, or what does not is shared", i)
		}
		x.all[3].name, x.within[1]["x"][0], *x.pair[1].at, x.any.(word).of.(word).of.(*word).of = "mine", "mine", i, "mine"
		x.open = append(x.open, byte('0'+i))
		x.some = append(x.some, "mine")
		for j := range x.all {
			x.all[j].numbers = append(x.all[j].numbers, int32(i)) // there is no room before the next one's
			delete(x.byName, fmt.Sprint(j))
		}
		runtime.GC()
	}
	if d := cmp.Diff(want, told(image.New())); d != "" {
		t.Errorf("what became of the others is seen\n%s", d)
	}
	if got := told(later.New()); got == want || got != told(first) {
		t.Errorf("a later image is of another moment:\n%s", got)
	}
}

// TestAnImageHasNoPointers: the collector would take the bytes in the place of one for one.
func TestAnImageHasNoPointers(t *testing.T) {
	image := Keep(maker(), web(100))
	seen := 0
	for _, p := range image.parts {
		all := make([]byte, p.bytes.size)
		p.bytes.unpack(all)
		for i := range p.n {
			for _, s := range p.slots {
				if p.bare() {
					continue
				}
				at := uintptr(i)*p.size + s.at
				for _, b := range all[at : at+s.pointers()*pointerSize] {
					if b != 0 {
						t.Fatalf("%v: a slot of kind %d is not empty", p.t, s.kind)
					}
				}
				seen++
			}
		}
	}
	if seen < 1000 {
		t.Errorf("%d slots", seen)
	}
}

// TestListsOfWhatStays: a list of what stays is begun anew once most of it is nobody's any more;
// images that have the one before keep it.
func TestListsOfWhatStays(t *testing.T) {
	m := maker()
	m.many = 50
	var images []*Image[thing]
	for _, size := range []int{100, 200, 10, 10, 10, 10} {
		images = append(images, Keep(m, web(size)))
	}
	if len(m.shared) > 60 {
		t.Errorf("%d stay", len(m.shared))
	}
	for i, x := range images {
		if d := cmp.Diff(told(web(len(x.New().all))), told(x.New())); d != "" {
			t.Fatalf("%d\n%s", i, d)
		}
	}
}

// TestWhatCannotBeKept: what might know the first value.
func TestWhatCannotBeKept(t *testing.T) {
	for _, keep := range []func(){
		func() { Keep(maker(), &struct{ f func() }{func() {}}) },
		func() { Keep(maker(), &struct{ c []chan int }{}) },
		func() { Keep(maker(), &struct{ a any }{make(chan int)}) },
	} {
		func() {
			defer func() {
				if fmt.Sprint(recover()) == "<nil>" {
					t.Error("it is kept")
				}
			}()
			keep()
		}()
	}
}
