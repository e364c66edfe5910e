package tutor

import "context"

// Handover takes steps from the program that runs a drill to the panel, and answers back.
type Handover struct {
	steps   chan Step
	answers chan int
	console context.Context
}

// NewHandover returns a handover that ends with console, the context of the console.
func NewHandover(console context.Context) *Handover {
	return &Handover{steps: make(chan Step), answers: make(chan int, 1), console: console}
}

// Next is that of a [Lesson].
func (h *Handover) Next(ctx context.Context) (Step, error) {
	select {
	case s := <-h.steps:
		return s, nil
	case <-ctx.Done():
		return Step{}, ctx.Err()
	}
}

// Answer is that of a [Lesson].
func (h *Handover) Answer(choice int) {
	select {
	case h.answers <- choice:
	case <-h.console.Done():
	}
}

// Show hands a step over to the panel, and says whether it was taken.
func (h *Handover) Show(ctx context.Context, s Step) bool {
	select {
	case h.steps <- s:
		return true
	case <-ctx.Done():
	case <-h.console.Done():
	}
	return false
}

// Answers has what the person answers.
func (h *Handover) Answers() <-chan int { return h.answers }

// Answered waits for an answer; 0 if ctx or the console ends before.
func (h *Handover) Answered(ctx context.Context) int {
	select {
	case choice := <-h.answers:
		return choice
	case <-ctx.Done():
	case <-h.console.Done():
	}
	return 0
}
