// Package replay moves the console through time: through a recording, or back in what a running
// console has seen. It has the keys for that, what a recording ([Playback]) and the kept past
// ([Past]) have to offer, and the state that goes on underneath while the past is shown
// ([Present]). [Log] records what a person sees.
package replay
