package dialog

import "locktop/ui/host"

// Keys are those of the dialogs; top is the dialog that is open.
func Keys(top func() host.Dialog) []host.Key {
	rows := breakKeys(top)
	rows = append(rows, severalKeys(top)...)
	rows = append(rows, questionKeys(top)...)
	rows = append(rows, faultKeys(top)...)
	return append(rows, columnKeys(top)...)
}
