package smallstores

import (
	"strings"
	"testing"
)

// TestWhatTheRulesGive: who believes to hold, after each story.
func TestWhatTheRulesGive(t *testing.T) {
	connection := "a server that gives the lock to a connection\na asks 1\na counts\nb asks 1\nb counts\n"
	consul := "1 stores with a TTL of 10s, 1 give the lock\na lock that ran out rests for 15s\n"
	five := "5 stores with a TTL of 10s, 3 give the lock\n"
	takes := func(name, at string) (all string) {
		for _, i := range strings.Fields(at) {
			all += name + " asks " + i + "\n"
		}
		return all + name + " counts\n"
	}
	for _, r := range []struct{ story, want, reason string }{
		{five, "nobody", "nobody asked"},
		{five + takes("a", "1 2 3"), "a", "three of five are enough"},
		{five + takes("a", "1 2"), "nobody", "two are not"},
		{five + takes("a", "1 2") + takes("b", "1 2 3"), "b", "who did not get enough gives back what it got"},
		{five + takes("a", "1 2 3") + takes("b", "3 4 5"), "a", "a store gives its key once"},
		{five + "1 dies\n2 dies\n" + takes("a", "1 2 3 4 5"), "a", "two of five may be gone"},
		{five + "1 dies\n2 dies\n3 dies\n" + takes("a", "1 2 3 4 5"), "nobody", "three may not"},
		{five + takes("a", "1 2 3") + "10s go by\n" + takes("b", "1 2 3"), "b", "who runs counts its own time"},
		{five + takes("a", "1 2 3") + "a releases\n" + takes("b", "3 4 5"), "b", "a release frees it"},
		{five + "a asks 1\na asks 2\n10s go by\na asks 3\na counts\n", "nobody", "asking took longer than the TTL"},
		{five + takes("a", "1 2 3") + "3 comes back empty\n" + takes("b", "3 4 5"), "a+b", "a store that forgot makes a second majority"},
		{five + takes("a", "1 2 3") + "3 dies\n10s go by\n3 comes back empty\n" + takes("b", "3 4 5"), "b", "one that stays away for a TTL does not"},
		{five + takes("a", "1 2 3") + "the clock of 3 jumps by 10s\n" + takes("b", "3 4 5"), "a+b", "a clock that jumps does as much"},
		{five + takes("a", "1 2 3 4 5") + "a pauses\n12s go by\n" + takes("b", "1 2 3"), "a+b", "who is paused does not look at its clock"},
		{five + takes("a", "1 2 3 4 5") + "a pauses\n12s go by\n" + takes("b", "1 2 3") + "a runs on\n1s go by", "b", "once it runs it looks"},
		{"2 stores with a TTL of 10s, 1 give the lock\n" + takes("a", "1") + "1 dies\n" + takes("b", "2"), "a+b", "a copy that had not heard of the key"},
		{five + "a asks 1\na asks 2, unheard\na asks 3, unheard\na asks 4, unheard\na releases 1\n" + takes("b", "1 2 3 4 5"), "nobody", "a release that goes only to who answered leaves the keys of the others"},
		{five + "a asks 1\na asks 2, unheard\na asks 3, unheard\na asks 4, unheard\na counts\n" + takes("b", "1 2 3 4 5"), "b", "one that goes to all does not"},
		{connection, "a", "the call of b waits in the server"},
		{connection + "the connection of a breaks", "a+b", "the server answers b at once, and a does not look"},
		{connection + "8h go by", "a", "a connection has no TTL"},
		{consul + takes("a", "1") + "a pauses\n12s go by\n" + takes("b", "1"), "a", "after a loss the lock rests"},
		{consul + takes("a", "1") + "a pauses\n26s go by\n" + takes("b", "1"), "a+b", "a pause that is longer goes through"},
		{consul + takes("a", "1") + "a releases\n" + takes("b", "1"), "b", "after a release it does not rest"},
	} {
		var m Model
		for _, said := range strings.Split(strings.TrimSpace(r.story), "\n") {
			if err := m.Do(said); err != nil {
				t.Fatalf("%s: %v", r.reason, err)
			}
		}
		if got := m.Believers(); got != r.want {
			t.Errorf("%s: %s, want %s", r.reason, got, r.want)
		}
	}
}

func TestAModelSaysWhatItCannotDo(t *testing.T) {
	for _, said := range []string{"", "a asks 1", "a dances", "0 stores with a TTL of 10s, 1 give the lock", "5 stores with a TTL of soon, 3 give the lock", "5 stores with a TTL of 10s, 6 give the lock", "-1s go by", "9 dies", "a lock that ran out rests for ever", "the connection breaks"} {
		if err := new(Model).Do(said); err == nil {
			t.Errorf("%q is done by a model without stores", said)
		}
	}
}
