package httpapi

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"time"
)

type object = map[string]any

// schemaCheck says where v breaks the schema; it knows the keywords that the
// document uses and fails on any other, so that none is silently not checked.
func schemaCheck(doc object, schema object, v any, path string) error {
	// The type first: the other keywords take it for granted.
	keys := append([]string{"type"}, slices.DeleteFunc(slices.Collect(maps.Keys(schema)), func(k string) bool { return k == "type" })...)
	for _, key := range keys {
		want, ok := schema[key]
		if !ok {
			continue
		}
		if err := keywordCheck(doc, schema, key, want, v, path); err != nil {
			return err
		}
	}
	return nil
}

func keywordCheck(doc, schema object, key string, want, v any, path string) error {
	bad := func(format string, args ...any) error { return fmt.Errorf(path+": "+format, args...) }
	switch key {
	case "description", "contentEncoding":
	case "$ref":
		name := strings.TrimPrefix(want.(string), "#/components/schemas/")
		target, ok := dig(doc, "components", "schemas", name).(object)
		if !ok {
			return bad("no schema %v", want)
		}
		return schemaCheck(doc, target, v, path)
	case "oneOf":
		fits := 0
		var first error
		for _, one := range want.([]any) {
			if err := schemaCheck(doc, one.(object), v, path); err == nil {
				fits++
			} else if first == nil {
				first = err
			}
		}
		if fits != 1 {
			return bad("%d of the schemas fit; %v", fits, first)
		}
	case "type":
		types, ok := want.([]any)
		if !ok {
			types = []any{want}
		}
		if kind := kindOf(v); !slices.Contains(types, any(kind)) && !(kind == "integer" && slices.Contains(types, any("number"))) {
			return bad("%v is %s, not %v", v, kind, want)
		}
	case "enum":
		if !slices.Contains(want.([]any), v) {
			return bad("%v is none of %v", v, want)
		}
	case "minimum":
		if v.(float64) < want.(float64) {
			return bad("%v is below %v", v, want)
		}
	case "maximum":
		if v.(float64) > want.(float64) {
			return bad("%v is over %v", v, want)
		}
	case "minLength", "maxLength":
		if n := float64(len([]rune(v.(string)))); key == "minLength" && n < want.(float64) || key == "maxLength" && n > want.(float64) {
			return bad("length %v against %s %v", n, key, want)
		}
	case "pattern":
		if !regexp.MustCompile(want.(string)).MatchString(v.(string)) {
			return bad("%v does not match %v", v, want)
		}
	case "format":
		if want == "date-time" {
			if _, err := time.Parse(time.RFC3339, v.(string)); err != nil {
				return bad("%v", err)
			}
		}
	case "required":
		for _, name := range want.([]any) {
			if _, ok := v.(object)[name.(string)]; !ok {
				return bad("%v is missing", name)
			}
		}
	case "additionalProperties":
		described, _ := schema["properties"].(object)
		for name, field := range v.(object) {
			if _, ok := described[name]; ok {
				continue
			}
			of, ok := want.(object)
			if !ok {
				return bad("%s is not described", name)
			}
			if err := schemaCheck(doc, of, field, path+"."+name); err != nil {
				return err
			}
		}
	case "properties":
		for name, s := range want.(object) {
			if field, ok := v.(object)[name]; ok {
				if err := schemaCheck(doc, s.(object), field, path+"."+name); err != nil {
					return err
				}
			}
		}
	case "maxItems":
		if n := len(v.([]any)); float64(n) > want.(float64) {
			return bad("%d items are more than %v", n, want)
		}
	case "maxProperties":
		if n := len(v.(object)); float64(n) > want.(float64) {
			return bad("%d properties are more than %v", n, want)
		}
	case "items":
		for i, item := range v.([]any) {
			if err := schemaCheck(doc, want.(object), item, fmt.Sprintf("%s[%d]", path, i)); err != nil {
				return err
			}
		}
	default:
		return bad("keyword %q is not checked", key)
	}
	return nil
}

func kindOf(v any) string {
	switch v := v.(type) {
	case nil:
		return "null"
	case bool:
		return "boolean"
	case string:
		return "string"
	case float64:
		if v == float64(int64(v)) {
			return "integer"
		}
		return "number"
	case []any:
		return "array"
	}
	return "object"
}

func dig(v any, path ...string) any {
	for _, p := range path {
		m, ok := v.(object)
		if !ok {
			return nil
		}
		v = m[p]
	}
	return v
}
