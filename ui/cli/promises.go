package cli

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"locktop/chaos/drill"
	"locktop/ui/terminal"
)

// promise is one that this program keeps towards what is outside of it.
type promise struct {
	says string
	test string // file, from here, and the name of the test that holds it
	// bound is the figure that is promised, figures what those begin with that the test
	// measured; both may be empty.
	bound, figures string
}

// promises are made by a function, so that the linker leaves them out of the program.
func promises() []promise {
	return []promise{
		{"A server that answers badly ends a command with one line, or the command gets over it.", "ways_slow_test.go TestEveryWayToAnswer",
			"--command-timeout and 2 s", "the longest answer"},
		{"What the console shows stays there when the server begins to answer badly.", "ways_lost_slow_test.go TestNothingSeenIsLostOnTheWay", "", ""},
		{"A wait without progress ends with --command-timeout, and nothing shorter ends it.", "patience_slow_test.go TestWhatIsWaitedForAndWhatIsNot", "", ""},
		{"INT and TERM end every command, whatever it waits for.", "signal_linux_test.go TestASignalEndsEveryCommand", "2 s", "the longest end"},
		{"They end it at work, too: thousands of locks hang on one lease that misses its renewal.", "busy_slow_linux_test.go TestASignalEndsEveryCommandAtWork",
			"2 s, for 20000 locks", "an end at work"},
		{"What does not look whether it is to end is ended.", "busy_slow_linux_test.go TestTheLastResort", fmt.Sprintf("%s after INT or TERM", lastResortAfter), ""},
		{"A signal between any two steps of a command has the code for it.", "signal_linux_test.go TestASignalAtEveryStep", "", ""},
		{"One denied prefix hides no other.", "patience_test.go TestOneDeniedPrefixHidesNoOther", "", ""},
		{"A list has an end.", "bounds_slow_linux_test.go TestAListHasAnEnd", "2,000,000 keys or 512 MiB of keys and values; one answer 512 MiB", "a list of"},
		{"A long name takes its cell and no more.", "bounds_slow_linux_test.go TestANameOf60kB", "160 columns in a table, 1,000 characters in a line", "20 names of 60 kB"},
		{"What is told of events is complete, or a line says how many are missing.", "session/tell_slow_test.go TestAStreamIsCompleteOrSaysWhereItIsNot",
			"100,000 entries in one revision, 4,000 behind one without a cause", ""},
		{"A flood of events is told whole.", "bounds_slow_linux_test.go TestAFloodOfEvents", "50,000 at once", "50,000 locks"},
		{"No file is read for ever.", "doors_slow_linux_test.go TestNoFileIsReadForEver",
			fmt.Sprintf("drills, beliefs, profiles, settings and TLS files %d MiB, results %d MiB", fileMax>>20, resultsMax>>20), "/dev/zero as"},
		{"INT and TERM end the wait for a file.", "doors_slow_linux_test.go TestNoFileIsReadForEver", "2 s", "a FIFO as"},
		{"A TLS file that is a pipe is read once.", "connect_tls_slow_test.go TestTLSFilesThatAreReadOnce", fmt.Sprintf("%d MiB; --command-timeout", fileMax>>20), ""},
		{"A reader who does not read holds up no end.", "doors_slow_linux_test.go TestAReaderWhoDoesNotRead", fmt.Sprintf("%s after INT or TERM", terminal.ReaderTime), "nobody reads"},
		{"No file is written for ever.", "doors_linux_test.go TestNoFileIsWrittenForEver", fmt.Sprintf("%s after INT or TERM", terminal.ReaderTime), "a report to"},
		{"Names and guests of serve keep nobody from an answer.", "serve_guests_slow_linux_test.go TestServeAndItsGuests",
			fmt.Sprintf("%d guests and %d strangers, the newest; %d scrapes; %s for one who asks nothing", guestsMax, strangersMax, scrapesMax, idleTime), "serve"},
		{"A standard stream that is closed is /dev/null, and one that takes nothing makes exit 2.", "streams_slow_linux_test.go TestStreamsThatAreClosed", "", ""},
		{"Damage to a recording is named by its place, and nothing is played that was not recorded.", "../../watcher/recording/recording_test.go TestDamageIsNamed",
			"every bit, every length, every run of 40 bytes", ""},
		{"A small recording takes no gigabytes.", "bounds_slow_linux_test.go TestFilesAtTheirBounds",
			"1,000,000 events in a frame, 256 MiB of lists in an event", "a recording of"},
		{"A value that was not recorded is unknown: nothing is told from it.", "unread_test.go TestWhatIsNotRecordedIsNotSaid", "", ""},
		{"What a program's output means has bounds.", "bounds_slow_linux_test.go TestFilesAtTheirBounds", "500 rules, expressions of 4 KiB and 5,000 steps", "500 rules"},
		{"An error begins no line that we did not begin, and has a length.", "ways_slow_test.go TestEveryWayToAnswer", fmt.Sprintf("%d characters a line", lineMax), ""},
		{"A path that fails is told as that: a leader is lost only when a member that answers says so.", "../../model/locks/members_test.go TestAPathThatFailsIsNoElection", "", ""},
		{"What nobody saw happen is dated by bounds, in text and data, and is in no percentile.", "../../model/store/late_test.go TestWhatComesLateIsNotDatedByItsArrival", "", ""},
		{"No time that is shown or written is longer than was watched.", "../report/ticket/spans_test.go TestNoExportedTimeIsLongerThanWasWatched", "", ""},
		{"An observation that ends says what was not confirmed as seen up to then, and exits with 2.", "followed_slow_test.go TestEveryObservationEndsWithWhatWasNotSeen", "", ""},
		{"A key that was deleted while its lease lived is called released as a hint, until more is known.", "../../model/findings/liveson_test.go TestReleasedGrowsStrongWhereASessionIsAlwaysTheSame", "", ""},
		{"Only those who wait for a lock count as waiting.", "../../model/store/nested_test.go TestOnlyItsOwnClaimsWaitForALock", "", ""},
		{"Nothing is called well where there was no lock to judge, and an expectation that is not met fails.", "look_bare_slow_test.go TestAPrefixWithoutALock", "", ""},
		{"A write whose answer is lost is neither done nor not done, is sent once, and break looks what became of it.", "break_unknown_slow_test.go TestBreakLooksWhereNoAnswerCame", "10 s", ""},
		{"A moment of a recording is complete when it is shown.", "../moment_test.go TestAMomentIsCompleteWhenItIsShown", "", ""},
		{"Each key that a page names does something that can be seen.", "../keys_named_slow_test.go TestEachKeyThatIsNamedDoesSomething", "", ""},
		{"An alert fires for each real failure of its kind, whatever codes the failure goes through.", "serve_alerts_failures_slow_test.go TestAlertsOfRealFailures", "scraped and evaluated every 15 s and every minute", ""},
		{"The Go of a lesson is compiled, and leaves no claim behind when something fails.", "../../demo/lessons/code/code_test.go TestWhatWorksUnderALock", "", ""},
		{"Hostile bytes reach the terminal through no door.", "guests_test.go TestEveryDoorKnowsItsGuests", "", ""},
		{"Hostile keys and values reach it through no command.", "hostile_slow_test.go TestHostileKeysThroughEveryCommand", "", ""},
		{"What is copied to the clipboard has no newline and no escape sequence of a key.", "../pages_test.go TestPageStories", "", ""},
		{"No secret is printed.", "hostile_slow_test.go TestSecretsAreNotPrinted", "", ""},
		{"No password of an endpoint is shown.", "edge_test.go TestNoPasswordOfAnEndpointIsShown", "", ""},
		{"A dry run needs no place to write, and writes nothing.", "edge_test.go TestADryRunNeedsNoPlaceToWrite", "", ""},
		{"A fault in a drill outlasts the bound by which a program is judged, and a stop that came only after it ended is unknown.", "../../chaos/drill/parse_test.go TestAFaultOutlastsItsBound", "", ""},
		{"What etcd accepts of a program after it said that it stopped is told with each verdict.", "../../chaos/drill/runner/program_test.go TestAVerdictTellsLateWrites",
			fmt.Sprintf("from %s after its word on; the last 10,000 writes, and the first %d keys", drill.LateSlack, drill.LateKeys), ""},
		{"Nothing is left of a program in a drill, nor of what it started: when the run ends, after INT and TERM, and after KILL on Linux.", "drill_as_slow_linux_test.go TestNothingIsLeftOfAProgram", "", ""},
		{"Every way out of a lab tidies up.", "edge_slow_test.go TestEveryWayOutOfTheDemoTidiesUp", "", ""},
	}
}

