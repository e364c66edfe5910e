package tutor

import "context"

// Handover takes steps from the program that runs a drill to the panel, and answers back.
type Handover struct {
	steps   chan Step
	answers chan Reply
	console context.Context
}

// Reply is what the person answers: the option that was chosen, from 1, or 0, and what was filled
// in, nil for nothing.
type Reply struct {
	Choice int
	Filled map[string]string
}

// NewHandover returns a handover that ends with console, the context of the console.
func NewHandover(console context.Context) *Handover {
	return &Handover{steps: make(chan Step), answers: make(chan Reply, 1), console: console}
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
func (h *Handover) Answer(choice int) { h.reply(Reply{Choice: choice}) }

// Fill is that of a [Lesson].
func (h *Handover) Fill(filled map[string]string) { h.reply(Reply{Filled: filled}) }

func (h *Handover) reply(r Reply) {
	select {
	case h.answers <- r:
	case <-h.console.Done():
	}
}

// Show hands a step over to the panel, and says whether it was taken. What was answered to a step
// before it that went by itself is no answer to this one.
func (h *Handover) Show(ctx context.Context, s Step) bool {
	select {
	case <-h.answers:
	default:
	}
	select {
	case h.steps <- s:
		return true
	case <-ctx.Done():
	case <-h.console.Done():
	}
	return false
}

// Replies has what the person answers.
func (h *Handover) Replies() <-chan Reply { return h.answers }

// Answered waits for an answer; 0 if ctx or the console ends before.
func (h *Handover) Answered(ctx context.Context) int {
	select {
	case r := <-h.answers:
		return r.Choice
	case <-ctx.Done():
	case <-h.console.Done():
	}
	return 0
}
