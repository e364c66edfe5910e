// Package course is the course for one person: [Pupil] takes a lesson, [Progress] remembers
// which were taken, [Language] is the one to tell them in.
//
//	play.Run ──▶ Pupil ──lesson.Step──▶ ui/lesson.Pane ──answers──▶ Pupil
//
// What the person does to the lab meanwhile goes through [Pupil.Watch], so that the lesson
// can say so.
package course
