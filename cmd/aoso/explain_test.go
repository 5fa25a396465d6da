package main

import (
	"encoding/csv"
	"math"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// records returns a command's CSV without its header, which it checks.
func records(t *testing.T, header string, args ...string) [][]string {
	t.Helper()
	all, err := csv.NewReader(strings.NewReader(do(t, args...))).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	if len(all) == 0 || strings.Join(all[0], ",") != header {
		t.Fatalf("aoso %s: %q, want the header %q", strings.Join(args, " "), all, header)
	}
	return all[1:]
}

func number(t *testing.T, s string) float64 {
	t.Helper()
	v, err := strconv.ParseFloat(s, 64)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// The values of a line sum to the raw score of its class.
func TestExplain(t *testing.T) {
	model, data := smallModel(t), file(t, "d.csv", small)
	raw := records(t, "x,y,z", "predict", "--model", model, "--data", data, "--output", "raw")
	for top, lines := range map[string]int{"0": 27, "1": 9, "2": 18} {
		sums := map[string]float64{}
		dense := records(t, "row,class,a,b,bias", "explain", "--model", model, "--data", data, "--top", top)
		if len(dense) != lines {
			t.Fatalf("--top %s: %d lines, want %d", top, len(dense), lines)
		}
		for _, line := range dense {
			row, class := int(number(t, line[0])), strings.Index("xyz", line[1])
			sum := number(t, line[2]) + number(t, line[3]) + number(t, line[4])
			sums[line[0]+line[1]] = sum
			if want := number(t, raw[row][class]); math.Abs(sum-want) > 1e-9 {
				t.Errorf("row %d, class %s: the values sum to %v, the score is %v", row, line[1], sum, want)
			}
			if top == "1" && class != row/3 {
				t.Errorf("row %d: class %s", row, line[1])
			}
		}
		for _, line := range records(t, "row,class,feature,value", "explain", "--model", model, "--data", data, "--top", top, "--output", "sparse", "--nthread", "1") {
			sums[line[0]+line[1]] -= number(t, line[3])
		}
		for line, rest := range sums {
			if math.Abs(rest) > 1e-12 {
				t.Errorf("%s: dense and sparse differ by %v", line, rest)
			}
		}
		mean := records(t, "feature,mean", "explain", "--model", model, "--data", data, "--top", top, "--output", "mean")
		want := [2]float64{}
		for _, line := range dense {
			for j := range want {
				want[j] += math.Abs(number(t, line[2+j])) / float64(lines)
			}
		}
		for j, name := range []string{"a", "b"} {
			if mean[j][0] != name || math.Abs(number(t, mean[j][1])-want[j]) > 1e-12 {
				t.Errorf("--top %s: mean %q, want %v", top, mean[j], want[j])
			}
		}
	}
	out := filepath.Join(t.TempDir(), "out.csv")
	do(t, "explain", "--model", model, "--data", data, "--out", out, "--trees", "3")
	if read(t, out) != do(t, "explain", "--model", model, "--data", data, "--trees", "3") {
		t.Error("the file has something else")
	}
}

func TestExplainModel(t *testing.T) {
	lines := records(t, "feature,gain,split,cover", "explain", "--model", smallModel(t))
	for j, name := range []string{"a", "b"} {
		if line := lines[j]; line[0] != name || number(t, line[1]) <= 0 || number(t, line[2]) < 10 || number(t, line[3]) <= number(t, line[2]) {
			t.Errorf("%q", line)
		}
	}
}

// The gain of a feature is the sum over its class pairs.
func TestExplainPairs(t *testing.T) {
	model := smallModel(t)
	gains := map[string]float64{}
	for _, line := range records(t, "feature,class,other,gain,splits", "explain", "--model", model, "--output", "pairs") {
		if !(line[1] < line[2]) || number(t, line[4]) < 1 {
			t.Errorf("%q", line)
		}
		gains[line[0]] += number(t, line[3])
	}
	for _, line := range records(t, "feature,gain,split,cover", "explain", "--model", model) {
		if want := number(t, line[1]); math.Abs(gains[line[0]]-want) > 1e-9*want {
			t.Errorf("%s: %v, want %v", line[0], gains[line[0]], want)
		}
	}
}

func TestExplainNothing(t *testing.T) {
	model, data := smallModel(t), file(t, "d.csv", "a,b\n")
	records(t, "row,class,a,b,bias", "explain", "--model", model, "--data", data)
	records(t, "row,class,feature,value", "explain", "--model", model, "--data", data, "--output", "sparse")
	if mean := records(t, "feature,mean", "explain", "--model", model, "--data", data, "--output", "mean"); mean[0][1] != "0" {
		t.Error(mean)
	}
}

func TestExplainErrors(t *testing.T) {
	model, data := smallModel(t), file(t, "d.csv", small)
	fail(t, exitUsage, []string{`output is "all"`, "dense, sparse or mean"}, "explain", "--model", model, "--output", "all")
	fail(t, exitUsage, []string{`output is "pairs"`, "without --data: pairs"}, "explain", "--model", model, "--data", data, "--output", "pairs")
	fail(t, exitUsage, []string{"cannot be overwritten"}, "explain", "--model", model, "--data", data, "--out", data)
	fail(t, exitFailed, []string{"none.aoso", "no such file"}, "explain", "--model", "none.aoso")
	fail(t, exitFailed, []string{"3 features", "the model has 2"}, "explain", "--model", model, "--data", file(t, "d.csv", "1,2,3,4\n"))
}
