// Package glass brings what a program paints to the terminal: at once if the last frame is
// long enough ago, and not at all if nothing changed.
//
//	Update ──lines that changed──▶ terminal ◀──modes of the terminal── Bubble Tea
//
// The renderer of Bubble Tea looks dozens of times a second whether there is a frame, and
// copies the last one for that: half of what an idle console cost, and ten milliseconds of
// what a change needed to be seen. Here a change wakes, and nothing else does. Bubble Tea
// still has the terminal: raw mode, the other screen, the mouse, a suspension and the end.
// It is given an empty view, and the frames that it makes of that are dropped.
//
// A program that is to end does not wait for a terminal that nobody reads.
package glass
