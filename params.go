package aoso

import (
	"github.com/libaoso/aoso/internal/data"
	"github.com/libaoso/aoso/internal/settings"
	"github.com/libaoso/aoso/spec"
)

// Method is a boosting method.
type Method = spec.Method

// The boosting methods.
const (
	MethodAOSO       Method = "aoso"       // one tree an iteration, each node with its own class pairs
	MethodABC        Method = "abc"        // K−1 trees an iteration, tree k on the pair (k, base class)
	MethodLogitBoost Method = "logitboost" // K trees an iteration, tree k on class k alone
)

// Preset is a strategy for parameters that are unset.
type Preset = spec.Preset

// The presets.
const (
	PresetAuto  Preset = "auto"  // parameters that suit the data
	PresetFast  Preset = "fast"  // the same, sooner
	PresetBest  Preset = "best"  // the same, more accurate and slower
	PresetPaper Preset = "paper" // the same for all data
)

// Parameter describes a field of [Params].
type Parameter struct {
	Name    string // for [Params.Set]
	Group   string // in documents: Algorithm, Trees, Sampling, Stopping or Computing
	Type    string // of the value: string, int, uint64 or float64
	Default string // as text; auto: training chooses a value
	Allowed string // the values allowed, in words; "": any
	Help    string // what it does, in a line
}

// Parameters lists the parameters of training that [Params.Set] takes.
func Parameters() []Parameter {
	var all []Parameter
	for i := range spec.Parameters {
		p := &spec.Parameters[i]
		byDefault := p.Default
		if p.Auto != "" {
			byDefault = "auto"
		}
		all = append(all, Parameter{p.Name, p.Group, p.Type, byDefault, p.Allowed(), p.Help})
	}
	return all
}

// DefaultParams returns the defaults.
func DefaultParams() Params { return Params(settings.Default()) }

// Suggest returns the parameters that preset auto tries first on data of a shape.
func Suggest(s Shape) Params { return Params(settings.Suggest(data.Shape(s))) }

// ParseParams parses parameters from text such as "n_estimators=500, max_leaves=64": items
// name=value, separated by spaces, commas or line ends. If a name occurs more than once,
// the last item counts. Other parameters have their defaults. Lists and dicts may
// contain spaces and commas within their brackets.
//
// Names and values of LightGBM, XGBoost, CatBoost and scikit-learn are accepted too, as
// in "num_leaves=64 max_depth=-1". Those that have no meaning here have no effect.
// The error lists every item that is wrong.
func ParseParams(text string) (Params, error) {
	p, err := settings.Parse(text)
	return Params(p), public(err)
}

// Set sets the parameter of this name to a value given as text. It checks the type of
// the value; [Params.Check] checks whether all values are allowed.
func (p *Params) Set(name, value string) error { return public(p.settings().Set(name, value)) }

// Check returns an error for parameters that no data allow. [Train] checks them
// as well; Check needs no data.
func (p Params) Check() error {
	if _, err := p.settings().Resolve(data.Shape{Rows: 1, Features: 1, Classes: 1}); err != nil { // data of one class may need fewest trees
		return public(err)
	}
	_, err := kernels(p.Level)
	return err
}

// String formats the parameters for [ParseParams]. It omits constraints that are unset.
func (p Params) String() string { return p.settings().String() }

// Changes formats the parameters that differ from the defaults for [ParseParams].
func (p Params) Changes() string { return p.settings().Changes() }

// settings returns the parameters for the rest of the library, with the defaults filled in.
func (p *Params) settings() *settings.Params {
	s := (*settings.Params)(p)
	s.FillZeros()
	return s
}
