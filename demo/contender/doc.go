// Package contender is what a contender's process does: it takes locks by a recipe,
// holds them, lets them go, and prints what it believes as JSON lines.
//
//	Run ──▶ worker ──play──▶ attempt ──▶ hold ──▶ release
//	          └──Belief as a JSON line at each step ──▶ the lab
//
// A recipe is one row of the table in recipe_table.go: a word, and the code that plays
// it. What the recipe itself is, model/recipe says. A contender believes what its client
// library tells it; whether that is true is for the watch to say.
package contender
