package settings

import (
	"fmt"
	"reflect"
	"strings"
	"testing"

	"github.com/libaoso/aoso/spec"
)

// TestParameterTable: the table has every field of Params in order, with a
// default that is set and allowed.
func TestParameterTable(t *testing.T) {
	p := Default()
	fields, table := reflect.ValueOf(&p).Elem(), spec.Parameters
	if fields.NumField() != len(table) {
		t.Fatalf("%d fields, %d parameters", fields.NumField(), len(table))
	}
	for i, known := range table {
		field := fields.Type().Field(i)
		if field.Name != known.Field || field.Type.Kind().String() != known.Type || reflect.ValueOf(p.fields()[i]).Pointer() != fields.Field(i).Addr().Pointer() {
			t.Errorf("%s %s is the field of %+v", field.Name, field.Type, known)
		}
		if v := value(p.fields()[i]); fmt.Sprint(v) != known.Default || !known.Allows(v) {
			t.Errorf("%s: default %v, in the table %s; allowed: %s", known.Name, v, known.Default, known.Allowed())
		}
		text := known.Default
		if known.Auto != "" {
			text = "auto"
		}
		for _, name := range append(strings.Fields(known.Aliases), known.Name) {
			changed := p
			if err := changed.Set(name, text); err != nil || changed != p {
				t.Errorf("%s=%s: %+v, %v", name, text, changed, err)
			}
		}
	}
}
