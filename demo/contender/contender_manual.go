package contender

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"go.etcd.io/etcd/api/v3/v3rpc/rpctypes"

	"locktop/model"
	"locktop/model/text"
)

// ManualWords are what a manual contender can be told, sorted. With several locks
// "lock" takes the next of them and "unlock" lets the last one go.
func ManualWords() []string { return slices.Sorted(maps.Keys(manualWords)) }

// Understands says whether a manual contender can be told that: a word, with what belongs to it.
func Understands(said string) bool {
	word, rest, _ := strings.Cut(said, " ")
	return manualWords[word] != nil && !strings.ContainsAny(rest, "\r\n")
}

// manualWords are what each word does: one that fails says why to the person who said it.
var manualWords = map[string]func(*manual, context.Context) error{
	"lock":           (*manual).lock,          // starts to acquire the next lock
	"lock-again":     (*manual).lockAgain,     // the one it holds, by a second attempt with the same session
	"give-up":        (*manual).stopWaiting,   // ends its wait for a lock
	"abandon":        (*manual).abandon,       // goes on without the lock, while its call waits on
	"unlock":         (*manual).unlock,        // lets the last one go
	"unlock-again":   (*manual).unlockAgain,   // sends the last unlock once more
	"resign-again":   (*manual).resignAgain,   // calls Resign of the client library once more
	"read":           (*manual).read,          // the guarded resource, and keeps what it says
	"put":            (*manual).put,           // writes what was read, with one element more
	"write":          (*manual).write,         // both at once
	"return":         (*manual).carryOn,       // goes on as if all were well
	"close":          (*manual).close,         // the session, which revokes the lease
	"drop":           (*manual).drop,          // stops renewing and says nothing to etcd
	"renew":          (*manual).renew,         // keeps the lease of whoever has the lock alive, like a sidecar
	"proclaim":       (*manual).proclaim,      // writes a new value as the leader
	"rewrite":        (*manual).proclaim,      // the same of a key in a queue made by hand
	"leader":         (*manual).leader,        // asks who leads, and says it
	"resumed-leader": (*manual).resumedLeader, // asks the same of an election that was resumed
	"observe":        (*manual).observe,       // follows who leads, and says it
	"observed":       (*manual).observed,      // says who it observed last

	"ttl":         (*manual).setTTL,     // N: of the next session
	"renew-every": (*manual).setRenewal, // N, never or library: of the next session
	"queue-by":    (*manual).setOrder,   // slash or bare, create or mod: how a queue made by hand looks for who is before it
	"claim":       (*manual).putClaim,   // by hand: the transaction with which Lock begins
	"get":         (*manual).get,        // by hand: reads the first claim, the one ahead, or the last
	"watch":       (*manual).watch,      // by hand: waits for what it read to go
	"enter":       (*manual).enter,      // by hand: goes to work
	"look":        (*manual).look,       // reads /data
	"save-if":     (*manual).saveIf,     // KEY FIELD OP WHAT: writes /data if that is so
	"delete":      (*manual).deleteKey,  // the lock's key, by its name, whoever has it
	"unlock-if":   (*manual).unlockIf,   // KEY FIELD OP WHAT: deletes the lock's key if that is so; after an unlock once more
	"take-if":     (*manual).takeIf,     // KEYS KEYS, joined by +: puts the second ones if the version of each of the first is 0
	"rule":        (*manual).setRule,    // OP KEEP: of the guarded resource
}

// manual is a contender that does what it is told. One goroutine has its state; only
// attempts run beside it.
type manual struct {
	*worker
	s        *session // nil: none yet, or none any more
	held     []hold   // the last one taken at the end
	waiting  *waiting // nil: for nothing
	outcomes chan outcome
	released *hold    // by the last unlock, whatever was answered
	kept     *reading // by the last "read"
	values   int      // that were proclaimed

	early   string           // a word that came before an attempt ended, "" for none
	earlyAt <-chan time.Time // when it is not waited for any longer

	word    string         // that is being done, with what stands after it
	hand    byHand         // what it does by hand
	renewal *time.Duration // that was chosen for the next session; nil: as the library does
	gone    chan string    // keys that it watched by hand, once they are

	observing bool
	leaders   chan string // each whom it observes
	leading   string      // the last of them
}

// waiting is an attempt that runs, outcome how it ended.
type waiting struct {
	lock   string
	claim  claim
	cancel context.CancelFunc
	// abandoned: the contender gave up, and its call goes on.
	abandoned bool
}

