package dialog

import "locktop/ui/host"

// Keys are those of the dialogs; top is the dialog that is open.
func Keys(top func() host.Dialog) []host.Key {
	rows := breakKeys(onTop[*Break](top), top)
	rows = append(rows, severalKeys(onTop[*Several](top), top)...)
	rows = append(rows, questionKeys(onTop[*Question](top))...)
	rows = append(rows, faultKeys(onTop[*Faults](top), top)...)
	return append(rows, columnKeys(onTop[*Columns](top))...)
}
