// Package timepage has the page of time: every lock as a lane.
package timepage
