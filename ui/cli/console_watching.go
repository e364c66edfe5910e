package cli

import (
	"context"
	"slices"
	"sync"

	clientv3 "go.etcd.io/etcd/client/v3"

	"locktop/model"
	"locktop/ui"
	"locktop/ui/cli/session"
	"locktop/watcher"
)

// watching is what a console watches of a cluster that is not ours, one watcher after
// another.
type watching struct {
	client *clientv3.Client
	look   watcher.Options // of every watcher, but for the prefixes
	pins   []model.Pin
	live   ui.Live        // without its source
	events []model.Source // told besides what the watcher sees

	mu    sync.Mutex
	close func() // ends the present watcher
}

// open watches the prefixes. Without any it watches all keys, but asks first if they
// are many. A count that fails is no reason not to try: the watch says more of it.
func (w *watching) open(ctx context.Context, prefixes []string, progress func(model.Message)) (ui.Live, error) {
	if len(prefixes) == 0 {
		progress(model.Say("counting-the-keys"))
		if n, err := watcher.CountKeys(ctx, w.client, ""); err == nil && n > watcher.SmallKeyspace {
			live := w.live
			live.Start = &ui.Start{Keys: n, Scan: w.scan}
			return live, nil
		}
	}
	return w.watch(ctx, prefixes)
}

// watch watches other prefixes in the place of those before.
func (w *watching) watch(ctx context.Context, prefixes []string) (ui.Live, error) {
	if slices.Contains(prefixes, "") {
		prefixes = nil
	}
	look := w.look
	look.Prefixes = prefixes
	src := watcher.New(w.client, look)
	ctx, cancel := context.WithCancel(ctx)
	w.end()
	w.mu.Lock()
	defer w.mu.Unlock()
	w.close = func() {
		cancel()
		src.Close()
	}
	live := w.live
	live.Source = src
	if len(w.events) > 0 {
		live.Source = session.Merge(ctx, append([]model.Source{live.Source}, w.events...)...)
	}
	return live, nil
}

// end ends what is being watched, if anything is.
func (w *watching) end() {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.close != nil {
		w.close()
		w.close = nil
	}
}

// scan looks which prefixes look like locks.
func (w *watching) scan(ctx context.Context, progress func(done, total int64)) (ui.Found, error) {
	d, err := watcher.Discover(ctx, w.client, watcher.DiscoverOptions{Pins: w.pins, Progress: progress})
	return ui.Found{Keys: d.Keys, Partial: d.Partial, Guesses: d.Prefixes}, err
}
