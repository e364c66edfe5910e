// Package recording keeps what a source delivered in a file, and gives it back.
//
//	any source ──batches──▶ Recorder ──▶ file ──▶ Player ──the same batches──▶ any state
//	                   └──▶ Rotation ──▶ files of a folder of bounded size and age
//
// A state that is fed from a recording comes to the same conclusions as the state that
// was fed when it happened. What a [Recorder] has written is whole at any time: a crash
// costs what waits for others, which it does for [Lag] at most. A [Player] is a
// [model.Source]: it returns everything at once, or at the pace at which it happened.
//
// The package knows no cluster and no screen. It changes no file that it reads; a
// [Rotation] cuts off the torn end of the last one of its folder.
package recording
