package soak

import (
	"context"
	"log"
	"math/rand/v2"
	"runtime"
	"sync"
	"syscall"
	"time"

	"locktop/demo/bench/load"
	"locktop/demo/cluster"
)

// Burner is the role of a process that takes the processors away.
const Burner load.Role = "soak-burner" // how many threads

func init() { load.Plays(Burner, serveBurner) }

func serveBurner(ctx context.Context, threads int) error {
	if err := load.Say("burning"); err != nil {
		return err
	}
	runtime.GOMAXPROCS(threads)
	var burning sync.WaitGroup
	for range threads {
		burning.Go(func() {
			for ctx.Err() == nil { // as long as it burns
			}
		})
	}
	burning.Wait()
	return nil
}

// trouble is what a healthy cluster and its observers have to live through.
type trouble struct {
	dir     string
	cluster *cluster.Cluster
	all     []*process
	sleeper *load.Child
	length  time.Duration
	rng     *rand.Rand
	say     *log.Logger
	happened
}

// happened counts it.
type happened struct {
	Moves       int `json:"leader_changes"`
	Kills       int `json:"clients_killed"`
	Killed      int `json:"sessions_killed"`
	Sleeps      int `json:"observer_stopped"`
	Starvations int `json:"processors_starved"`
}

// Bounds of the sleeps, of the time that a killed client is away, and of starvation.
const (
	sleepMin, sleepMax = 3 * time.Second, 45 * time.Second
	awayMin, awayMax   = time.Second, 30 * time.Second
	starveFor          = 12 * time.Second
	starveThreads      = 8 // for each processor
)

// planned is how often each of them comes in the time, but for the sessions.
func planned(length time.Duration) happened {
	m := int(length.Minutes())
	return happened{Moves: moves, Kills: max(1, m/3), Sleeps: max(1, m/2), Starvations: max(1, m/6)}
}

// run does it all and comes back when that is over.
func (t *trouble) run(ctx context.Context) {
	plan := planned(t.length)
	var all sync.WaitGroup
	spread := func(n int, do func(most time.Duration, rng *rand.Rand)) {
		rng := rand.New(rand.NewPCG(t.rng.Uint64(), 0))
		each := t.length / time.Duration(n+1)
		all.Go(func() {
			for range n {
				if !load.Pause(ctx, each/2+time.Duration(rng.Int64N(int64(each/4)))) {
					return
				}
				do(each/4, rng)
			}
		})
	}
	spread(plan.Moves, func(time.Duration, *rand.Rand) {
		if moveLeader(ctx, t.cluster, t.say) {
			t.Moves++
		}
	})
	spread(plan.Kills, func(most time.Duration, rng *rand.Rand) { t.kill(ctx, within(rng, awayMin, awayMax, most), rng) })
	spread(plan.Sleeps, func(most time.Duration, rng *rand.Rand) { t.sleep(ctx, within(rng, sleepMin, sleepMax, most)) })
	spread(plan.Starvations, func(most time.Duration, _ *rand.Rand) { t.starve(ctx, min(starveFor, most)) })
	all.Wait()
}

// within is a time between two bounds, and not more than most.
func within(rng *rand.Rand, least, longest, most time.Duration) time.Duration {
	return min(least+time.Duration(rng.Int64N(int64(longest-least))), most)
}

// kill ends one client, which comes back.
func (t *trouble) kill(ctx context.Context, away time.Duration, rng *rand.Rand) {
	p := t.all[rng.IntN(len(t.all))]
	n := p.kill()
	t.Kills, t.Killed = t.Kills+1, t.Killed+n
	t.say.Printf("%s a client with %d sessions is killed", clock(time.Now()), n)
	load.Pause(ctx, away)
	if err := p.start(context.WithoutCancel(ctx)); err != nil {
		t.say.Print("a client does not come back: ", err)
	}
}

// sleep stops the observer that has to live with it.
func (t *trouble) sleep(ctx context.Context, d time.Duration) {
	if err := t.sleeper.Signal(syscall.SIGSTOP); err != nil {
		t.say.Print("the observer was not stopped: ", err)
		return
	}
	from := time.Now()
	load.Pause(ctx, d)
	if err := t.sleeper.Signal(syscall.SIGCONT); err != nil {
		t.say.Print("the observer does not go on: ", err)
		return
	}
	t.Sleeps++
	t.say.Printf("%s the observer was stopped since %s", clock(time.Now()), clock(from))
}

// starve leaves little of the processors to members, contenders and observers.
func (t *trouble) starve(ctx context.Context, d time.Duration) {
	c, err := load.Start(ctx, t.dir, Burner, starveThreads*runtime.NumCPU(), load.Patience)
	if err != nil {
		t.say.Print("the processors were not taken away: ", err)
		return
	}
	t.say.Printf("%s the processors are taken away", clock(time.Now()))
	load.Pause(ctx, d)
	if err := c.End(); err != nil && ctx.Err() == nil {
		t.say.Print("who takes the processors does not end well: ", err)
		return
	}
	t.Starvations++
	t.say.Printf("%s the processors are given back", clock(time.Now()))
}
