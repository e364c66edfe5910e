// Package queues has the findings about queues: a key that is not a claim stands in one, sessions
// wait in a circle, or a claim waits for longer than usual. Each file is a family.
package queues