type outcome struct {
	claim claim
	err   error
}

// runManual does what the words say until ctx ends.
func (c *contender) runManual(ctx context.Context, words <-chan string) {
	m := &manual{worker: c.workers[0], outcomes: make(chan outcome, 1), leaders: make(chan string), gone: make(chan string)}
	c.sayIdle(silence)
	defer m.leave()
	for {
		var lost <-chan struct{}
		if m.s != nil {
			lost = m.s.lost
		}
		next := words
		if m.early != "" {
			next = nil // they come one after the other
		}
		select {
		case <-ctx.Done():
			return
		case word := <-next:
			m.do(ctx, word)
		case <-m.earlyAt:
			m.again(ctx)
		case o := <-m.outcomes:
			m.acquired(ctx, o)
			m.again(ctx)
		case m.leading = <-m.leaders:
			m.note(model.Say("program-observes", m.leading))
		case <-m.gone:
			m.note(quote("watch: DELETE"))
		case <-lost:
			m.lose()
		}
	}
}

// do does what a word says, or says why not.
func (m *manual) do(ctx context.Context, word string) {
	name, _, _ := strings.Cut(word, " ")
	f := manualWords[name]
	if f == nil {
		m.note(quote(fmt.Sprintf("%.40q is not a command: want one of %s", word, strings.Join(ManualWords(), ", "))))
		return
	}
	m.word = word
	err := f(m, ctx)
	if mayRetry := errors.Is(err, errIsWaiting) || errors.Is(err, errHoldsNothing); mayRetry && m.waiting != nil && !m.waiting.abandoned && m.earlyAt == nil {
		m.early, m.earlyAt = word, time.After(earlyWordTimeout)
		return
	}
	if err != nil {
		m.note(failedAt(name, m.clearer(ctx, err)))
	}
}

// failedAt says what came of a word that failed.
func failedAt(word string, err error) model.Message {
	if refused := (*refusedError)(nil); errors.As(err, &refused) {
		return model.Say("program-refused", word, refused.verb, refused.token, refused.highest)
	}
	if no := (*refusal)(nil); errors.As(err, &no) {
		said := no.said
		said.Args = []any{word}
		return said
	}
	if errors.Is(err, rpctypes.ErrLeaseNotFound) {
		return model.Say("program-lease-gone", word)
	}
	return quote(word + ": " + err.Error())
}

// refusal is why a word cannot be done, in a sentence about the word.
type refusal struct{ said model.Message }

func cannot(said model.Message) error { return &refusal{said} }

func (r *refusal) Error() string { return strings.TrimPrefix(text.English(r.said), `"": `) }

// earlyWordTimeout is how long a word waits for the end of an attempt: everybody may see the key of a claim,
// and that it holds, before the client has the answer.
const earlyWordTimeout = 2 * time.Second

// again does what a word says that came too early.
func (m *manual) again(ctx context.Context) {
	if word := m.early; word != "" {
		m.do(ctx, word)
	}
	m.early, m.earlyAt = "", nil
}

// carryOn does nothing.
func (m *manual) carryOn(context.Context) error {
	m.note(model.Say("program-goes-on"))
	return nil
}

// note says something without a change of what is believed.
func (m *manual) note(said model.Message) {
	switch {
	case m.waiting != nil && !m.waiting.abandoned:
		m.say(m.waiting.lock, model.BeliefWaiting, m.waiting.claim, said)
	case len(m.held) > 0:
		h := m.last()
		m.say(h.lock, model.BeliefHolding, h.claim, said)
	case m.released != nil:
		m.say(m.released.lock, model.BeliefIdle, claim{}, said)
	case m.hand.claim.token != 0:
		m.say(m.o.Locks[0], model.BeliefWaiting, m.hand.claim, said)
	default:
		m.say(m.o.Locks[0], model.BeliefIdle, claim{}, said)
	}
}

// last is the lock that was taken last. There is one.
func (m *manual) last() hold { return m.held[len(m.held)-1] }

var (
	errHoldsNothing = cannot(model.Say("program-holds-nothing", ""))
	errNoAnswer     = fmt.Errorf("no answer within %v", askWithin)
	errIsWaiting    = cannot(model.Say("program-still-waits", ""))
	errNoResource   = cannot(model.Say("program-no-resource", ""))
)

