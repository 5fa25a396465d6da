package acceptance

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"io"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/libaoso/aoso"
	"github.com/libaoso/aoso/internal/model"
)

// sourceModels are models whose programs differ, with rows to predict.
func sourceModels(t *testing.T) (models map[string]*aoso.Model, rows map[string][][]float64) {
	letters := letter().slice(0, 3000)
	numbers := func(change func(*aoso.Params)) *aoso.Model {
		return trained(t, letters, params(func(p *aoso.Params) { p.NEstimators = 20; change(p) })).Model
	}
	full := withTemperature(numbers(func(*aoso.Params) {}), 1.37)
	models = map[string]*aoso.Model{
		"letters":  full,
		"pairs":    numbers(paper),
		"holes":    trained(t, blobs(3, 500, 4, 3, 30).punch(5, 0.2), params(func(p *aoso.Params) { p.NEstimators = 9 })).Model,
		"constant": trained(t, blobs(3, 10, 2, 1, 3), params(func(p *aoso.Params) { p.NEstimators = 2 })).Model,
	}
	few := func(*aoso.Params) {}
	models["few"] = categorical(t, 60, 4, few)
	models["many"] = categorical(t, 400, 2, few)
	models["manypairs"] = categorical(t, 400, 4, paper)
	for _, name := range []string{"letters", "pairs", "many", "constant"} {
		models["linear"+name] = withTemperature(withLinear(models[name], nil), 0.75)
	}
	constant, extreme := model.NewLinear([]float32{0.25}), model.NewLinear(make([]float32, 26))
	extreme.Add(3, []float64{-math.MaxFloat64, math.MaxFloat64}, []float32{1, 2, 3}, slices.Repeat([]float32{-0.1, 0.3}, 13))
	for name, l := range map[string]*model.Linear{"constant": constant, "pairs": extreme} {
		f := forest(models[name]).Clone()
		f.SetLinear(l)
		models["terms"+name] = changed(models[name], func(c *model.Model) { c.Forest = f })
	}
	rows = map[string][][]float64{}
	for name, m := range models {
		if len(m.FeatureNames()) == 3 && encoder(m) != nil {
			rows[name], _ = positions(t, m)
			continue
		}
		values := letter().features()
		for i := range 300 {
			row := make([]float64, len(m.FeatureNames()))
			for j := range row {
				values.Column(j%16, i, row[j:j+1])
				switch row[j] -= 3 * float64(len(row)%16); (i + 7*j) % 29 {
				case 0:
					row[j] = math.NaN()
				case 1:
					row[j] = math.Inf(1 - 2*(i%2))
				}
			}
			rows[name] = append(rows[name], row)
		}
	}
	return models, rows
}

// answers returns the raw scores and probabilities of rows, bit by bit.
func answers(t *testing.T, m *aoso.Model, rows [][]float64) []byte {
	p, err := m.RowPredictor()
	if err != nil {
		t.Fatal(err)
	}
	var all []byte
	out := make([]float64, len(m.Classes()))
	for _, row := range rows {
		for _, predict := range []func(row, out []float64) error{p.Raw, p.Proba} {
			if err := predict(row, out); err != nil {
				t.Fatal(err)
			}
			all, _ = binary.Append(all, binary.NativeEndian, out)
		}
	}
	return all
}

// compareProgram runs a program with rows, and compares what it writes with the answers of
// a model, bit by bit.
func compareProgram(t *testing.T, m *aoso.Model, rows [][]float64, name string, arguments ...string) {
	t.Helper()
	want := answers(t, m, rows)
	var in []byte
	for _, row := range rows {
		in, _ = binary.Append(in, binary.NativeEndian, row)
	}
	c := exec.Command(name, arguments...)
	c.Stdin, c.Stderr = bytes.NewReader(in), os.Stderr
	if got, err := c.Output(); err != nil || !bytes.Equal(got, want) {
		at := 0
		for at < min(len(got), len(want)) && got[at] == want[at] {
			at++
		}
		t.Errorf("%s: %v, %d bytes in place of %d, the first difference at %d", filepath.Base(name), err, len(got), len(want), at)
	}
}

func exportTo(t *testing.T, m *aoso.Model, format, path string) {
	t.Helper()
	source := written(t, func(w io.Writer) error { return m.Export(w, format) })
	if err := os.WriteFile(path, source, 0o644); err != nil {
		t.Fatal(err)
	}
}

