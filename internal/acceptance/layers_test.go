package acceptance

import (
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"testing"
)

const module = "github.com/libaoso/aoso"

// TestLayers: each package imports only packages that docs/architecture.md lists below it,
// and training and serving do not import each other.
func TestLayers(t *testing.T) {
	page, err := os.ReadFile("../../docs/architecture.md")
	if err != nil {
		t.Fatal(err)
	}
	_, table, _ := strings.Cut(string(page), "## The packages")
	table, _, _ = strings.Cut(table, "Beside them:")
	var layers []string
	for _, row := range regexp.MustCompile("(?m)^\\| `([^`]+)` \\|").FindAllStringSubmatch(table, -1) {
		layers = append(layers, row[1])
	}
	training := []string{"internal/tune", "internal/fit", "internal/boost", "internal/tree", "internal/linear"}
	serving := []string{"internal/predict", "internal/explain", "internal/export"}
	list := exec.Command("go", "list", "-f", `{{.ImportPath}} {{join .Imports " "}}`, "./internal/...", "./cmd/aoso/...", "./capi", "./columnar", "./spec", "./kernel", "./tcp", ".")
	list.Dir, list.Stderr = "../..", os.Stderr
	packages, err := list.Output()
	if err != nil {
		t.Fatal(err)
	}
	inModule := func(path string) (string, bool) {
		if path == module {
			return ".", true
		}
		return strings.CutPrefix(path, module+"/")
	}
	seen := 0
	for line := range strings.Lines(string(packages)) {
		paths := strings.Fields(line)
		name, _ := inModule(paths[0])
		layer := slices.Index(layers, name)
		if slices.Contains(onlyTests, name) {
			continue
		}
		if layer < 0 {
			t.Errorf("docs/architecture.md does not list %s", name)
			continue
		}
		seen++
		for _, path := range paths[1:] {
			imported, ours := inModule(path)
			if ours && slices.Index(layers, imported) <= layer {
				t.Errorf("%s imports %s, which docs/architecture.md does not list below it", name, imported)
			}
			if slices.Contains(training, name) && slices.Contains(serving, imported) {
				t.Errorf("%s imports %s: training must not import serving", name, imported)
			}
		}
	}
	if seen != len(layers) {
		t.Errorf("docs/architecture.md lists %d packages, of which %d exist", len(layers), seen)
	}
}

// onlyTests are packages that only tests import.
var onlyTests = []string{"internal/acceptance", "internal/data/datatest", "internal/model/densetest"}
