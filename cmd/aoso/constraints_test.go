package main

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/libaoso/aoso"
)

// loans returns a file of rows whose class rises with debt, falls with income and has
// something to do with age.
func loans(t *testing.T) string {
	var b strings.Builder
	b.WriteString("income,debt,age,class\n")
	for i := range 400 {
		income, debt, age := i*37%101, i*53%97, i*71%89
		class := "good"
		if 10*debt-7*income+i*29%300-age%7*40 > 150 {
			class = "late"
		}
		fmt.Fprintf(&b, "%d,%d,%d,%s\n", income, debt, age, class)
	}
	return file(t, "loans.csv", b.String())
}

// falls counts the steps by which the raw score of class late falls along a column.
func falls(t *testing.T, model string, column int) (n int) {
	t.Helper()
	m, err := aoso.Load(model)
	if err != nil {
		t.Fatal(err)
	}
	for _, other := range []float64{10, 50, 80} {
		var rows [][]float64
		for v := range 102 {
			row := []float64{other, other, other}
			row[column] = float64(v)
			rows = append(rows, row)
		}
		x, err := aoso.FromRows(rows)
		if err != nil {
			t.Fatal(err)
		}
		raw, err := m.PredictRaw(x)
		if err != nil {
			t.Fatal(err)
		}
		for i := 3; i < len(raw); i += 2 {
			if raw[i] < raw[i-2] {
				n++
			}
		}
	}
	return n
}

func TestConstraints(t *testing.T) {
	page, err := os.ReadFile("../../docs/constraints.md")
	if err != nil {
		t.Fatal(err)
	}
	t.Chdir(filepath.Dir(loans(t)))
	command := regexp.MustCompile("(?s)```sh\naoso (.*?)\n```").FindSubmatch(page)
	if command == nil {
		t.Fatal("the page has no command")
	}
	shown := strings.Fields(strings.ReplaceAll(string(command[1]), "'", ""))
	quick := []string{"train", "--data", "loans.csv", "--model", "loans.aoso", "--preset", "paper", "--n-estimators", "40"}
	for _, test := range []struct {
		args        []string
		constrained bool
	}{
		{quick, false},
		{append(shown, "--preset", "paper", "--n-estimators", "40"), true},
		{append(quick, "--monotone-constraints", "-1, 1, 0"), true},
		{append(quick, "--mc=(-1,1,0)"), true},
		{append(quick, "--params", "monotone_constraints=[-1, 1, 0] max_leaves=9"), true},
	} {
		do(t, test.args...)
		if n := falls(t, "loans.aoso", 1); n == 0 != test.constrained {
			t.Errorf("%s: the score falls %d times along debt", test.args, n)
		}
	}
	do(t, append(quick, "--interaction-constraints", "no_interactions")...)
	m, err := aoso.Load("loans.aoso")
	if err != nil || m.Params().InteractionConstraints != "no_interactions" {
		t.Errorf("%+v, %v", m, err)
	}
	fail(t, exitUsage, []string{"monotone_constraints is \"up\"; allowed: a list of -1, 0 or 1"}, append(quick, "--monotone-constraints", "up")...)
	fail(t, exitFailed, []string{`monotone_constraints is for feature "wealth"; allowed: features of the data: income, debt, age`}, append(quick, "--monotone-constraints", `{"wealth":1}`)...)
	fail(t, exitFailed, []string{"interaction_constraints", "feature 3", "0 to 2"}, append(quick, "--interaction-constraints", "[[0,3]]")...)
}
