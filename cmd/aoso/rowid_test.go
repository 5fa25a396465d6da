package main

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// TestRowID: what is drawn depends on a column of row ids, which is no feature.
func TestRowID(t *testing.T) {
	lines := strings.Split(strings.TrimSpace(mixed(300, "age", "code", "class")), "\n")
	plain := file(t, "plain.csv", strings.Join(lines, "\n")+"\n")
	with := func(name string, id func(row int) int) string {
		rows := []string{"id," + lines[0]}
		for i, line := range lines[1:] {
			rows = append(rows, fmt.Sprintf("%d,%s", id(i), line))
		}
		return file(t, name, strings.Join(rows, "\n")+"\n")
	}
	positions := with("positions.csv", func(row int) int { return row })
	others := with("others.csv", func(row int) int { return -7 * row })
	model := filepath.Join(t.TempDir(), "m.aoso")
	fingerprint := func(args ...string) string {
		out := do(t, slices.Concat([]string{"train", "--model", model, "--n-estimators", "5", "--subsample", "0.5", "--valid", plain, "--json"}, args)...)
		_, print, _ := strings.Cut(out, `"fingerprint":"`)
		print, _, _ = strings.Cut(print, `"`)
		return print
	}
	want := fingerprint("--data", plain)
	if got := fingerprint("--data", positions, "--row-id", "id"); got != want {
		t.Errorf("fingerprint %s with positions as row ids, %s without", got, want)
	}
	if got := fingerprint("--data", positions, "--row-id", "0"); got != want {
		t.Errorf("fingerprint %s with the row ids of column 0, %s without", got, want)
	}
	if got := fingerprint("--data", others, "--row-id", "id"); got == want {
		t.Error("other row ids draw the same rows")
	}
	do(t, "eval", "--model", model, "--data", others, "--ignore", "id")
	repeated := with("repeated.csv", func(row int) int { return row % 200 })
	fail(t, exitFailed, []string{"row_ids[200] is 0; allowed: an id of its own; row_ids[0] is the same"}, "train", "--model", model, "--data", repeated, "--row-id", "id")
	fail(t, exitFailed, []string{`row id: no column "id"`}, "train", "--model", model, "--data", plain, "--row-id", "id")
}
