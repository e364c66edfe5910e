// Package contender is what a contender's process does: it takes locks by a recipe,
// holds them, lets them go, and prints what it believes as JSON lines.
//
//	Run ──▶ worker: take, work, let go ──▶ attempt ──▶ play: take, wait
//	          └──Belief as a JSON line at each step ──▶ the lab
//
// The loop is one for all recipes. A recipe is a row of the table in recipe_table.go: a
// word, and the calls that differ, which are one try to take the lock, with how it is given
// back, and how to wait for the next. Package model/recipe describes the recipe
// itself. A contender believes what its client library tells it; the watch shows whether that is true.
package contender
