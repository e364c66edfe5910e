package contender

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"time"

	"go.etcd.io/etcd/api/v3/mvccpb"
	"go.etcd.io/etcd/api/v3/v3rpc/rpctypes"
	clientv3 "go.etcd.io/etcd/client/v3"
	"go.etcd.io/etcd/client/v3/concurrency"

	"locktop/demo/process"
	"locktop/model"
	"locktop/model/recipe"
)

// Recipes that a contender knows.
const (
	// RecipeMutex, RecipeTryLock and RecipeElection are those of the Go client's
	// package concurrency; RecipeTryLock does not queue, but tries again and again.
	RecipeMutex    = "mutex"
	RecipeTryLock  = "try-lock"
	RecipeElection = "election"
	// RecipeRWRead and RecipeRWWrite are the two sides of its experimental RWMutex.
	RecipeRWRead  = "rw-read"
	RecipeRWWrite = "rw-write"
	// RecipeLockRPC and RecipeElectionRPC leave the work to the server.
	RecipeLockRPC     = "lock-rpc"
	RecipeElectionRPC = "election-rpc"
	// RecipeSingle is one key, named as the lock, that the first transaction wins;
	// the others watch it. RecipeSpin is the same without a watch.
	RecipeSingle = "single"
	RecipeSpin   = "spin"
	// RecipeOwner is Layotto's: one key whose value is the owner, on a lease that is
	// never renewed. A contender that does not get it tries again.
	RecipeOwner = "owner"
	// RecipeUUIDQueue is the queue of many tutorials: LOCK/UUID, and the lowest create
	// revision holds. RecipeUUIDBare looks for those ahead without the slash.
	RecipeUUIDQueue = "uuid-queue"
	RecipeUUIDBare  = "uuid-queue-bare"
	// RecipeOwnerSteps is RecipeOwner with an unlock that reads, compares and deletes in
	// three steps.
	RecipeOwnerSteps = "owner-steps"
	// RecipeCron compares one key, /cron/lock/JOB, and writes another, /cron/jobs/JOB.
	RecipeCron = "cron-lock"
	// RecipeTimer is one key whose lease a timer of the program renews, one request each time,
	// until one of them fails. RecipeUnread renews with the client library, and reads no answer.
	RecipeTimer  = "timer"
	RecipeUnread = "unread-replies"
	// RecipeRequireLeader renews with the client library as well, says that it wants to hear of a
	// cluster without a leader, and reads the channel until it closes.
	RecipeRequireLeader = "require-leader"
	// RecipeExpiryLater puts the key first and gives it a lease in a second step, which nobody
	// renews. RecipeLookThenPut looks for the key, and puts it if there was none.
	RecipeExpiryLater = "expiry-later"
	RecipeLookThenPut = "look-then-put"
	// RecipeCounted is RecipeMutex, and counts how often its session has the lock.
	RecipeCounted = "counted"
)

// play is a recipe as a contender plays it: the calls in which recipes differ. The loop is
// the same for all, see [attempt.acquire]. What the recipe itself is [recipe.Played] says.
type play struct {
	word string
	// waiter is the claim of who waits, as far as it is known before; nil: nothing is.
	waiter func(*attempt) claim
	// take tries to get the lock once. errTaken says that it cannot be had now.
	take func(*attempt, context.Context) (claim, error)
	// wait returns when another try makes sense; nil where take is never errTaken.
	wait func(*attempt, context.Context) error

	served bool // the server does the work, and makes a lease for a client that brings none
	own    bool // it makes a lease of its own, and wants no session
	tells  bool // nevertheless it hears when its lease is renewed no more
}

