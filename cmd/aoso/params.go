package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/pelletier/go-toml/v2"
	"go.yaml.in/yaml/v3"

	"github.com/libaoso/aoso"
	"github.com/libaoso/aoso/spec"
)

// parameters are the parameters of training: the defaults, changed by the files of
// --params-file and then by the other flags, wherever these stand.
type parameters struct {
	aoso.Params
	ofFiles aoso.Params                // without the other flags
	flags   []func(*aoso.Params) error // what the other flags change
}

func newParameters() parameters {
	return parameters{Params: aoso.DefaultParams(), ofFiles: aoso.DefaultParams()}
}

// change makes the change of a flag.
func (p *parameters) change(of func(*aoso.Params) error) error {
	err := of(&p.Params)
	if err == nil {
		p.flags = append(p.flags, of)
	}
	return err
}

// paramFlag is a parameter as a flag.
type paramFlag struct {
	spec.Parameter
	params *parameters
}

// String returns the default for the help, or "" where the usage describes it.
func (f *paramFlag) String() string {
	if f.Auto != "" {
		return ""
	}
	return f.Default
}

func (f *paramFlag) Type() string { return f.Parameter.Type }

func (f *paramFlag) Set(value string) error {
	err := f.params.change(func(p *aoso.Params) error { return p.Set(f.Name, value) })
	if e, ok := errors.AsType[*aoso.ArgumentError](err); ok {
		return errors.New("allowed: " + e.Allowed)
	}
	return err
}

// paramsFlag is several parameters as one flag.
type paramsFlag struct{ params *parameters }

func (f *paramsFlag) String() string { return "" }
func (f *paramsFlag) Type() string   { return "text" }

func (f *paramsFlag) Set(text string) error {
	return f.params.change(func(p *aoso.Params) error {
		changed, err := aoso.ParseParams(p.String() + " " + text)
		if err == nil {
			*p = changed
		}
		return err
	})
}

// paramsFileFlag is a file of parameters as a flag.
type paramsFileFlag struct{ params *parameters }

func (f *paramsFileFlag) String() string { return "" }
func (f *paramsFileFlag) Type() string   { return "file" }

func (f *paramsFileFlag) Set(file string) error {
	values, err := readParams(file)
	if err != nil {
		return err
	}
	p := f.params
	for _, name := range slices.Sorted(maps.Keys(values)) {
		if err := p.ofFiles.Set(strings.ReplaceAll(name, "-", "_"), valueText(values[name])); err != nil {
			return in(file, err)
		}
	}
	p.Params = p.ofFiles
	for _, change := range p.flags {
		if err := change(&p.Params); err != nil {
			return err
		}
	}
	return nil
}

// decoders decode files of parameters, by the ends of their names.
var decoders = map[string]func([]byte, any) error{
	".json": func(text []byte, to any) error {
		d := json.NewDecoder(bytes.NewReader(text))
		d.UseNumber()
		if err := d.Decode(to); err != nil {
			return err
		}
		if _, err := d.Token(); err != io.EOF {
			return errors.New("there is more after the object")
		}
		return nil
	},
	".toml": toml.Unmarshal,
	".yaml": yaml.Unmarshal,
	".yml":  yaml.Unmarshal,
}

// readParams reads the values of parameters by name.
func readParams(file string) (map[string]any, error) {
	decode, ok := decoders[strings.ToLower(filepath.Ext(file))]
	if !ok {
		return nil, errors.New("allowed: a file whose name ends in .json, .toml, .yaml or .yml")
	}
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, withoutPath(err)
	}
	var values map[string]any
	if err := decode(text, &values); err != nil {
		return nil, fmt.Errorf("%w; allowed: names of parameters and their values", err)
	}
	return values, nil
}

// valueText returns a value of a file as a flag would give it. Null stands for the default of a
// parameter that depends on the data.
func valueText(value any) string {
	switch v := value.(type) {
	case nil:
		return "auto"
	case string:
		return v
	case float64:
		return strconv.FormatFloat(v, 'g', -1, 64)
	case []any, map[string]any:
		if text, err := json.Marshal(v); err == nil {
			return string(text)
		}
	}
	return fmt.Sprint(value)
}
