// Package rule has what the rules of model/diagnose have in common: the [Context] in which a rule
// looks at a lock, the [Family] in which the rule stands with its words, the [Entry] that explains a
// finding, and sentences that several rules say. It knows no rule.
package rule
