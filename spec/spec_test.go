package spec

import (
	"bytes"
	"math"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// TestParameters: every row of the table says all that is needed.
func TestParameters(t *testing.T) {
	names := map[string]string{}
	for _, p := range Parameters {
		for _, name := range append(strings.Fields(p.Aliases), p.Name) {
			if other, ok := names[name]; ok {
				t.Errorf("%s is the name of %s as well", name, other)
			}
			names[name] = p.Name
		}
		if strings.ReplaceAll(p.Name, "_", "") != strings.ToLower(p.Field) {
			t.Errorf("%s is the field %s", p.Name, p.Field)
		}
		for _, text := range []string{p.Help, p.Detail, p.Limits, p.Others.Note} {
			if text != "" && !strings.HasSuffix(text, ".") || strings.ContainsAny(text, "\n|") {
				t.Errorf("%s: %q is not whole sentences", p.Name, text)
			}
		}
		if p.Help == "" || strings.Contains(strings.TrimSuffix(p.Help, "."), ". ") {
			t.Errorf("%s: help %q is not one sentence", p.Name, p.Help)
		}
		if p.Choices == nil && (p.Type == Int || p.Type == Float64) &&
			!(p.Usual.Least < p.Usual.Most && p.Range.Contains(p.Usual.Least) && p.Range.Contains(p.Usual.Most)) {
			t.Errorf("%s: usual are %+v of %+v", p.Name, p.Usual, p.Range)
		}
		if chosen := p.Chosen != (Range{}); chosen != (p.Auto != "" && p.Type != String) ||
			chosen && !(p.Chosen.Least < p.Chosen.Most && p.Allows(p.valueOf(p.Chosen.Least)) && p.Allows(p.valueOf(p.Chosen.Most))) {
			t.Errorf("%s: training chooses from %+v", p.Name, p.Chosen)
		}
		if p.Type == String && p.C.Enum == "" && p.Choices != nil {
			t.Errorf("%s has choices and no enum in C", p.Name)
		}
	}
}

// valueOf returns a number as a value of the parameter's type.
func (p *Parameter) valueOf(x float64) any {
	if p.Type == Int {
		return int(x)
	}
	return x
}

// TestHelpPage: R's help page, which is written by hand, states the same defaults.
func TestHelpPage(t *testing.T) {
	const path = "../bindings/r/man/aoso.Rd"
	page, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	_, page, ok := bytes.Cut(page, []byte("The parameters of training"))
	found := 0
	for _, p := range Parameters {
		_, item, explained := strings.Cut(string(page), `\item{\code{`+p.Name+"}}{")
		if !explained || p.ByDefault() == "" {
			continue
		}
		found++
		item, _, _ = strings.Cut(item, `\item{`)
		if !strings.Contains(item, "Default: "+p.ByDefault()+".") {
			t.Errorf("%s explains %s as %q; its default: %s", path, p.Name, item, p.ByDefault())
		}
	}
	if !ok || found < 3 {
		t.Errorf("%s explains %d parameters with defaults that training chooses", path, found)
	}
}

// TestDefaults: they are of the parameter's type and allowed.
func TestDefaults(t *testing.T) {
	for _, p := range Parameters {
		var value any = p.Default
		var err error
		switch p.Type {
		case Int:
			value, err = strconv.Atoi(p.Default)
		case Uint64:
			value, err = strconv.ParseUint(p.Default, 10, 64)
		case Float64:
			value, err = strconv.ParseFloat(p.Default, 64)
		}
		if err != nil || !p.Allows(value) {
			t.Errorf("%s: default %q, %v; allowed: %s", p.Name, p.Default, err, p.Allowed())
		}
	}
}

// TestSlots: C's struct has every parameter once, and no padding.
func TestSlots(t *testing.T) {
	at := make([]*Parameter, len(Parameters)+1)
	for i := range Parameters {
		p := &Parameters[i]
		if p.C.Slot < 1 || p.C.Slot >= len(at) || at[p.C.Slot] != nil {
			t.Fatalf("%s: slot %d; the next free one is %d", p.Name, p.C.Slot, len(Parameters))
		}
		at[p.C.Slot] = p
	}
	offset := 4 // after struct_size
	for _, p := range at[1:] {
		size := 8
		if p.C.Type == "int32_t" || p.C.Enum != "" && p.C.Type == "" {
			size = 4
		}
		if offset%size != 0 {
			t.Errorf("%s: there is padding before it; give it the type int64_t", p.Name)
		}
		offset += size
	}
	if offset%8 != 0 {
		t.Errorf("the struct has %d bytes; give the last field the type int64_t", offset)
	}
}

// TestOthers: another library's name stands for one parameter, and for ours of
// that name or alias if there is one.
func TestOthers(t *testing.T) {
	ours := map[string]string{}
	for _, p := range Parameters {
		for name := range strings.FieldsSeq(p.Name + " " + p.Aliases) {
			ours[name] = p.Name
		}
	}
	for _, p := range Parameters {
		for name := range strings.FieldsSeq(p.Others.LightGBM + " " + p.Others.XGBoost + " " + p.Others.CatBoost + " " + p.Others.ScikitLearn) {
			name = strings.TrimPrefix(name, "~")
			if other, ok := ours[name]; ok && other != p.Name {
				t.Errorf("%s is %s and %s", name, other, p.Name)
			}
			ours[name] = p.Name
		}
	}
}

// TestValues: what values of others are, or are nearest to, is allowed.
func TestValues(t *testing.T) {
	for _, p := range Parameters {
		for pair := range strings.FieldsSeq(p.Others.Values + " " + p.Others.Nearest) {
			theirs, ours, ok := strings.Cut(pair, "=")
			if !ok || p.Choices != nil && ours != "" && !slices.Contains(p.Values(), ours) {
				t.Errorf("%s: %s is %s; allowed: %s", p.Name, theirs, ours, p.Allowed())
			}
		}
	}
}

func TestAllows(t *testing.T) {
	inf, nan := math.Inf(1), math.NaN()
	for name, values := range map[string]struct {
		allowed string
		yes, no []any
	}{
		"max_leaves":       {"2 to 65536", []any{2, 65536}, []any{1, 65537, -1, math.MaxInt}},
		"min_samples_leaf": {"at least 1", []any{0, 1, math.MaxInt}, []any{-1, math.MinInt}},
		"base_gap":         {"1 to 2147483647", []any{1, math.MaxInt32}, []any{0, math.MinInt}},
		"learning_rate":    {"above 0, at most 1", []any{0.0, 5e-324, 1.0}, []any{-1.0, math.Nextafter(1, 2), nan, inf}},
		"trim":             {"at least 0, below 1", []any{0.0, math.Nextafter(1, 0)}, []any{1.0, -5e-324, nan}},
		"label_smoothing":  {"at least 0, below 1", []any{0.0, math.Nextafter(1, 0)}, []any{1.0, -5e-324, nan}},
		"reg_lambda":       {"at least 0, at most 3.4e+38", []any{-1.0, 0.0, math.MaxFloat32}, []any{1e39, inf, nan, -0.5}},
		"gamma":            {"at least 0, at most 3.4e+38", []any{0.0, math.MaxFloat32}, []any{1e39, inf, nan, -1.0}},
		"leaf":             {"full, pair or sparse", []any{"", "full", "pair", "sparse"}, []any{"Full", "half"}},
		"method":           {"aoso, abc or logitboost", []any{"aoso", "logitboost"}, []any{"", "gbdt"}},
		"pairs":            {"1, 2, 4 or 8", []any{0, 1, 8}, []any{3, 16, -1}},
		"seed":             {"an integer, at least 0", []any{uint64(0), uint64(math.MaxUint64)}, nil},
		"level":            {"", []any{"", "any"}, nil},
	} {
		p, _, ok := Find(name)
		if !ok || p.Allowed() != values.allowed {
			t.Errorf("%s: allowed: %s", name, p.Allowed())
		}
		for _, v := range values.yes {
			if !p.Allows(v) {
				t.Errorf("%s does not allow %v", name, v)
			}
		}
		for _, v := range values.no {
			if p.Allows(v) {
				t.Errorf("%s allows %v", name, v)
			}
		}
	}
	if _, _, ok := Find("no_such"); ok {
		t.Error("found no_such")
	}
}

func TestUsage(t *testing.T) {
	for name, want := range map[string]string{
		"max_leaves": "maximum number of leaves per tree (the paper's J); 2 to 65536 (default 8 to 65536, more with more rows and classes)",
		"leaf":       "classes whose scores a leaf changes: full, pair or sparse (default full, or sparse from 5000 classes; pair for methods abc and logitboost)",
		"max_depth":  "maximum number of splits from the root to a leaf; 0 means no limit",
		"seed":       "seed of all random draws",
		"nthread":    "number of threads; 0 means all cores available to the process; 0 to 4096",
	} {
		if p, _, _ := Find(name); p.Usage() != want {
			t.Errorf("%s: %q", name, p.Usage())
		}
	}
}
