// Command gen writes what is generated from the table of parameters. Run it
// with make params.
package main

import (
	"bytes"
	"embed"
	"fmt"
	"go/format"
	"log"
	"os"
	"path/filepath"
	"strings"
	"text/template"
)

// output is a generated file, or the part of a file from the first begin to the next
// end.
type output struct {
	path, template string
	begin, end     string
}

const (
	sklearn = "bindings/python/src/aoso/sklearn.py"
	header  = "capi/include/aoso/params.h"
)

var outputs = []output{
	{path: "params_gen.go", template: "params.go.tmpl"},
	{path: "internal/boost/params_gen.go", template: "boost.go.tmpl"},
	{path: "internal/settings/params_gen.go", template: "settings.go.tmpl"},
	{path: "capi/params_gen.go", template: "capi.go.tmpl"},
	{header, "params.h.tmpl", "/* begin parameters: make params writes them */\n", "/* end parameters */\n"},
	{path: "capi/test/params.h", template: "test.h.tmpl"},
	{path: "bindings/python/src/aoso/_parameters.py", template: "parameters.py.tmpl"},
	{sklearn, "estimator-doc.tmpl", "    Parameters\n    ----------\n", "    categorical_features : "},
	{sklearn, "estimator-signature.tmpl", "        *,\n", "        categorical_features: "},
	{sklearn, "estimator-body.tmpl", "    ) -> None:\n", "        self.categorical_features = "},
	{"bindings/python/docs/parameters.md", "parameters.md.tmpl", "<!-- begin parameters -->\n", "<!-- end -->\n"},
	{"bindings/python/docs/migration.md", "migration.md.tmpl", "<!-- begin parameters -->\n", "<!-- end -->\n"},
}

//go:embed templates
var files embed.FS

var templates = template.Must(template.New("").Funcs(template.FuncMap{"wrap": wrap}).ParseFS(files, "templates/*"))

func main() {
	log.SetFlags(0)
	log.SetPrefix("params: ")
	if err := generate("..", os.ReadFile, os.WriteFile); err != nil {
		log.Fatal(err)
	}
}

// generate makes all outputs in the module at root.
func generate(root string, read func(string) ([]byte, error), write func(string, []byte, os.FileMode) error) error {
	for _, o := range outputs {
		path := filepath.Join(root, o.path)
		var old []byte
		if o.begin != "" {
			var err error
			if old, err = read(path); err != nil {
				return err
			}
		}
		text, err := o.render(old)
		if err != nil {
			return fmt.Errorf("%s: %w", o.path, err)
		}
		if err := write(path, text, 0o666); err != nil {
			return err
		}
	}
	return nil
}

// render returns the whole file with its generated text; old is its present text.
func (o *output) render(old []byte) ([]byte, error) {
	var b bytes.Buffer
	if err := templates.ExecuteTemplate(&b, o.template, newTable()); err != nil {
		return nil, err
	}
	if o.begin == "" {
		if strings.HasSuffix(o.path, ".go") {
			return format.Source(b.Bytes())
		}
		return b.Bytes(), nil
	}
	before, rest, ok := strings.Cut(string(old), o.begin)
	if !ok {
		return nil, fmt.Errorf("there is no %q", o.begin)
	}
	_, after, ok := strings.Cut(rest, o.end)
	if !ok {
		return nil, fmt.Errorf("there is no %q after %q", o.end, o.begin)
	}
	return []byte(before + o.begin + b.String() + o.end + after), nil
}
