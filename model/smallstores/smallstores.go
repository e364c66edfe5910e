// Package smallstores is a model of servers that give a lock by rules other than etcd's: a few stores with
// one key each and a clock, and clients that count on the lock once enough stores gave it to them in
// time. They are Redis masters, or Consul, which keeps a lost lock back for a while, or MySQL, which
// gives it to a connection. By it a lesson shows what copies, majorities, delays and connections bear,
// and what not. It runs no program and asks no etcd: it says what the rules say.
package smallstores

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"locktop/model"
)

// Model is the stores and the clients at a moment.
type Model struct {
	Now time.Duration
	// TTL is for how long a store gives the lock; 0: for as long as the connection lasts. Rests is for
	// how long nobody gets a lock that ran out.
	TTL, Rests time.Duration
	// Need is of how many stores a client wants the lock.
	Need    int
	Stores  []Store
	Clients []Client
}

// Store keeps the key of the lock: Owner has it up to Until, "" means that it is not there, and then
// nobody gets it up to Rests. New says that the store came back without what it had.
type Store struct {
	Owner        string
	Until, Rests time.Duration
	Down, New    bool
}

// Client is one that asked. It believes that it holds up to Until, by its own clock: while it is
// paused it does not look.
type Client struct {
	Name             string
	Got              int
	Began, Until     time.Duration
	Paused, Believes bool
	// Waits says that its call is in the server, which answers once the lock is free.
	Waits bool
	asks  bool // it has not counted yet
}

// most bounds stores and clients.
const most = 9

// word is what can be done with the model.
type word struct {
	form string // with a capital for each argument
	do   func(m *Model, a []string) error
	says func(a []string) model.Message
}

var words = []word{
	{"N stores with a TTL of D, M give the lock", begin, func(a []string) model.Message { return model.Say("stores-begin", a[0], a[1], a[2]) }},
	{"a server that gives the lock to a connection", func(m *Model, _ []string) error {
		*m = Model{Need: 1, Stores: make([]Store, 1)}
		return nil
	}, func([]string) model.Message { return model.Say("stores-connection") }},
	{"a lock that ran out rests for D", (*Model).rests, func(a []string) model.Message { return model.Say("stores-rests", a[0]) }},
	{"C asks I", func(m *Model, a []string) error { return m.ask(a[0], a[1], true) }, func(a []string) model.Message { return model.Say("stores-asks", a[0], a[1]) }},
	{"C asks I, unheard", func(m *Model, a []string) error { return m.ask(a[0], a[1], false) }, func(a []string) model.Message { return model.Say("stores-unheard", a[0], a[1]) }},
	{"C counts", (*Model).count, func(a []string) model.Message { return model.Say("stores-counts", a[0]) }},
	{"C pauses", func(m *Model, a []string) error { return m.pause(a[0], true) }, func(a []string) model.Message { return model.Say("story-pause", a[0]) }},
	{"C runs on", func(m *Model, a []string) error { return m.pause(a[0], false) }, func(a []string) model.Message { return model.Say("story-over-pause", a[0]) }},
	{"C releases", func(m *Model, a []string) error { return m.release(a[0]) }, func(a []string) model.Message { return model.Say("story-told-unlock", a[0]) }},
	{"C releases I", func(m *Model, a []string) error { return m.releaseAt(a[0], a[1]) }, func(a []string) model.Message { return model.Say("stores-releases", a[0], a[1]) }},
	{"the connection of C breaks", (*Model).breaks, func(a []string) model.Message { return model.Say("stores-breaks", a[0]) }},
	{"I dies", func(m *Model, a []string) error { return m.store(a[0], func(s *Store) { *s = Store{Down: true} }) }, func(a []string) model.Message { return model.Say("stores-dies", a[0]) }},
	{"I comes back empty", func(m *Model, a []string) error { return m.store(a[0], func(s *Store) { *s = Store{New: true} }) },
		func(a []string) model.Message { return model.Say("stores-comes-back", a[0]) }},
	{"the clock of I jumps by D", (*Model).jump, func(a []string) model.Message { return model.Say("stores-jumps", a[0], a[1]) }},
	{"D go by", (*Model).pass, func(a []string) model.Message { return model.Say("stores-time", a[0]) }},
}

