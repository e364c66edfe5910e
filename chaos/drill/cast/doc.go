// Package cast puts programs of the user's own into the roles of a drill.
//
//	--as words ──ParseRole──▶ Role ─┐
//	--belief   ──ParseRules─▶ Rules ┼─ Options.Cast ──▶ a drill with programs in it
//	drill.Parse ─────▶ a Drill ─────┘        └─ or Refusal: why it cannot be asked of them
//
// A drill was written for contenders of the lab: they do what a step tells them, say what
// they believe, and have the lease that the file says. Of a program some of that cannot be
// asked. [Options.Cast] refuses a drill that would mean nothing without it. What only
// teaches about etcd, or about what locktop finds, it takes out, and says so: such words
// stand in [Cast.NotAsked]. It puts in what is asked of every program that loses its lock
// and lives: to stop believing that it holds ("stops").
package cast
