package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// paramsOf trains with flags and returns the parameters of the model.
func paramsOf(t *testing.T, flags ...string) string {
	t.Helper()
	o := do(t, append([]string{"train", "--data", file(t, "d.csv", small), "--model", filepath.Join(t.TempDir(), "m.aoso"), "--json"}, flags...)...)
	return jsonLine[trained](t, o).Params
}

// TestParamsFile: parameters come from JSON, TOML and YAML alike, and other flags win wherever they stand.
func TestParamsFile(t *testing.T) {
	want := paramsOf(t, "--n-estimators", "3", "--learning-rate", "0.05", "--max-leaves", "5", "--seed", "18446744073709551615", "--interaction-constraints", "[[0],[1]]")
	files := map[string]string{
		"p.json": `{"n_estimators": 3, "learning_rate": 5e-2, "max_leaves": 5, "seed": 18446744073709551615, "interaction_constraints": [[0], [1]]}`,
		"p.YAML": "n_estimators: 3\nlearning-rate: 5e-2\nmax_leaves: 5\nseed: 18446744073709551615\ninteraction_constraints: [[0], [1]]\n",
		"p.yml":  "{n_estimators: 3, learning_rate: 0.05, max_leaves: 5, seed: 18446744073709551615, interaction_constraints: '[[0],[1]]'}",
		"p.toml": "n_estimators = 3\nlearning_rate = 5e-2\nmax_leaves = 5\nseed = '18446744073709551615'\ninteraction_constraints = [[0], [1]]\n",
	}
	for name, text := range files {
		path := file(t, name, text)
		if got := paramsOf(t, "--params-file", path); got != want {
			t.Errorf("%s: %s, want %s", name, got, want)
		}
		before := paramsOf(t, "--max-leaves", "7", "--params", "seed=2", "--params-file", path)
		after := paramsOf(t, "--params-file", path, "--params", "seed=2", "--max-leaves", "7")
		if !strings.Contains(before, "learning_rate=0.05") || !strings.Contains(before, "max_leaves=7") || !strings.Contains(before, "seed=2") || before != after {
			t.Errorf("%s: %s, then %s", name, before, after)
		}
	}
	two := paramsOf(t, "--params-file", file(t, "p.json", files["p.json"]), "--params-file", file(t, "q.toml", "max_leaves = 6\n"))
	if !strings.Contains(two, "max_leaves=6") || !strings.Contains(two, "learning_rate=0.05") {
		t.Error(two)
	}
	do(t, "tune", "--data", file(t, "d.csv", small), "--model", filepath.Join(t.TempDir(), "m.aoso"), "--trials", "1", "--params-file", file(t, "p.json", files["p.json"]))
}

// TestParamsOfModel: the parameters of a model, as info prints them, train such a model.
func TestParamsOfModel(t *testing.T) {
	model := smallModel(t)
	params, err := json.Marshal(jsonLine[described](t, do(t, "info", "--model", model, "--json")).Params)
	if err != nil {
		t.Fatal(err)
	}
	again := filepath.Join(t.TempDir(), "m.aoso")
	do(t, "train", "--data", file(t, "d.csv", small), "--model", again, "--params-file", file(t, "p.json", string(params)))
	of := func(model string) string {
		return jsonLine[described](t, do(t, "info", "--model", model, "--json")).Fingerprint
	}
	if a, b := of(model), of(again); a != b {
		t.Errorf("fingerprints %s and %s", a, b)
	}
}

func TestBadParamsFile(t *testing.T) {
	data, model := file(t, "d.csv", small), filepath.Join(t.TempDir(), "m.aoso")
	for _, c := range []struct{ name, text, want string }{
		{"p.yaml", "n_estimatos: 3\n", `p.yaml: parameter is "n_estimatos"; allowed: method, leaf`},
		{"p.yaml", "learning_rate: fast\n", `p.yaml: learning_rate is "fast"; allowed: a number`},
		{"p.yaml", "max_leaves: 3.5\n", `max_leaves is "3.5"; allowed: an integer`},
		{"p.yaml", "max_leaves: [1]\n", `max_leaves is "[1]"; allowed: an integer`},
		{"p.yaml", "max_leaves: 2\nmax_leaves: 3\n", "allowed: names of parameters and their values"},
		{"p.yaml", "[1]\n", "allowed: names of parameters and their values"},
		{"p.json", `{"seed": 1} {}`, "there is more after the object"},
		{"p.json", "", "EOF"},
		{"p.toml", "seed=\n", "toml: "},
		{"p.txt", "seed=1\n", "allowed: a file whose name ends in .json, .toml, .yaml or .yml"},
		{"p.yaml", "learning_rate: 9\n", "learning_rate is 9; allowed: above 0, at most 1"},
	} {
		fail(t, exitUsage, []string{c.want}, "train", "--data", data, "--model", model, "--params-file", file(t, c.name, c.text))
	}
	fail(t, exitUsage, []string{"no such file"}, "train", "--data", data, "--model", model, "--params-file", "none.yaml")
	if _, err := os.Stat(model); err == nil {
		t.Error("there is a model")
	}
}