// Forms are all that a model can be told, with a capital for each thing that is chosen.
func Forms() (all []string) {
	for _, w := range words {
		all = append(all, w.form)
	}
	return all
}

// Do does one thing. A model that was not begun has no stores.
func (m *Model) Do(said string) error {
	for _, w := range words {
		if args, ok := match(w.form, said); ok {
			if err := w.do(m, args); err != nil {
				return fmt.Errorf("%q: %w", said, err)
			}
			return nil
		}
	}
	return fmt.Errorf("the model cannot do %q: want one of %s", said, strings.Join(Forms(), "; "))
}

// Told says what is done, in words.
func Told(said string) model.Message {
	for _, w := range words {
		if args, ok := match(w.form, said); ok {
			return w.says(args)
		}
	}
	return model.Message{}
}

// match is what stands for the capitals of a form.
func match(form, said string) (args []string, ok bool) {
	want, got := strings.Fields(form), strings.Fields(said)
	if len(want) != len(got) {
		return nil, false
	}
	for i, w := range want {
		switch bare := strings.TrimSuffix(w, ","); {
		case len(bare) == 1 && bare[0] >= 'A' && bare[0] <= 'Z':
			args = append(args, strings.TrimSuffix(got[i], ","))
		case w != got[i]:
			return nil, false
		}
	}
	return args, true
}

func begin(m *Model, args []string) error {
	n, err := strconv.Atoi(args[0])
	if err != nil || n < 1 || n > most {
		return fmt.Errorf("%s stores: want 1 to %d", args[0], most)
	}
	ttl, err := time.ParseDuration(args[1])
	if err != nil || ttl <= 0 {
		return fmt.Errorf("a TTL of %s: want a duration", args[1])
	}
	need, err := strconv.Atoi(args[2])
	if err != nil || need < 1 || need > n {
		return fmt.Errorf("%s give the lock: want 1 to %d", args[2], n)
	}
	*m = Model{TTL: ttl, Need: need, Stores: make([]Store, n)}
	return nil
}

// client is that of a name, who may be new.
func (m *Model) client(name string) (*Client, error) {
	i := slices.IndexFunc(m.Clients, func(c Client) bool { return c.Name == name })
	if i < 0 {
		if len(m.Clients) == most {
			return nil, fmt.Errorf("more than %d clients", most)
		}
		m.Clients = append(m.Clients, Client{Name: name})
		i = len(m.Clients) - 1
	}
	return &m.Clients[i], nil
}

func (m *Model) store(i string, do func(*Store)) error {
	n, err := strconv.Atoi(i)
	if err != nil || n < 1 || n > len(m.Stores) {
		return fmt.Errorf("there is no store %s", i)
	}
	do(&m.Stores[n-1])
	return nil
}

// rests sets for how long nobody gets a lock that ran out.
func (m *Model) rests(a []string) error {
	d, err := time.ParseDuration(a[0])
	if err != nil || d <= 0 {
		return fmt.Errorf("a rest of %s: want a duration", a[0])
	}
	m.Rests = d
	return nil
}

// ask is SET key NAME NX PX at one store, whose answer the client hears or not. Where a connection
// has the lock the call waits in the server.
func (m *Model) ask(name, at string, heard bool) error {
	c, err := m.client(name)
	if err != nil {
		return err
	}
	if !c.asks {
		c.asks, c.Began, c.Got = true, m.Now, 0
	}
	return m.store(at, func(s *Store) {
		switch {
		case s.Down || m.Now < s.Rests:
		case s.Owner == "":
			s.Owner, s.Until = name, m.Now+m.TTL
			if heard {
				c.Got++
			}
		case m.TTL == 0:
			c.Waits = true
		}
	})
}

