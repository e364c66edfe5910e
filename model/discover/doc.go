// Package discover finds the prefixes under which keys look like locks. A [Guesser] is given
// keys without their values, classifies each by the same rules as package locks, and remembers only the
// locks.
package discover