var plays = []play{
	{word: RecipeMutex, waiter: (*attempt).byLease, take: (*attempt).lockMutex},
	{word: RecipeTryLock, waiter: (*attempt).byLease, take: (*attempt).tryMutex, wait: (*attempt).pause},
	{word: RecipeElection, waiter: (*attempt).byLease, take: (*attempt).campaign},
	{word: RecipeRWRead, waiter: (*attempt).keyless, take: (*attempt).lockShared},
	{word: RecipeRWWrite, waiter: (*attempt).keyless, take: (*attempt).lockAlone},
	{word: RecipeLockRPC, waiter: (*attempt).byLease, take: (*attempt).lockByServer, served: true},
	{word: RecipeElectionRPC, waiter: (*attempt).byLease, take: (*attempt).campaignByServer, served: true},
	{word: RecipeSingle, waiter: (*attempt).keyless, take: (*attempt).putKey, wait: (*attempt).complain},
	{word: RecipeOwner, take: (*attempt).putAsOwner, wait: (*attempt).pause},
	{word: RecipeUUIDQueue, waiter: (*attempt).byUUID, take: (*attempt).queue},
	{word: RecipeSpin, waiter: (*attempt).keyless, take: (*attempt).putKey, wait: (*attempt).spin},
	{word: RecipeUUIDBare, waiter: (*attempt).byUUID, take: (*attempt).queueWithoutSlash},
	{word: RecipeOwnerSteps, take: (*attempt).putInSteps, wait: (*attempt).pause},
	{word: RecipeCron, waiter: (*attempt).keyless, take: (*attempt).putJob},
	{word: RecipeTimer, take: renewedBy((*attempt).renewByTimer), wait: (*attempt).watchKey, own: true},
	{word: RecipeUnread, take: renewedBy((*attempt).renewUnread), wait: (*attempt).watchKey, own: true},
	{word: RecipeRequireLeader, take: renewedBy((*attempt).renewUnderLeader), wait: (*attempt).watchKey, own: true, tells: true},
	{word: RecipeExpiryLater, waiter: (*attempt).keyless, take: (*attempt).putThenExpire, wait: (*attempt).watchKey, own: true},
	{word: RecipeLookThenPut, waiter: (*attempt).keyless, take: (*attempt).lookThenPut, wait: (*attempt).watchKey},
	{word: RecipeCounted, waiter: (*attempt).byLease, take: (*attempt).lockCounted},
}

// Recipes are all recipes that a contender knows.
var Recipes = words(func(play) bool { return true })

// byName says whether the recipe of the play has the same name: those two are the ones
// of which people have heard.
func (p play) byName() bool {
	r := recipe.Played(p.word)
	return r != nil && r.Name == p.word
}

// CommonRecipes are those of [Recipes] that are called like the recipe which the watch
// tells: the ones of which people have heard.
func CommonRecipes() []string { return words(play.byName) }

// words are those of the plays of some kind.
func words(is func(play) bool) (all []string) {
	for _, p := range plays {
		if is(p) {
			all = append(all, p.word)
		}
	}
	return all
}

// playOf is the play of that word, zero if there is none.
func playOf(word string) play {
	if i := slices.IndexFunc(plays, func(p play) bool { return p.word == word }); i >= 0 {
		return plays[i]
	}
	return play{}
}

// attempt is a try to get one lock, with what a recipe needs to know for it.
type attempt struct {
	play        play
	lock, value string // value is what it writes where a recipe writes an owner
	client      *clientv3.Client
	session     *concurrency.Session // nil where the recipe does without
	ttl         int                  // seconds, for a lease of the recipe's own
	think       time.Duration        // mean pause between two tries
	rng         *rand.Rand
	failed      func(said model.Message) // says that a try failed, and that another follows
	lose        func()                   // says that the lease is renewed no more, where a recipe hears of it
	order       order                    // of a queue made by hand
	times       *times                   // how often the session has each lock, where a recipe counts

	claim claim // what the attempt will make, as far as that is known before
	seen  int64 // the revision at which somebody's key was there
}

// errTaken says that a lock cannot be had now.
var errTaken = errors.New("somebody else has the lock")

// acquire returns when the lock is had, or with an error when ctx ended. Of a claim that
// failed it leaves nothing behind, unless etcd does not answer.
func (a *attempt) acquire(ctx context.Context) (claim, error) {
	for {
		c, err := a.play.take(a, ctx)
		if !errors.Is(err, errTaken) {
			return c, err
		}
		if err := a.play.wait(a, ctx); err != nil {
			return claim{}, err
		}
	}
}

