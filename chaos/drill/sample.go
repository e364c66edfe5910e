package drill

import (
	"fmt"
	"strings"
)

// Sample is a drill to begin with: it runs as it is, and says in comments what may be changed.
// file is its name on the disk, of which the comments speak.
func Sample(name, file string) string {
	return fmt.Sprintf(strings.TrimLeft(sample, "\n"), name, file)
}

const sample = `
# A drill: a lab, steps, and what is expected of them.
#   locktop drill check %[2]s    what is wrong in it, with the line
#   locktop drill run %[2]s      exit 0 held, 1 violated, 3 unknown, 2 could not run
#   locktop explain handover     what an expectation means; "explain kill" tells of a fault
#   locktop drill schema         a JSON Schema, by which editors complete and check
name: %[1]s
title: The holder dies, and the next one gets the lock
why: >
  Say here what happens, and what to do about it.

lab:
  members: 3                # 1, 3 or 5
  contenders:               # the programs that compete
    - {name: a, lock: orders, recipe: mutex, ttl: 3s, hold: 60s}
    # later: a step starts it. manual: steps tell it what to do.
    - {name: b, lock: orders, recipe: mutex, ttl: 3s, hold: 60s, later: true}

steps:                      # one after another; each does one thing
  - wait: {holder: a, within: 10s}          # until all of it is so at once
  - start: b
  - wait: {holder: a, waiters: [b], within: 10s}
  - say: {en: "a holds, b waits. Now a dies."}
  - fault: {kill: holder}                   # whom that means is decided when it is done
  - wait: {holder: b, belief: {b: holding}, within: 15s}
  # - pause: 2s                             # let it run
  # - heal: all                             # at the end all is healed anyway

expect:                     # each is judged; the worst verdict is that of the run
  - one-holder
  - fifo
  - handover: {cause: expired, within: 6s}
  - overlap: {below: 100ms}
  - quiet: {except: [dead-holder]}          # no other finding than these
`
