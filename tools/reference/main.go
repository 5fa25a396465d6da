// Command reference prints the reference of the Go packages as Markdown, from
// their comments, for the documentation site.
//
//	go run ./tools/reference
//
// It fails if a public name has no comment.
package main

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/doc"
	"go/format"
	"go/parser"
	"go/token"
	"log"
	"os"
	"path/filepath"
	"strings"
)

const module = "github.com/libaoso/aoso"

var folders = []string{".", "columnar"}

func main() {
	log.SetFlags(0)
	text, bare, err := reference(".")
	if err != nil {
		log.Fatal(err)
	}
	if len(bare) > 0 {
		log.Fatalf("no comment explains %s", strings.Join(bare, ", "))
	}
	os.Stdout.Write(text)
}

// page is the reference in the making.
type page struct {
	bytes.Buffer
	files *token.FileSet
	of    *doc.Package
	bare  []string // names without a comment
}

// reference returns the Markdown of all packages below root, and the public names that no comment explains.
func reference(root string) ([]byte, []string, error) {
	var p page
	p.WriteString("# Go reference\n\nEvery public name, as `go doc` shows it. [The Go library](../go.md) is the overview.\n")
	for _, folder := range folders {
		if err := p.pkg(root, folder); err != nil {
			return nil, nil, err
		}
	}
	return p.Bytes(), p.bare, nil
}

// pkg writes the reference of a package.
func (p *page) pkg(root, folder string) error {
	paths, err := filepath.Glob(filepath.Join(root, folder, "*.go"))
	if err != nil {
		return err
	}
	p.files = token.NewFileSet()
	var files []*ast.File
	for _, path := range paths {
		if strings.HasSuffix(path, "_test.go") {
			continue
		}
		file, err := parser.ParseFile(p.files, path, nil, parser.ParseComments)
		if err != nil {
			return err
		}
		files = append(files, file)
	}
	if p.of, err = doc.NewFromFiles(p.files, files, strings.TrimSuffix(module+"/"+folder, "/.")); err != nil {
		return err
	}
	name := p.of.Name
	fmt.Fprintf(p, "\n## Package %s\n\n```go\nimport %q\n```\n\n", name, p.of.ImportPath)
	p.comment(name, p.of.Doc)
	p.values(p.of.Consts)
	p.values(p.of.Vars)
	p.functions(p.of.Funcs)
	for _, t := range p.of.Types {
		fmt.Fprintf(p, "\n### %s.%s\n\n", name, t.Name)
		p.code(t.Decl)
		p.comment(t.Name, t.Doc)
		p.members(t)
		p.values(t.Consts)
		p.values(t.Vars)
		p.functions(t.Funcs)
		p.functions(t.Methods)
	}
	return nil
}

// members notes the public fields and methods in the declaration of a struct or an interface that no comment explains.
func (p *page) members(t *doc.Type) {
	for _, spec := range t.Decl.Specs {
		var fields *ast.FieldList
		switch of := spec.(*ast.TypeSpec).Type.(type) {
		case *ast.StructType:
			fields = of.Fields
		case *ast.InterfaceType:
			fields = of.Methods
		default:
			continue
		}
		for _, field := range fields.List {
			for _, name := range field.Names {
				if name.IsExported() && field.Doc == nil && field.Comment == nil {
					p.bare = append(p.bare, t.Name+"."+name.Name)
				}
			}
		}
	}
}

func (p *page) functions(functions []*doc.Func) {
	for _, f := range functions {
		name := f.Name
		if f.Recv != "" {
			name = strings.TrimPrefix(f.Recv, "*") + "." + name
		}
		fmt.Fprintf(p, "\n#### %s\n\n", name)
		f.Decl.Body = nil
		p.code(f.Decl)
		p.comment(name, f.Doc)
	}
}

// values writes groups of constants or variables. A comment of the group, or one for each name, explains them.
func (p *page) values(groups []*doc.Value) {
	for _, group := range groups {
		p.WriteString("\n")
		p.code(group.Decl)
		if group.Doc != "" {
			p.comment("", group.Doc)
			continue
		}
		for _, s := range group.Decl.Specs {
			if v := s.(*ast.ValueSpec); v.Doc == nil && v.Comment == nil {
				p.bare = append(p.bare, v.Names[0].Name)
			}
		}
	}
}

func (p *page) code(node any) {
	var code bytes.Buffer
	if err := format.Node(&code, p.files, node); err != nil {
		log.Fatal(err)
	}
	fmt.Fprintf(p, "```go\n%s\n```\n\n", code.Bytes())
}

// comment writes what explains a name.
func (p *page) comment(name, text string) {
	if text == "" {
		p.bare = append(p.bare, name)
		return
	}
	printer := p.of.Printer()
	printer.HeadingLevel = 5
	printer.DocLinkBaseURL = "https://pkg.go.dev"
	p.Write(printer.Markdown(p.of.Parser().Parse(text)))
	p.WriteString("\n")
}