// PromisesPage is what this program promises, as Markdown, with what the tests measured last, by
// name. A figure of no promise is an error, and so is a promise without its figures.
func PromisesPage(figures map[string]string) (string, error) {
	var b strings.Builder
	b.WriteString("# Promises\n\nWritten by `go generate ./ui/cli`; do not edit. Bounds are those of the program. " +
		"What was measured is what `go test -tags slow ./ui/cli -measure` wrote down last, on a machine of two cores with other work: " +
		"the time, and the most memory of the process.\n\n| promise | test | bound | measured |\n| --- | --- | --- | --- |\n")
	left := maps.Clone(figures)
	for _, p := range promises() {
		file, name, _ := strings.Cut(p.test, " ")
		var measured []string
		for _, what := range slices.Sorted(maps.Keys(left)) {
			if p.figures != "" && strings.HasPrefix(what, p.figures) {
				measured = append(measured, what+": "+left[what])
				delete(left, what)
			}
		}
		if p.figures != "" && len(measured) == 0 {
			return "", fmt.Errorf("%q: nothing was measured", p.says)
		}
		fmt.Fprintf(&b, "| %s | [%s](%s) | %s | %s |\n", p.says, name, file, p.bound, strings.Join(measured, "<br>"))
	}
	if len(left) > 0 {
		return "", fmt.Errorf("figures of no promise: %v", left)
	}
	return b.String(), nil
}
