// Package course tells drills to a person: a [Trainer] tells one, [Guide] is the guide of the demo,
// [Progress] remembers which lessons of the course were taken, and [Language] chooses the language.
//
//	runner.Play ──▶ Trainer ──tutor.Step──▶ tutor.Panel ──answers──▶ Trainer
//
// The actions of the person on the lab go through [Trainer.Watch], so that the trainer can speak of
// them.
package course
