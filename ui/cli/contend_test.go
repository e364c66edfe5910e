package cli

import (
	"strings"
	"testing"
	"time"

	clientv3 "go.etcd.io/etcd/client/v3"

	"locktop/demo/contender"
	"locktop/model"
)

// TestContendByEveryRecipe takes two locks for a turn with each recipe.
func TestContendByEveryRecipe(t *testing.T) {
	t.Parallel()
	endpoint := testServer(t)
	for _, recipe := range contender.Recipes {
		t.Run(recipe, func(t *testing.T) {
			code, out, errs := program(t, t.TempDir(), "contend", "--armed", "--endpoints", endpoint, "--recipe", recipe, "--name", "me",
				"--rounds", "1", "--ttl", "5", "--hold", "10ms", "--think", "10ms", "/locks/"+recipe+"/a", "/locks/"+recipe+"/b")
			if code != 0 {
				t.Fatalf("exit %d: %s%s", code, out, errs)
			}
			held := map[string]bool{}
			for _, line := range strings.Split(strings.TrimSpace(out), "\n") {
				b, _, err := contender.DecodeBelief([]byte(line))
				if err != nil {
					t.Fatalf("%v: %s", err, line)
				}
				if b.State == model.BeliefHolding {
					held[b.Lock] = true
				}
			}
			if len(held) != 2 {
				t.Errorf("held %v\n%s", held, out)
			}
		})
	}
}

// TestContendTakesNamesAsPrinted: the key that it puts has the bytes of the name.
func TestContendTakesNamesAsPrinted(t *testing.T) {
	t.Parallel()
	endpoint := testServer(t)
	cli, err := clientv3.New(clientv3.Config{Endpoints: []string{endpoint}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { cli.Close() })
	for _, name := range []string{"/a\xff\xfe", `/back\slash`, "/new\nline", `/"quoted" it's`, "/a=b", "/\u202eleft"} {
		t.Run(model.Printable(name), func(t *testing.T) {
			before, err := cli.Get(t.Context(), name+"/", clientv3.WithPrefix())
			if err != nil || len(before.Kvs) > 0 {
				t.Fatal(before, err)
			}
			code, out, errs := program(t, t.TempDir(), "contend", "--armed", "--endpoints", endpoint, "--name", "me",
				"--rounds", "1", "--ttl", "5", "--hold", "10ms", "--think", "10ms", model.Printable(name))
			if code != 0 {
				t.Fatalf("exit %d: %s%s", code, out, errs)
			}
			puts := cli.Watch(t.Context(), name+"/", clientv3.WithPrefix(), clientv3.WithRev(before.Header.Revision+1))
			select {
			case r := <-puts:
				if len(r.Events) == 0 || r.Events[0].Type != clientv3.EventTypePut {
					t.Errorf("the watch said %v, %v", r.Events, r.Err())
				}
			case <-time.After(10 * time.Second):
				t.Errorf("nothing was put below %q", name)
			}
		})
	}
}
