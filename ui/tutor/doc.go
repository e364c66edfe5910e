// Package tutor tells a drill step by step, in a panel under every page.
//
// A [Lesson] says what there is to tell, in the language of the person already, and waits
// for the person where it has to. The [Panel] shows it, asks for predictions, and takes the
// keyboard only for their answers. It knows no drill: the program that runs a drill hands it over
// step by step.
package tutor