const cMain = `#include <stdio.h>
#include "%s"
int main(void) {
    static double row[FEATURES], out[CLASSES];
    while (fread(row, sizeof row, 1, stdin) == 1) {
        letters_predict_raw(row, out);
        int best = 0;
        for (int k = 1; k < CLASSES; k++) if (out[k] > out[best]) best = k;
        if (best != letters_predict(row) || !letters_class_names[best] || !letters_feature_names[0]) return 1;
        fwrite(out, sizeof out, 1, stdout);
        letters_predict_proba(row, out);
        fwrite(out, sizeof out, 1, stdout);
    }
    return 0;
}
`

// TestCSource: models as C predict what they predict here, to the bit, however eagerly the compiler fuses
// products and sums.
func TestCSource(t *testing.T) {
	compiler, err := exec.LookPath("cc")
	if err != nil {
		t.Skip("there is no C compiler")
	}
	dir := t.TempDir()
	models, rows := sourceModels(t)
	for name, m := range models {
		source, main, program := filepath.Join(dir, name+".c"), filepath.Join(dir, name+"-main.c"), filepath.Join(dir, name)
		exportTo(t, m, "c", source)
		if err := os.WriteFile(main, fmt.Appendf(nil, cMain, source), 0o644); err != nil {
			t.Fatal(err)
		}
		flags := strings.Fields("-std=c99 -O2 -Wall -Wextra -Wpedantic -Werror -DAOSO_NAME=letters")
		if runtime.GOARCH == "amd64" {
			flags = append(flags, "-mfma") // of an instruction that the CPU may lack, but that must not come up
		}
		if text, err := exec.Command(compiler, append(flags, main, "-o", program)...).CombinedOutput(); err != nil {
			t.Fatalf("%s: %v\n%.2000s", name, err, text)
		}
		compareProgram(t, m, rows[name], program)
	}
}

const goMain = `package main

import (
	"bufio"
	"encoding/binary"
	"os"

%[1]s)

var raw, proba = map[string]func(row, scores []float64){%[2]s}, map[string]func(row, scores []float64){%[3]s}
var shapes = map[string][2]int{%[4]s}

func main() {
	name := os.Args[1]
	row, out := make([]float64, shapes[name][0]), make([]float64, shapes[name][1])
	in, w := bufio.NewReader(os.Stdin), bufio.NewWriter(os.Stdout)
	for binary.Read(in, binary.NativeEndian, row) == nil {
		raw[name](row, out)
		binary.Write(w, binary.NativeEndian, out)
		proba[name](row, out)
		binary.Write(w, binary.NativeEndian, out)
	}
	w.Flush()
}
`

// TestGoSource: models as Go predict what they predict here.
func TestGoSource(t *testing.T) {
	dir := t.TempDir()
	models, rows := sourceModels(t)
	var imports, raw, proba, shapes strings.Builder
	var names []string
	for name, m := range models {
		names = append(names, name)
		if err := os.Mkdir(filepath.Join(dir, name), 0o755); err != nil {
			t.Fatal(err)
		}
		exportTo(t, m, "go", filepath.Join(dir, name, "model.go"))
		fmt.Fprintf(&imports, "\t%s \"exported/%s\"\n", name, name)
		fmt.Fprintf(&raw, "%q: %s.PredictRaw, ", name, name)
		fmt.Fprintf(&proba, "%q: %s.PredictProba, ", name, name)
		fmt.Fprintf(&shapes, "%q: {len(%s.FeatureNames), len(%s.ClassNames)}, ", name, name, name)
	}
	for file, text := range map[string]string{
		"go.mod":  "module exported\n\ngo 1.26\n",
		"main.go": fmt.Sprintf(goMain, &imports, &raw, &proba, &shapes),
	} {
		if err := os.WriteFile(filepath.Join(dir, file), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	program := filepath.Join(dir, "program")
	build := exec.Command("go", "build", "-o", program, ".")
	build.Dir, build.Env = dir, append(os.Environ(), "GOFLAGS=", "GOWORK=off")
	if text, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%.2000s", err, text)
	}
	slices.Sort(names)
	for _, name := range names {
		compareProgram(t, models[name], rows[name], program, name)
	}
}
