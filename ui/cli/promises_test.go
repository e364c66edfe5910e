package cli

import (
	"fmt"
	"os"
	"strings"
	"testing"
)

// promise is one that this program keeps towards what is outside of it.
type promise struct {
	says string
	test string // file, from here, and the name of the test that holds it
	// bound is the figure that is promised, measured what one run of the test showed; both
	// may be empty.
	bound, measured string
}

var promises = []promise{
	{"A server that answers badly ends a command with one line, or the command gets over it.", "ways_test.go TestEveryWayToAnswer",
		fmt.Sprintf("%d ways; --command-timeout and 2 s", len(ways)), "at most 1.06 s at --command-timeout 1s"},
	{"A wait without progress ends with --command-timeout, and nothing shorter ends it.", "patience_test.go TestWhatIsWaitedForAndWhatIsNot", "", ""},
	{"One denied prefix hides no other.", "patience_test.go TestOneDeniedPrefixHidesNoOther", "", ""},
	{"A list has an end.", "ways_test.go TestEveryWayToAnswer", "2,000,000 keys or 512 MiB of keys and values; one answer 512 MiB", ""},
	{"What is told of events is complete, or a line says how many are missing.", "session/tell_test.go TestAStreamIsCompleteOrSaysWhereItIsNot",
		"100,000 entries in one revision, 4,000 behind one without a cause", "20,000 locks in one revision and 40,000 one after another: none missing"},
	{"A file is not read for ever, and INT and TERM end the wait for it.", "doors_linux_test.go TestNoFileIsReadForEver",
		fmt.Sprintf("drills and profiles %d MiB, results %d MiB, the first line of a recording 4 KiB", fileMax>>20, resultsMax>>20), "/dev/zero at every door: at most 0.4 s and 184 MiB (results), else 17 ms and 31 MiB"},
	{"A reader who does not read holds up no end.", "doors_linux_test.go TestAReaderWhoDoesNotRead", fmt.Sprintf("%s after INT or TERM", readerTime), ""},
	{"Damage to a recording is named by its place, and nothing is played that was not recorded.", "../../watcher/recording/recording_test.go TestDamageIsNamed",
		"every bit, every length, every run of 40 bytes", ""},
	{"An error begins no line that we did not begin, and has a length.", "ways_test.go TestEveryWayToAnswer", fmt.Sprintf("%d characters a line", lineMax), ""},
	{"Hostile bytes reach the terminal through no door.", "guests_test.go TestEveryDoorKnowsItsGuests", "", ""},
	{"Hostile keys and values reach it through no command.", "hostile_test.go TestHostileKeysThroughEveryCommand", "", ""},
	{"What is copied to the clipboard has no newline and no escape sequence of a key.", "../pages_test.go TestPageStories", "", ""},
	{"No secret is printed.", "hostile_test.go TestSecretsAreNotPrinted", "", ""},
	{"No password of an endpoint is shown.", "edge_test.go TestNoPasswordOfAnEndpointIsShown", "", ""},
	{"A dry run needs no place to write, and writes nothing.", "edge_test.go TestADryRunNeedsNoPlaceToWrite", "", ""},
	{"Every way out of a lab tidies up.", "edge_test.go TestEveryWayOutOfTheDemoTidiesUp", "", ""},
}

// TestPromisesPage writes the page, and wants each test that it names to be there.
func TestPromisesPage(t *testing.T) {
	var b strings.Builder
	b.WriteString("# Promises\n\nWritten by `go test ./ui/cli -run Page -update`; do not edit. Bounds are those of the program. " +
		"What was measured is from one run of the test on a machine of two cores.\n\n| promise | test | bound | measured |\n| --- | --- | --- | --- |\n")
	for _, p := range promises {
		file, name, _ := strings.Cut(p.test, " ")
		text, err := os.ReadFile(file)
		if err != nil || !strings.Contains(string(text), "\nfunc "+name+"(") {
			t.Errorf("%q: no test %s in %s: %v", p.says, name, file, err)
		}
		fmt.Fprintf(&b, "| %s | [%s](%s) | %s | %s |\n", p.says, name, file, p.bound, p.measured)
	}
	document(t, "PROMISES.md", b.String())
}
