// Package control is the control of a lab or of the proxy for scripts, at a socket or by HTTP: a script
// can do there what a person does in the console, and read what the console shows. A request is a line
// of JSON, and so is its answer; by HTTP it is the body of a POST, and one that is not "ok" has status 422.
//
//	{"do":"listen","target":"a"}                               endpoints of its own for a client
//	{"do":"list"}                                              programs, and faults in force
//	{"do":"inject","fault":"pause","target":"worker","for":"6s"}
//	{"do":"heal"}                                              every fault; with fault and target, one
//	{"do":"wait","lock":"/app/l","holder":"worker","within":"10s"}
//	{"do":"judge"}                                             what is found now
//
// An answer has "ok". Where that is false, "error" says why, and nothing was done or met.
//
//	connections ──request──▶ the goroutine that pulls ──State──▶ answer
//
// The goroutine that pulls batches owns the state of the locks. It answers the requests that read
// the state, between two batches.
package control