func (m *manual) lock(ctx context.Context) error {
	if _, name, ok := strings.Cut(m.word, " "); ok { // the one that is named
		if !slices.Contains(m.o.Locks, name) {
			return fmt.Errorf("it does not compete for %s: want one of %s", name, strings.Join(m.o.Locks, ", "))
		}
		if m.holds(name) {
			return errors.New("it holds " + name + " already")
		}
		return m.start(ctx, name)
	}
	for _, lock := range m.o.Locks {
		if !m.holds(lock) {
			return m.start(ctx, lock)
		}
	}
	return cannot(model.Say("program-holds-all", ""))
}

func (m *manual) holds(lock string) bool {
	return slices.ContainsFunc(m.held, func(h hold) bool { return h.lock == lock })
}

func (m *manual) lockAgain(ctx context.Context) error {
	if len(m.held) == 0 {
		return errHoldsNothing
	}
	return m.start(ctx, m.last().lock)
}

// start begins an attempt in the background, with a session if there is none.
func (m *manual) start(ctx context.Context, lock string) error {
	if m.waiting != nil {
		return errIsWaiting
	}
	if m.s == nil || m.s.ended() && len(m.held) == 0 {
		s, err := m.open(ctx)
		if err != nil {
			return err
		}
		if m.s = s; m.renewal != nil && s.Session != nil {
			m.renewsItself(ctx, s)
		}
	}
	a := m.attempt(m.s, lock)
	ctx, cancel := context.WithCancel(ctx)
	m.waiting = &waiting{lock: lock, claim: a.claim, cancel: cancel}
	m.say(lock, model.BeliefWaiting, a.claim, silence)
	go func() {
		defer cancel()
		c, err := a.acquire(ctx)
		m.outcomes <- outcome{c, err}
	}()
	return nil
}

// acquired takes note of how an attempt ended. After an error the session stays, and
// with it what the attempt may have left.
func (m *manual) acquired(ctx context.Context, o outcome) {
	lock, was, abandoned := m.waiting.lock, m.waiting.claim, m.waiting.abandoned
	m.waiting = nil
	if abandoned {
		return // nobody hears of it
	}
	why := silence
	if m.s != nil {
		why = m.s.loss(o.err)
	}
	switch {
	case o.err == nil && m.s != nil:
		m.held = append(m.held, hold{lock, o.claim})
		m.say(lock, model.BeliefHolding, o.claim, silence)
	case o.err == nil: // the session was closed meanwhile
		_ = undo(o.claim.release, nil)
		m.say(lock, model.BeliefIdle, claim{}, silence)
	case !why.IsZero():
		m.say(lock, model.BeliefLost, was, why)
	case m.s == nil:
		m.say(lock, model.BeliefIdle, claim{}, silence) // close ended it
	default:
		m.say(lock, model.BeliefIdle, claim{}, quote("wait for the lock: "+m.clearer(ctx, o.err).Error()))
	}
}

// lose takes note of the end of the lease.
func (m *manual) lose() {
	for _, h := range slices.Backward(m.held) {
		m.say(h.lock, model.BeliefLost, h.claim, m.s.lostReason)
	}
	if len(m.held) == 0 && m.waiting == nil {
		m.say(m.o.Locks[0], model.BeliefLost, claim{lease: m.s.lease()}, m.s.lostReason)
	}
	m.held, m.s.lost = nil, nil
	if m.waiting == nil {
		m.s = nil
		return
	}
	m.say(m.waiting.lock, model.BeliefLost, m.waiting.claim, m.s.lostReason)
	m.s = nil
	m.waiting.cancel()
}

func (m *manual) unlock(ctx context.Context) error {
	if len(m.held) == 0 {
		return errHoldsNothing
	}
	h := m.last()
	m.held, m.released, m.hand = m.held[:len(m.held)-1], &h, byHand{}
	m.say(h.lock, model.BeliefLeaving, h.claim, silence)
	said := silence
	if err := m.ask(ctx, h.release); errors.Is(err, errNoAnswer) {
		said = model.Say("program-no-answer", askWithin.String())
	} else if isAnswer(err) {
		said = wordsOf(err)
	} else if err != nil {
		said = failedAt("unlock", err)
	}
	for _, other := range m.held {
		if other.lock == h.lock { // had twice: the other one knows of nothing
			m.say(h.lock, model.BeliefHolding, other.claim, said)
			return nil
		}
	}
	m.say(h.lock, model.BeliefIdle, claim{}, said)
	return nil
}

