// Package host is the console as its parts see it. The parts are the dialogs over a page, the
// lesson under a page, and the line of commands.
//
// A part reads a [View], and returns an [Intent] for each thing that it wants; the console carries
// those out. [Key] is a row of the one table of keys, whose rows each part brings itself: footer,
// help, the generated page of keys and the test that no two keys collide read them from there.
// [Playback] is a recording that is shown, and [Past] what a running console saw. [Where] is a
// set of places in which a key counts.
package host
