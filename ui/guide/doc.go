// Package guide shows a newcomer around the demo in five steps, in a pane under every page:
// a handover, a paused holder, its wake, a deadlock, another leader.
//
//	what to do, and the key ──▶ it goes on ──▶ what was seen, and what it means ──▶ the next step
//
// A step is done when the model shows that it happened, whoever did it and by which key. So
// the guide waits for the person and never for a clock. It plays a step only if it is asked
// to, by the same actions as the keys ([host.Host]). All its texts stand in texts.go.
package guide
