// Package terminal stands between the console and a terminal.
//
// The [Painter] brings what a program paints to it: at once if the last frame is
// long enough ago, and not at all if nothing changed.
//
//	Update ──texts that changed──▶ terminal ◀──modes of the terminal── Bubble Tea
//
// The renderer of Bubble Tea wakes dozens of times a second to see whether there is a frame, and
// copies the last frame to compare. That was half of what an idle console cost, and ten
// milliseconds of the time until a change was seen. Here only a change wakes the program. Bubble
// Tea still manages the terminal: raw mode, the alternate screen, the mouse, suspension and exit.
// It is given an empty view, and the frames that it makes of that view are dropped.
//
// A program that has to end does not wait for a terminal that nobody reads.
//
// The [Input] asks whether the terminal's background is dark or light, and keeps the answer away
// from the keys:
//
//	OSC 11 ──▶ terminal ──answer──▶ Input ──▶ dark or light, within [backgroundTime]
//	                    ──keys────▶   └─────▶ the console
//
// An answer that comes too late is taken out of the keys all the same, and not used: colours do
// not change while somebody reads.
package terminal
