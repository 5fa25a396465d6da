package main

import (
	"strings"
	"testing"
)

// TestHelpHasOneDefault: the help states at most one default for each flag.
func TestHelpHasOneDefault(t *testing.T) {
	commands, flags := 0, 0
	for line := range strings.Lines(do(t, "--help")) {
		name, _, found := strings.Cut(strings.TrimPrefix(line, "  "), " ")
		if !strings.HasPrefix(line, "  ") || !found || name == "" || name == "aoso" || name == "completion" || name == "help" || strings.HasPrefix(name, "-") {
			continue
		}
		commands++
		for line := range strings.Lines(do(t, name, "--help-all")) {
			if !strings.HasPrefix(strings.TrimSpace(line), "-") {
				continue
			}
			flags++
			if strings.Count(line, "(default")+strings.Count(line, "; default: ") > 1 {
				t.Errorf("aoso %s: %s", name, line)
			}
		}
	}
	if commands < 10 || flags < 150 {
		t.Errorf("%d commands, %d flags", commands, flags)
	}
}

// TestHelpGroups: --help lists the common flags, --help-all every flag.
func TestHelpGroups(t *testing.T) {
	common, all := do(t, "train", "--help"), do(t, "train", "--help-all")
	for flag, isCommon := range map[string]bool{"data": true, "n-estimators": true, "quiet": true, "trim": false, "separator": false, "row-id": false} {
		if strings.Contains(common, "  --"+flag+" ") != isCommon || !strings.Contains(all, "  --"+flag+" ") {
			t.Errorf("--%s: --help %v, want %v", flag, !isCommon, isCommon)
		}
	}
	if n := strings.Count(common, "  --"); n > 26 {
		t.Errorf("train --help lists %d flags", n)
	}
}

// TestQuiet: with --quiet, a command that saves a file writes nothing else.
func TestQuiet(t *testing.T) {
	data, model := file(t, "d.csv", strings.Repeat("1,a\n2,b\n", 20)), t.TempDir()+"/m"
	o := try("train", "--quiet", "--data", data, "--model", model, "--n-estimators", "1")
	if o.code != 0 || o.stdout != "" || o.stderr != "" {
		t.Errorf("%+v", o)
	}
	if out := do(t, "truncate", "--model", model, "--trees", "1", "--out", model+"2"); !strings.Contains(out, ": 1 tree, ") {
		t.Error(out)
	}
}

// TestCompletion: shells complete the values of flags.
func TestCompletion(t *testing.T) {
	if out := do(t, "__complete", "train", "--method", ""); !strings.HasPrefix(out, "aoso\nabc\nlogitboost\n") {
		t.Error(out)
	}
}
