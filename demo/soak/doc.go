// Command soak lets many healthy contenders compete on a cluster of its own for
// some minutes and holds what the model says of them against what they did.
//
//	go run ./demo/soak -minutes 10
//
// The contenders are goroutines with sessions of their own and mixed recipes.
// Every way in which one gives up a lock is written down before it is done (see
// ledger), and so is every answer to a keepalive, so that each cause that the
// model infers and each warning that it gives can be judged. Nobody is ill here:
// an error is always false, and a warning is true only where the ledger says so.
//
// Its last line is a summary in JSON. The status is 1 if there was an error or a
// warning that was not true, 2 if it could not run to
// its end.
package main
