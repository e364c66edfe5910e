package recording

import (
	"reflect"
	"time"

	"locktop/model"
)

// moved is an event with every time in it moved.
func moved(e model.Event, by time.Duration) model.Event {
	v := reflect.New(reflect.TypeOf(e)).Elem()
	v.Set(reflect.ValueOf(e))
	moveTimes(v, by)
	return v.Interface().(model.Event)
}

// moveTimes moves what times there are in a value. One that is zero says that there
// is none. Lists are the player's own: nobody else has read them.
func moveTimes(v reflect.Value, by time.Duration) {
	if at, ok := v.Interface().(time.Time); ok {
		if !at.IsZero() {
			v.Set(reflect.ValueOf(at.Add(by)))
		}
		return
	}
	switch v.Kind() {
	case reflect.Struct:
		for i := range v.NumField() {
			moveTimes(v.Field(i), by)
		}
	case reflect.Slice:
		for i := range v.Len() {
			moveTimes(v.Index(i), by)
		}
	}
}
