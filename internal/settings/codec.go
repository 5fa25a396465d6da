package settings

import (
	"bytes"
	"encoding/json"
	"fmt"
	"iter"
	"maps"
	"slices"
	"strings"

	"github.com/libaoso/aoso/internal/constraint"
	"github.com/libaoso/aoso/internal/model"
	"github.com/libaoso/aoso/internal/modelio"
	"github.com/libaoso/aoso/spec"
)

// saved yields the parameters that model files hold, and pointers to their fields:
// all except nthread and level, which do not change the model.
func (p *Params) saved() iter.Seq2[*spec.Parameter, any] {
	return func(yield func(*spec.Parameter, any) bool) {
		for i, field := range p.fields() {
			known := &spec.Parameters[i]
			if known.Name != "nthread" && known.Name != "level" && !yield(known, field) {
				return
			}
		}
	}
}

// Encode encodes parameters for a model file: a JSON object by parameter name.
// It omits constraints that are unset.
func (p Params) Encode() ([]byte, error) {
	var b bytes.Buffer
	separator := '{'
	for known, field := range p.saved() {
		if known.Nested && isAuto(known, field) {
			continue
		}
		value, err := json.Marshal(field)
		if err != nil {
			return nil, err
		}
		fmt.Fprintf(&b, "%c%q:%s", separator, known.Name, value)
		separator = ','
	}
	b.WriteByte('}')
	return b.Bytes(), nil
}

// Of returns the parameters that a model was trained with.
func Of(m *model.Model) (Params, error) {
	p, err := decode(m.Params)
	if err == nil && (p.Method != m.Method || p.Leaf != m.Leaf || p.Pairs != m.Pairs) {
		err = fmt.Errorf("%w: its header: the parameters are those of method %q, leaf %q, pairs %d", modelio.ErrCorrupt, p.Method, p.Leaf, p.Pairs)
	}
	return p, err
}

// decode decodes the object that Encode returns, in which aliases may stand for the names.
// Parameters that it lacks are newer than the file, and get the value of preset paper. Values
// are checked less than for training: another version may have allowed more.
func decode(object []byte) (Params, error) {
	p := paperParams()
	var values map[string]json.RawMessage
	if err := json.Unmarshal(object, &values); err != nil {
		return p, fmt.Errorf("%w: its parameters: %w", modelio.ErrCorrupt, err)
	}
	for known, field := range p.saved() {
		for name := range strings.FieldsSeq(known.Aliases + " " + known.Name) {
			value, ok := values[name]
			if !ok {
				continue
			}
			if err := json.Unmarshal(value, field); err != nil || !sensible(known, field) {
				return p, fmt.Errorf("%w: its header: the parameter %s is %s", modelio.ErrCorrupt, name, value)
			}
			delete(values, name)
		}
	}
	if len(values) > 0 {
		return p, modelio.UnknownKey("the parameter " + strings.Join(slices.Sorted(maps.Keys(values)), ", "))
	}
	return p, nil
}

// sensible reports whether some version may have allowed the value, and whether it can
// be printed.
func sensible(known *spec.Parameter, field any) bool {
	switch v := field.(type) {
	case *int:
		return *v >= 0
	case *float64:
		return *v >= 0
	case *string:
		if known.Nested {
			normal, ok := constraint.Normal(*v)
			return ok && normal == *v
		}
		return strings.Trim(*v, "abcdefghijklmnopqrstuvwxyz0123456789_") == ""
	}
	return true
}
