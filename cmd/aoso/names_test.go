package main

import (
	"path/filepath"
	"strings"
	"testing"
)

func TestMistyped(t *testing.T) {
	for args, want := range map[string]string{
		"train --leafs 3":                        "no flag --leafs; did you mean --leaf or --leaves?",
		"train --weigth n":                       "no flag --weigth; did you mean --weight?",
		"train --something 3":                    "no flag --something; aoso train --help lists the flags",
		"train -data x":                          "no flag -data; did you mean --data, with two dashes?",
		"trian --data x":                         `no command "trian"; did you mean aoso train?`,
		"fit --data x":                           `no command "fit"; did you mean aoso train?`,
		"zorro":                                  `no command "zorro"; the commands are bin, `,
		"train --leaves 3":                       "aoso train needs --data and --model; aoso train --help lists the flags",
		"train x.csv":                            `unexpected argument "x.csv"; files are given with flags, such as --data x.csv`,
		"info m.aoso":                            `unexpected argument "m.aoso"; allowed: flags, which aoso info --help lists`,
		"predict --num-leaves 3":                 "no flag --num-leaves",
		"eval --separator :: --data x --model y": `separator is "::"; allowed: `,
	} {
		fail(t, exitUsage, []string{want}, strings.Fields(args)...)
	}
}

// TestOtherNames: other libraries' names of flags do the same, and it is said once
// what they are called here.
func TestOtherNames(t *testing.T) {
	data, model := file(t, "small.csv", small), filepath.Join(t.TempDir(), "m.aoso")
	o := try("train", "--data", data, "--model", model, "--json", "--quiet", "--trees", "7", "--leaves", "3", "--shrinkage", "0.2", "--max-bins", "9", "--min-samples", "2")
	other := try("train", "--data", data, "--model", model, "--json", "--quiet", "--n_estimators", "7", "--num-leaves=3", "--learning_rate", "0.2", "--max-bin", "9", "--min_samples", "2")
	if o.code != 0 || other.code != 0 || jsonLine[trained](t, o.stdout).Fingerprint != jsonLine[trained](t, other.stdout).Fingerprint {
		t.Errorf("%+v\n%+v", o, other)
	}
	for _, want := range []string{"aoso: --num-leaves is --leaves here\n", "aoso: --learning-rate is --shrinkage here\n", "aoso: --max-bin is --max-bins here\n", "aoso: --n-estimators is --trees here, which is similar."} {
		if strings.Count(other.stderr, want) != 1 {
			t.Errorf("%q does not say %q once", other.stderr, want)
		}
	}
	if o.stderr != "" || strings.Count(other.stderr, "\n") != 4 {
		t.Errorf("standard error is %q and %q", o.stderr, other.stderr)
	}
}
