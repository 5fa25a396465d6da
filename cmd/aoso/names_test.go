package main

import (
	"path/filepath"
	"strings"
	"testing"
)

func TestMistyped(t *testing.T) {
	for args, want := range map[string]string{
		"train --leafs 3":                        "no flag --leafs; did you mean --leaf?",
		"train --weigth n":                       "no flag --weigth; did you mean --weight?",
		"train --something 3":                    "no flag --something; aoso train --help lists the flags",
		"train -data x":                          "no flag -data; did you mean --data, with two dashes?",
		"trian --data x":                         `no command "trian"; did you mean aoso train?`,
		"fit --data x":                           `no command "fit"; did you mean aoso train?`,
		"zorro":                                  `no command "zorro"; the commands are bin, `,
		"train --max-leaves 3":                   "aoso train needs --data and --model; aoso train --help lists the flags",
		"train x.csv":                            `unexpected argument "x.csv"; files are given with flags, such as --data x.csv`,
		"info m.aoso":                            `unexpected argument "m.aoso"; allowed: flags, which aoso info --help lists`,
		"predict --num-leaves 3":                 "no flag --num-leaves",
		"eval --separator :: --data x --model y": `separator is "::"; allowed: `,
	} {
		fail(t, exitUsage, []string{want}, strings.Fields(args)...)
	}
}

// TestOtherNames: former names of flags and those of other libraries do the same. What flags of
// other libraries are called here is said once.
func TestOtherNames(t *testing.T) {
	data, model := file(t, "small.csv", small), filepath.Join(t.TempDir(), "m.aoso")
	train := func(flags string) outcome {
		return try(append([]string{"train", "--data", data, "--model", model, "--json", "--quiet"}, strings.Fields(flags)...)...)
	}
	o := train("--n-estimators 7 --max-leaves 3 --learning-rate 0.2 --max-bin 9 --min-samples-leaf 2 --nthread 1")
	former := train("--trees 7 --leaves=3 --shrinkage 0.2 --max-bins 9 --min_samples 2 --threads 1")
	other := train("--num_boost_round 7 --num-leaves=3 --eta 0.2 --border-count 9 --min_child_samples 2 --n-jobs 1")
	for _, o := range []outcome{o, former, other} {
		if o.code != 0 || jsonLine[trained](t, o.stdout).Fingerprint != jsonLine[trained](t, other.stdout).Fingerprint {
			t.Errorf("%+v\n%+v", o, other)
		}
	}
	for _, want := range []string{"aoso: --num-leaves is --max-leaves here\n", "aoso: --eta is --learning-rate here\n", "aoso: --border-count is --max-bin here\n", "aoso: --num-boost-round is --n-estimators here, which is similar."} {
		if strings.Count(other.stderr, want) != 1 {
			t.Errorf("%q does not say %q once", other.stderr, want)
		}
	}
	if o.stderr != "" || former.stderr != "" || strings.Count(other.stderr, "\n") != 6 {
		t.Errorf("standard error is %q, %q and %q", o.stderr, former.stderr, other.stderr)
	}
}
