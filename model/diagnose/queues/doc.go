// Package queues has the findings about who stands in a queue: by a key that is no claim, in a
// circle of sessions, or for longer than usual. A file is a family.
package queues
