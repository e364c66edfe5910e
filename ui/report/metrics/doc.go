// Package metrics exposes what the model knows to Prometheus.
//
//	entries of the journal ──Count──▶ counters and histograms ─┐
//	state, when it is asked ──────────▶ gauges ─────────────────┴─▶ Collect
//
// The conventions are those of kube-state-metrics: one series says one thing, a moment is
// a gauge of unix seconds, and the reader works out an age. Between two
// scrapes only entries of the journal are counted.
//
// The number of series is bounded whatever the number of locks: names are collapsed by
// pattern ([Pattern]), only the locks with findings and the most contended ones have series
// of their own, prefixes and recipes are told apart up to a number of pairs, and a
// metric counts what was left out.
package metrics