func (m *manual) unlockAgain(ctx context.Context) error {
	if m.released == nil {
		return cannot(model.Say("program-unlocked-nothing", ""))
	}
	if err := m.ask(ctx, m.released.release); err != nil {
		return err
	}
	m.note(model.Say("program-unlocked", m.released.lock))
	return nil
}

// resignAgain does what a program does that tries again: the library may have forgotten the key.
func (m *manual) resignAgain(ctx context.Context) error {
	switch {
	case m.released == nil:
		return cannot(model.Say("program-not-resigned", ""))
	case m.released.resignAgain == nil:
		return errors.New("this recipe does not resign")
	}
	if err := m.ask(ctx, m.released.resignAgain); err != nil {
		return err
	}
	m.note(model.Say("program-resigned", m.released.lock))
	return nil
}

// ask makes a request and waits for the answer, within bounds.
func (m *manual) ask(ctx context.Context, request func(context.Context) error) error {
	ctx, cancel := context.WithTimeout(ctx, askWithin)
	defer cancel()
	err := request(ctx)
	if errors.Is(err, context.DeadlineExceeded) {
		return errNoAnswer
	}
	return err
}

func (m *manual) read(ctx context.Context) error {
	if m.guard == nil {
		return errNoResource
	}
	if len(m.held) == 0 {
		return errHoldsNothing
	}
	r, err := m.guard.read(ctx, m.name, m.last())
	if err != nil {
		return err
	}
	m.kept = &r
	m.note(model.Say("program-read", r.lock))
	return nil
}

// put needs no lock any more: that is what a program does which was paused after it
// had looked.
func (m *manual) put(ctx context.Context) error {
	if m.guard == nil {
		return errNoResource
	}
	if m.kept == nil {
		return cannot(model.Say("program-read-nothing", ""))
	}
	r := *m.kept
	m.kept = nil
	if err := m.guard.write(ctx, m.name, r); err != nil {
		return err
	}
	m.note(model.Say("program-wrote", r.lock))
	return nil
}

func (m *manual) write(ctx context.Context) error {
	if err := m.read(ctx); err != nil {
		return err
	}
	return m.put(ctx)
}

func (m *manual) close(context.Context) error {
	if m.s == nil || m.s.Session == nil {
		return cannot(model.Say("program-no-session", ""))
	}
	if m.waiting != nil {
		m.waiting.cancel()
	}
	err := m.s.Session.Close() // revokes even what was dropped
	m.s = nil
	for _, h := range slices.Backward(m.held) {
		m.say(h.lock, model.BeliefIdle, claim{}, silence)
	}
	m.held = nil
	return err
}

func (m *manual) drop(context.Context) error {
	if m.s == nil || m.s.Session == nil || m.s.ended() {
		return cannot(model.Say("program-renews-nothing", ""))
	}
	m.s.lost = nil // it believes what it believed
	m.s.Orphan()
	m.note(model.Say("program-drops"))
	return nil
}

func (m *manual) proclaim(ctx context.Context) error {
	if len(m.held) == 0 {
		return errHoldsNothing
	}
	h := m.last()
	if h.claim.proclaim == nil {
		return fmt.Errorf("recipe %s writes nothing into its key", m.o.Recipe)
	}
	m.values++
	value := fmt.Sprintf("%s#%d", m.o.Name, m.values)
	if err := m.ask(ctx, func(ctx context.Context) error { return h.claim.proclaim(ctx, value) }); err != nil {
		return err
	}
	m.note(model.Say("program-proclaimed", value))
	return nil
}

// leave lets everything go.
func (m *manual) leave() {
	if m.waiting != nil {
		m.waiting.cancel()
		// It ends soon: at the latest the client is closed under it.
		if o := <-m.outcomes; o.err == nil {
			m.held = append(m.held, hold{m.waiting.lock, o.claim})
		} else {
			m.say(m.waiting.lock, model.BeliefIdle, claim{}, silence)
		}
	}
	ctx, cancel := context.WithTimeout(context.Background(), leaveWithin)
	defer cancel()
	for _, h := range slices.Backward(m.held) {
		m.say(h.lock, model.BeliefLeaving, h.claim, silence)
		_ = h.release(ctx) // the session's end comes next, and takes it along
		m.say(h.lock, model.BeliefIdle, claim{}, silence)
	}
	if m.s != nil {
		m.s.close()
	}
}
