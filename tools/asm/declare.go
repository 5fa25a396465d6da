package main

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

var (
	signatureLine = regexp.MustCompile(`(?m)^// func (\w+)\(.*$`)
	jobField      = regexp.MustCompile(`\b([a-z]\w*?)_+[A-Za-z]\w*\b`)
	argsParameter = regexp.MustCompile(`\(a (\*\w+Args)\)$`)
	structLine    = regexp.MustCompile(`(?m)^type (\w+) struct`)
)

// declare returns the Go declarations of the routines of a text, which are in the
// comments above them, functions that call the routine of a level, and the names under which go_asm.h has the offsets of the
// fields of jobs.
func (s source) declare(text string) (string, error) {
	signatures := map[string]string{}
	for _, m := range signatureLine.FindAllStringSubmatch(text, -1) {
		signatures[m[1]] = strings.TrimPrefix(m[0], "// ")
	}
	jobs, err := s.jobs(text)
	if err != nil {
		return "", err
	}
	var b strings.Builder
	fmt.Fprintf(&b, "// Code generated from %s by make asm. DO NOT EDIT.\n\n//go:build !purego\n\npackage aoso\n\n", s.name)
	fmt.Fprintf(&b, "import \"github.com/libaoso/aoso/kernel\"\n\n//lint:file-ignore U1000 go_asm.h has the offsets of fields under these names\n\ntype (\n")
	width := 0
	for _, job := range jobs {
		width = max(width, len(job))
	}
	for _, job := range jobs {
		fmt.Fprintf(&b, "\t%-*s = kernel.%s\n", width, job, exported(job))
	}
	b.WriteString(")\n")
	sections, err := s.sections(text)
	if err != nil {
		return "", err
	}
	for _, section := range sections {
		for _, r := range section.routines {
			signature := signatures[r.name]
			if signature == "" {
				return "", fmt.Errorf("%s:%d: there must be a comment '// func %s(arguments)'", s.name, r.line, r.name)
			}
			fmt.Fprintf(&b, "\n//go:noescape\n%s\n", signature)
		}
	}
	for _, section := range sections {
		for _, r := range section.routines {
			if base, ok := strings.CutSuffix(r.name, s.levels[0]); ok {
				b.WriteString(s.dispatch(base, signatures[r.name]))
			}
		}
	}
	return b.String(), nil
}

// dispatch returns a function that calls the routine of a level. A routine takes
// either a job as it is, and needs none, or a struct of arguments.
func (s source) dispatch(base, signature string) string {
	m := argsParameter.FindStringSubmatch(signature)
	if m == nil {
		return ""
	}
	head := fmt.Sprintf("\nfunc %sLevel(wide bool, a %s) {\n", base, m[1])
	if len(s.levels) == 1 {
		return fmt.Sprintf("%s\t%s%s(a)\n}\n", head, base, s.levels[0])
	}
	return fmt.Sprintf("%s\tif wide {\n\t\t%s%s(a)\n\t} else {\n\t\t%s%s(a)\n\t}\n}\n", head, base, s.levels[0], base, s.levels[1])
}

// jobs returns the structs of package kernel whose fields a text uses, and those
// of the routines' arguments.
func (s source) jobs(text string) (names []string, err error) {
	files, err := filepath.Glob("kernel/*.go")
	if err != nil {
		return nil, err
	}
	structs := map[string]bool{}
	for _, file := range files {
		code, err := os.ReadFile(file)
		if err != nil {
			return nil, err
		}
		for _, m := range structLine.FindAllStringSubmatch(string(code), -1) {
			structs[m[1]] = true
		}
	}
	for _, m := range jobField.FindAllStringSubmatch(text, -1) {
		if structs[exported(m[1])] {
			names = append(names, m[1])
		}
	}
	slices.Sort(names)
	return slices.Compact(names), nil
}
