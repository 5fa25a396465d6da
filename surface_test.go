package aoso

import (
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"path/filepath"
	"strings"
	"testing"
)

// TestSurface: the package exports at most 120 names, besides methods and fields.
func TestSurface(t *testing.T) {
	const most = 120
	paths, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	set, files := token.NewFileSet(), []*ast.File(nil)
	for _, path := range paths {
		if strings.HasSuffix(path, "_test.go") {
			continue
		}
		file, err := parser.ParseFile(set, path, nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, file)
	}
	anyway := types.Config{Error: func(error) {}} // imports are not read
	pkg, _ := anyway.Check("aoso", set, files, nil)
	var exported []string
	for _, name := range pkg.Scope().Names() {
		if token.IsExported(name) {
			exported = append(exported, name)
		}
	}
	if n := len(exported); n < most/2 || n > most {
		t.Errorf("%d names, at most %d are wanted: %s", n, most, strings.Join(exported, " "))
	}
}