// breaks is the end of a connection: the server frees what it has, and answers who waits first. The
// client does not look, and so does not know.
func (m *Model) breaks(a []string) error {
	if _, err := m.client(a[0]); err != nil {
		return err
	}
	for i := range m.Stores {
		s := &m.Stores[i]
		if s.Owner != a[0] {
			continue
		}
		s.Owner = ""
		if n := slices.IndexFunc(m.Clients, func(c Client) bool { return c.Waits }); n >= 0 {
			next := &m.Clients[n]
			s.Owner, next.Got, next.Waits, next.Believes = next.Name, 1, false, true
		}
	}
	return nil
}

// releaseAt deletes the key at one store, where it is the client's own. Who does so has given up.
func (m *Model) releaseAt(name, at string) error {
	c, err := m.client(name)
	if err != nil {
		return err
	}
	c.Believes = false
	return m.store(at, func(s *Store) {
		if s.Owner == name {
			s.Owner, s.Until, c.Got = "", 0, max(0, c.Got-1)
		}
	})
}

// drift is what part of the TTL a client takes off for clocks that do not run alike.
const drift = 100

// count lets a client see whether it has the lock: of enough stores, and in time. If not it gives
// back what it got.
func (m *Model) count(a []string) error {
	name := a[0]
	c, err := m.client(name)
	if err != nil {
		return err
	}
	c.asks, c.Until = false, c.Began+m.TTL-m.TTL/drift
	c.Believes = c.Got >= m.Need && (m.TTL == 0 || m.Now < c.Until)
	if !c.Believes && !c.Waits {
		return m.release(name)
	}
	return nil
}

func (m *Model) pause(name string, is bool) error {
	c, err := m.client(name)
	if err != nil {
		return err
	}
	c.Paused = is
	return nil
}

// release deletes the key at every store where it is the client's own, also where it does not know
// of it.
func (m *Model) release(name string) error {
	c, err := m.client(name)
	if err != nil {
		return err
	}
	for i := range m.Stores {
		if s := &m.Stores[i]; s.Owner == name {
			s.Owner, s.Until = "", 0
		}
	}
	c.Got, c.Believes = 0, false
	return nil
}

// jump lets the clock of a store show a later time: its key expires so much earlier.
func (m *Model) jump(a []string) error {
	d, err := time.ParseDuration(a[1])
	if err != nil || d <= 0 {
		return fmt.Errorf("a jump by %s: want a duration", a[1])
	}
	err = m.store(a[0], func(s *Store) { s.Until -= d })
	m.expire()
	return err
}

// pass lets time go by. Who runs looks at its clock; who is paused does not, and who has run on looks
// when it comes to that: the work of a moment goes through before.
func (m *Model) pass(a []string) error {
	long, err := time.ParseDuration(a[0])
	if err != nil || long <= 0 {
		return fmt.Errorf("%s: want a duration", a[0])
	}
	m.Now += long
	m.expire()
	for i := range m.Clients {
		if c := &m.Clients[i]; !c.Paused && m.TTL > 0 && m.Now >= c.Until {
			c.Believes = false
		}
	}
	return nil
}

func (m *Model) expire() {
	for i := range m.Stores {
		if s := &m.Stores[i]; m.TTL > 0 && s.Owner != "" && m.Now >= s.Until {
			s.Owner, s.Rests, s.Until = "", s.Until+m.Rests, 0
		}
	}
}

// Believers are the clients that believe to hold the lock, joined by +, or nobody.
func (m *Model) Believers() string {
	var all []string
	for _, c := range m.Clients {
		if c.Believes {
			all = append(all, c.Name)
		}
	}
	if len(all) == 0 {
		return "nobody"
	}
	slices.Sort(all)
	return strings.Join(all, "+")
}
