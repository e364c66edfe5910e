// Package course runs the course for one person: a [Pupil] takes a lesson, [Progress] remembers
// which lessons were taken, and [Language] chooses the language.
//
//	play.Run ──▶ Pupil ──lesson.Step──▶ ui/lesson.Pane ──answers──▶ Pupil
//
// The actions of the person on the lab go through [Pupil.Watch], so that the lesson can speak of
// them.
package course
