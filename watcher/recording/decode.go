package recording

import (
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"strconv"
	"time"

	"locktop/model"
)

func readEvent(line []byte) (batch int64, e model.Event, err error) {
	var fields map[string]json.RawMessage
	if err := json.Unmarshal(line, &fields); err != nil {
		return 0, nil, err
	}
	var name string
	if err := errors.Join(json.Unmarshal(fields["batch"], &batch), json.Unmarshal(fields["event"], &name)); err != nil {
		return 0, nil, fmt.Errorf("no batch or no event: %w", err)
	}
	t, ok := eventTypes[name]
	if !ok {
		return 0, nil, fmt.Errorf("event %q is not known", name)
	}
	delete(fields, "batch")
	delete(fields, "event")
	v := reflect.New(t).Elem()
	if err := setFields(v, fields); err != nil {
		return 0, nil, fmt.Errorf("event %q: %w", name, err)
	}
	return batch, v.Interface().(model.Event), nil
}

// setFields is strict: a field that is not known would be lost without a word.
func setFields(v reflect.Value, fields map[string]json.RawMessage) error {
	for name, raw := range fields {
		f := v.FieldByNameFunc(func(field string) bool { return wireName(field) == name })
		if !f.IsValid() {
			return fmt.Errorf("field %q is not known", name)
		}
		if err := setValue(f, raw); err != nil {
			return fmt.Errorf("field %q: %w", name, err)
		}
	}
	return nil
}

func setValue(v reflect.Value, raw json.RawMessage) error {
	switch v.Interface().(type) {
	case time.Time: // in the zone in which the watcher would have told it
		at := v.Addr().Interface().(*time.Time)
		err := json.Unmarshal(raw, at)
		*at = at.Local()
		return err
	case model.LeaseID:
		return setLease(v, raw)
	}
	switch v.Kind() {
	case reflect.Struct:
		var fields map[string]json.RawMessage
		if err := json.Unmarshal(raw, &fields); err != nil {
			return err
		}
		return setFields(v, fields)
	case reflect.Slice:
		var list []json.RawMessage
		if err := json.Unmarshal(raw, &list); err != nil {
			return err
		}
		v.Set(reflect.MakeSlice(v.Type(), len(list), len(list)))
		for i := range list {
			if err := setValue(v.Index(i), list[i]); err != nil {
				return err
			}
		}
		return nil
	case reflect.String:
		return setText(v, raw)
	}
	return json.Unmarshal(raw, v.Addr().Interface())
}

func setLease(v reflect.Value, raw json.RawMessage) error {
	var s string
	if err := json.Unmarshal(raw, &s); err != nil {
		return err
	}
	id, err := strconv.ParseUint(s, 16, 64)
	v.SetInt(int64(id))
	return err
}

func setText(v reflect.Value, raw json.RawMessage) error {
	if raw[0] == '{' {
		var b struct {
			Base64 []byte `json:"base64"`
		}
		err := json.Unmarshal(raw, &b)
		v.SetString(string(b.Base64))
		return err
	}
	var s string
	err := json.Unmarshal(raw, &s)
	v.SetString(s)
	return err
}
