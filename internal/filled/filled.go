// Package filled makes values without a zero in them, for tests that look for fields
// that something loses.
package filled

import (
	"encoding/json"
	"reflect"
)

// Value is a T each of whose fields has a value that is not its zero, except for
// interfaces, which have none of their own.
func Value[T any]() (v T) {
	fill(reflect.ValueOf(&v).Elem())
	return v
}

func fill(v reflect.Value) {
	switch v.Kind() {
	case reflect.Struct:
		for i := range v.NumField() {
			fill(v.Field(i))
		}
	case reflect.Slice:
		if v.Type() == reflect.TypeFor[json.RawMessage]() {
			v.SetBytes([]byte(`9223372036854775807`)) // more digits than a float64 has
			return
		}
		v.Set(reflect.MakeSlice(v.Type(), 1, 1))
		fill(v.Index(0))
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		fill(v.Elem())
	case reflect.Interface:
	case reflect.String:
		v.SetString("x")
	case reflect.Bool:
		v.SetBool(true)
	case reflect.Float64:
		v.SetFloat(1.5)
	case reflect.Uint8:
		v.SetUint(1)
	default:
		v.SetInt(3)
	}
}
