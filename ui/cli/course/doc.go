// Package course runs the course for one person: a [Pupil] takes a lesson, [Progress] remembers
// which lessons were taken, and [Language] chooses the language.
//
//	play.Run ──▶ Pupil ──tutor.Step──▶ tutor.Panel ──answers──▶ Pupil
//
// The actions of the person on the lab go through [Pupil.Watch], so that the lesson can speak of
// them.
package course