// claim is a place in a lock's queue, or the key that is the lock.
type claim struct {
	key   string
	lease model.LeaseID
	// token is the create revision of the key: what it shows to a guarded resource.
	token int64
	// release gives the claim back. Called again it does what a client does that has
	// not heard the answer: the same request again, whoever may hold the lock by now.
	release func(ctx context.Context) error
	// resignAgain asks the client library for the same once more after release, with what it
	// still knows; nil where the recipe has no such thing.
	resignAgain func(ctx context.Context) error
	// proclaim writes a value into the key; nil where the recipe has no such thing.
	proclaim func(ctx context.Context, value string) error
}

// Answers of the recipe [RecipeOwner] to an unlock, other than yes.
var (
	errNoSuchLock   = &saidError{model.Say("program-none")}
	errLockOfOthers = &saidError{model.Say("program-others")}
)

// leaseID is the session's lease, 0 where there is none.
func (a *attempt) leaseID() clientv3.LeaseID {
	if a.session == nil {
		return clientv3.NoLease
	}
	return a.session.Lease()
}

// byLease is the claim of recipes that name the key by the lease.
func (a *attempt) byLease() claim {
	lease := model.LeaseID(a.leaseID())
	if lease == 0 {
		return claim{}
	}
	return claim{key: a.lock + "/" + lease.String(), lease: lease}
}

// keyless is the claim of recipes whose waiters have no key, or none that is known.
func (a *attempt) keyless() claim { return claim{lease: model.LeaseID(a.leaseID())} }

// pause waits between two tries.
func (a *attempt) pause(ctx context.Context) error {
	process.Sleep(ctx, nil, jitter(a.rng, a.think, 0.6))
	return ctx.Err()
}

// watchKey waits until the key that was there goes.
func (a *attempt) watchKey(ctx context.Context) error { return a.gone(ctx, a.lock, a.seen+1) }

// put creates a key if there is none. It returns the revision, and whether it did.
func (a *attempt) put(ctx context.Context, key, value string, lease clientv3.LeaseID) (rev int64, ok bool, err error) {
	ctx, cancel := context.WithTimeout(ctx, askWithin)
	defer cancel()
	r, err := a.client.Txn(ctx).If(clientv3.Compare(clientv3.CreateRevision(key), "=", 0)).
		Then(clientv3.OpPut(key, value, clientv3.WithLease(lease))).Commit()
	if err != nil {
		return 0, false, fmt.Errorf("put %s: %w", key, err)
	}
	return r.Header.Revision, r.Succeeded, nil
}

// deleteByName returns a release that does not look at whose key it is by now.
func (a *attempt) deleteByName(key string) func(context.Context) error {
	return func(ctx context.Context) error {
		_, err := a.client.Delete(ctx, key)
		return err
	}
}

// undo gives back what a failed attempt may have made, whatever became of its ctx.
func undo(release func(context.Context) error, err error) error {
	ctx, cancel := context.WithTimeout(context.Background(), leaveWithin)
	defer cancel()
	_ = release(ctx) // why it failed before is what counts
	return err
}

// gone waits until key is deleted at rev or later. A history that is compacted is no
// error: the caller has to look again anyway.
func (a *attempt) gone(ctx context.Context, key string, rev int64) error {
	return a.until(ctx, key, rev, func(e *clientv3.Event) bool { return e.Type == mvccpb.Event_DELETE })
}

// changed waits likewise until key is written or deleted.
func (a *attempt) changed(ctx context.Context, key string, rev int64) error {
	return a.until(ctx, key, rev, func(*clientv3.Event) bool { return true })
}

func (a *attempt) until(ctx context.Context, key string, rev int64, is func(*clientv3.Event) bool) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	for r := range a.client.Watch(ctx, key, clientv3.WithRev(rev)) {
		if err := r.Err(); errors.Is(err, rpctypes.ErrCompacted) {
			return nil
		} else if err != nil {
			return fmt.Errorf("watch %s: %w", key, err)
		}
		for _, e := range r.Events {
			if is(e) {
				return nil
			}
		}
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	return fmt.Errorf("watch %s: it ended", key)
}
