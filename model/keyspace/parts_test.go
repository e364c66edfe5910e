package keyspace

import (
	"reflect"
	"testing"
)

// TestEachPartUsesThoseBefore: the parts of a keyspace can be read one after the other, since
// none knows one that comes later, or the whole.
func TestEachPartUsesThoseBefore(t *testing.T) {
	whole := reflect.TypeFor[Keyspace]()
	later := map[reflect.Type]bool{reflect.TypeFor[*Keyspace](): true}
	for i := range whole.NumField() {
		if part := whole.Field(i).Type; part.Kind() == reflect.Pointer {
			later[part] = true
		}
	}
	uses := 0
	for i := range whole.NumField() {
		part := whole.Field(i).Type
		if !later[part] {
			continue
		}
		for j := range part.Elem().NumField() {
			switch used := part.Elem().Field(j).Type; {
			case later[used]:
				t.Errorf("%v uses %v, which is no part before it", part, used)
			case used.Kind() == reflect.Pointer:
				uses++
			}
		}
		delete(later, part)
	}
	if uses < 30 {
		t.Errorf("%d uses of parts by others were looked at", uses)
	}
}
