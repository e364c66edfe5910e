package main

// allRows are the rows in the order of the table.
func allRows() []row {
	return []row{lsRow(), headsRow(), pageRow(), millionRow(), queueRow(), eventsRow(), latencyRow(), idleRow(),
		observerRow(), paintRow(), proxyRow(), demoRow()}
}
