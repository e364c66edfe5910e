// Package host is what the console is for its parts: the dialogs over a page, the lesson
// under it, the line of commands.
//
// [Host] is the console as they see it. [Key] is a row of the one table of keys, whose
// rows each part brings itself: footer, help, the generated page of keys and the test that
// no two keys collide read them from there. [Where] is a set of places in which a key
// counts.
package host
