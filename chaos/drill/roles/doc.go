// Package roles puts programs of the user's own into the roles of a drill.
//
//	--as words ──ParseRole──▶ Role ─┐
//	--belief   ──ParseRules─▶ Rules ┼─ Options.Assign ──▶ a drill with programs in it
//	drill.Parse ─────▶ a Drill ─────┘        └─ or Refusal: why it cannot be asked of them
//
// A drill was written for contenders of the lab: they do what a step tells them, say what
// they believe, and have the lease that the file says. A program of the user's can do only
// some of that. [Options.Assign] refuses a drill that would mean nothing without the rest. It takes
// out the words that only teach about etcd, or about what locktop finds, and lists them in
// [Assignment.NotAsked]. It adds one expectation ("stops") for every program that loses its lock and
// lives on: the program has to stop believing that it holds.
package roles
