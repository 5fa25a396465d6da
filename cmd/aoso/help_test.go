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
		if !strings.HasPrefix(line, "  ") || !found || name == "" || name == "aoso" || strings.HasPrefix(name, "-") {
			continue
		}
		commands++
		for line := range strings.Lines(do(t, name, "--help")) {
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
