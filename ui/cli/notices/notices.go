// Package notices holds the licence of locktop and those of what is linked into it, so
// that the program carries them wherever it goes.
//
//	LICENSE   the licence of locktop
//	NOTICES   the licences and notices of linked modules, each text once
//
// NOTICES is written by this package's test (go test ./ui/cli/notices -update), which
// fails as long as it is not what the modules say.
package notices

import _ "embed" // for the two files

// License is the licence of locktop.
//
//go:embed LICENSE
var License string

// Linked are the licences and notices of what is linked into locktop.
//
//go:embed NOTICES
var Linked string
