// Package discover finds the prefixes under which keys look like locks. A [Guesser] is given
// keys without their values, classifies each as the state of the locks does, and remembers only the
// locks.
package discover
