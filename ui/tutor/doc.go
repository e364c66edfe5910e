// Package tutor tells a drill step by step, in a panel under every page, and guides a newcomer
// around the demo there.
//
// A [Lesson] says what there is to tell, in the language of the person already, and waits
// for the person where it has to. The [Panel] shows it, asks for predictions, and takes the
// keyboard only for their answers. It knows no drill: the program that runs a drill hands it over
// step by step.
//
// A guide is a lesson whose steps are there from the beginning. Each is a task for the person, who
// does it by the keys of the console:
//
//	what to do, and the key ──▶ it goes on ──▶ what was seen, and what it means ──▶ the next task
//
// A task is done when the model shows that it happened (sights.go has how each looks), whoever did
// it and by which key. So the guide waits for the person and never for a clock. It does a task only
// if it is asked to, by the same actions as the keys.
package tutor
