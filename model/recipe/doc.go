// Package recipe knows the rules by which programs lock with etcd. Each [Recipe] is
// one value that says all that is known of it; other code asks the value.
//
// etcd keeps keys, not locks. A recipe makes a lock of keys: it names them in a certain
// way, orders them by a revision, and says how many of the first ones hold. So the
// way from keys to a lock has two steps.
//
// First each key is looked at alone. Its [Form] follows from its name, its value and
// its lease, and says which lock it competes for. That makes the queues a function of
// the keys as they stand, whatever happened before:
//
//	key                      lease      lock         the key is named by
//	<lock>/<hex>             the same   <lock>       its lease in hex: package concurrency of the Go client, the lock service
//	<lock>/<decimal>         the same   <lock>       its lease in decimal: npm etcd3, Vitess
//	<lock>/read/<nanos>      any        <lock>       the client's clock; likewise with write and waiters
//	<lock>/<uuid>            some       <lock>       a random id, below a path that mentions locks
//	shedlock:prod:report     some       the key      a known program, by the name or the value
//	/services/web/10.0.0.5   some       (a group)    anything else: listed in order, and nobody holds
//	/services/web/config     none       (none)       plain data; it counts in the queues above it
//
// Then the claims of one lock are looked at together. A [Sign] says how a recipe is
// recognised: which forms the claims have, how many carry a value, which words the path
// has. [Tell] tries the signs in the order of the table; the generic answer comes last,
// and each sign says in words why it fits. Where values were not read, as in a search
// for locks, other signs are weaker.
//
// There is one file for each family, and one list in it. A recipe that is added there
// is known everywhere: in the queues, in the search, for --recipe and for explain. table.go
// lists the families and the forms of keys. form.go and recipe.go have the types, names.go and values.go
// read names and values, and place.go and tell.go ask the table. The package imports nothing of this program.
package recipe
