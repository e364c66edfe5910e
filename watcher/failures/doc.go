// Package failures knows what goes wrong between a reader and etcd.
//
//	error ──Classify──▶ Class ──Reason──▶ what the model is told
//	  └──────Explain──▶ a message: what failed, on which endpoint, what to do next
//
// The same failure comes in many forms: as an error of the client, of gRPC, or as plain
// text. The package is the one place that tells them apart, and stands apart from the watcher
// so that no connection is needed to try it. It asks nobody and repeats
// nothing: the caller that met a failure decides what follows from it.
package failures
