package aoso

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/libaoso/aoso/internal/modelio"
)

// ofTraining tells whether a parameter is about how a training ran, and not
// about its model. Files do not have it.
func ofTraining(parameter string) bool { return parameter == "threads" || parameter == "level" }

// encodeParams is parameters as model files hold them: a JSON object, their
// names as users know them.
func encodeParams(p Params) ([]byte, error) {
	var b bytes.Buffer
	separator := '{'
	for _, known := range parameters {
		if ofTraining(known.name) {
			continue
		}
		value, err := json.Marshal(known.field(&p))
		if err != nil {
			return nil, err
		}
		fmt.Fprintf(&b, "%c%q:%s", separator, known.name, value)
		separator = ','
	}
	b.WriteByte('}')
	return b.Bytes(), nil
}

// decodeParams is the way back from encodeParams. It does not check values as
// training does: versions before may have allowed more.
func decodeParams(object []byte) (p Params, err error) {
	var values map[string]json.RawMessage
	if err := json.Unmarshal(object, &values); err != nil {
		return p, fmt.Errorf("%w: its parameters: %w", ErrCorrupt, err)
	}
	for _, known := range parameters {
		value, ok := values[known.name]
		if !ok || ofTraining(known.name) {
			continue
		}
		field := known.field(&p)
		if err := json.Unmarshal(value, field); err != nil || !sensible(field) {
			return p, fmt.Errorf("%w: its header: the parameter %s is %s", ErrCorrupt, known.name, value)
		}
		delete(values, known.name)
	}
	if len(values) > 0 {
		return p, modelio.UnknownKey("the parameter " + strings.Join(slices.Sorted(maps.Keys(values)), ", "))
	}
	return p, nil
}

// sensible tells whether a parameter has a value that some version may have
// allowed, and that can be shown to a user.
func sensible(field any) bool {
	switch v := field.(type) {
	case *int:
		return *v >= 0
	case *float64:
		return *v >= 0
	case *string:
		return strings.Trim(*v, "abcdefghijklmnopqrstuvwxyz0123456789_") == ""
	}
	return true
}
