package main

import (
	"bytes"
	"fmt"
	"os"
	"reflect"
	"regexp"
	"slices"
	"strings"

	"github.com/klauspost/asmfmt"

	"github.com/libaoso/aoso/kernel"
)

// source is an assembly file. The names of its routines end in a level, unless
// they serve all levels.
type source struct {
	name   string
	levels []string
}

var sources = []source{
	{"kernel_amd64.s", []string{"AVX512", "AVX2"}},
	{"kernel_arm64.s", []string{"NEON"}},
}

// generate returns everything that is generated in or from a text: the text with
// its regions written again and formatted, and the Go declarations of its routines.
func (s source) generate(text string) (generated, declarations string, err error) {
	if generated, err = s.writeFamilies(text); err != nil {
		return "", "", err
	}
	formatted, err := asmfmt.Format(strings.NewReader(generated))
	if err != nil {
		return "", "", fmt.Errorf("%s: %w", s.name, err)
	}
	generated = keepWords(string(bytes.TrimRight(formatted, "\n"))+"\n", text)
	// Twice: the first contents may move the lines that they name.
	for range 2 {
		sections, err := s.sections(generated)
		if err != nil {
			return "", "", err
		}
		generated = replaceRegion(generated, "contents", s.contents(sections))
	}
	declarations, err = s.declare(generated)
	return generated, declarations, err
}

// A region is everything between two comments.
var region = regexp.MustCompile(`(?ms)^(// begin generated: (\w+)\n)(.*?)(^// end generated$)`)

func replaceRegion(text, name, with string) string {
	return region.ReplaceAllStringFunc(text, func(old string) string {
		m := region.FindStringSubmatch(old)
		if m[2] != name {
			return old
		}
		return m[1] + with + m[4]
	})
}

// section is a part of a file: the routines of one kernel.
type section struct {
	kernel   string
	line     int
	routines []routineAt
}

type routineAt struct {
	name string
	line int
}

var (
	dashes      = strings.Repeat("-", 75)
	headingLine = regexp.MustCompile(`^// (\w+)`)
	textLine    = regexp.MustCompile(`^TEXT ·(\w+)\(SB\)`)
)

// sections finds the sections of a text and reports what is out of order. All
// headings that name the same kernel belong to one section.
func (s source) sections(text string) (sections []section, err error) {
	order := kernels()
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		at := fmt.Sprintf("%s:%d", s.name, i+1)
		if code, _, _ := strings.Cut(line, "//"); strings.Contains(code, "(PC)") {
			return nil, fmt.Errorf("%s: jump to a label, not over a number of instructions", at)
		}
		if line == "// "+dashes {
			kernel := headingLine.FindStringSubmatch(lines[i+1])
			switch {
			case kernel == nil || !slices.Contains(order, kernel[1]):
				return nil, fmt.Errorf("%s: %q must begin with a kernel: %s", at, lines[i+1], strings.Join(order, ", "))
			case len(sections) > 0 && slices.Index(order, kernel[1]) < slices.Index(order, sections[len(sections)-1].kernel):
				return nil, fmt.Errorf("%s: %s must come before %s, as in kernel.Funcs", at, kernel[1], sections[len(sections)-1].kernel)
			case len(sections) == 0 || sections[len(sections)-1].kernel != kernel[1]:
				sections = append(sections, section{kernel: kernel[1], line: i + 1})
			}
		}
		if m := textLine.FindStringSubmatch(line); m != nil {
			if len(sections) == 0 || !strings.HasPrefix(m[1], unexported(sections[len(sections)-1].kernel)) {
				return nil, fmt.Errorf("%s: %s must stand in the section of its kernel, and begin with its name", at, m[1])
			}
			last := &sections[len(sections)-1]
			last.routines = append(last.routines, routineAt{m[1], i + 1})
		}
	}
	return sections, nil
}

// contents returns a table of the kernels, with the line of the first routine of
// each level.
func (s source) contents(sections []section) string {
	var table strings.Builder
	fmt.Fprintf(&table, "//\n//\t%-10s  section", "kernel")
	for _, level := range s.levels {
		fmt.Fprintf(&table, "%8s", level)
	}
	missing := kernels()
	for _, section := range sections {
		fmt.Fprintf(&table, "\n//\t%-10s  %7d", section.kernel, section.line)
		for _, level := range s.levels {
			fmt.Fprintf(&table, "%8d", section.first(level, s.levels))
		}
		missing = slices.DeleteFunc(missing, func(kernel string) bool { return kernel == section.kernel })
	}
	if len(missing) > 0 {
		fmt.Fprintf(&table, "\n//\n// Plain Go: %s.", strings.Join(missing, ", "))
	}
	return table.String() + "\n//\n"
}

// first returns the line of the first routine of a level. Routines of no level
// serve a level that has none of its own.
func (s section) first(level string, levels []string) int {
	for _, r := range s.routines {
		if strings.HasSuffix(r.name, level) {
			return r.line
		}
	}
	for _, r := range s.routines {
		if !slices.ContainsFunc(levels, func(l string) bool { return strings.HasSuffix(r.name, l) }) {
			return r.line
		}
	}
	return 0
}

// kernels returns the names of all kernels, in the order of kernel.Funcs.
func kernels() (names []string) {
	t := reflect.TypeFor[kernel.Funcs]()
	for i := range t.NumField() {
		if f := t.Field(i); f.Type.Kind() == reflect.Func {
			names = append(names, f.Name)
		}
	}
	return names
}

func unexported(name string) string { return strings.ToLower(name[:1]) + name[1:] }

func exported(name string) string { return strings.ToUpper(name[:1]) + name[1:] }

// declarationsFile returns the Go file that declares the routines of a source.
func (s source) declarationsFile() string {
	return "kernel_gen_" + strings.TrimPrefix(strings.TrimSuffix(s.name, ".s"), "kernel_") + ".go"
}

// writeSources writes everything that is generated, except for words that no
// text had before.
func writeSources() error {
	for _, s := range sources {
		text, err := os.ReadFile(s.name)
		if err != nil {
			return err
		}
		generated, declarations, err := s.generate(string(text))
		if err != nil {
			return err
		}
		if err := os.WriteFile(s.name, []byte(generated), 0o644); err != nil {
			return err
		}
		if err := os.WriteFile(s.declarationsFile(), []byte(declarations), 0o644); err != nil {
			return err
		}
	}
	return nil
}

// checkSources fails if writeSources would change a file.
func checkSources() error {
	for _, s := range sources {
		text, err := os.ReadFile(s.name)
		if err != nil {
			return err
		}
		if err := s.check(string(text)); err != nil {
			return err
		}
	}
	return nil
}

func (s source) check(text string) error {
	generated, declarations, err := s.generate(text)
	if err != nil {
		return err
	}
	declared, err := os.ReadFile(s.declarationsFile())
	if err != nil {
		return err
	}
	if err := sameLines(s.name, text, generated); err != nil {
		return err
	}
	return sameLines(s.declarationsFile(), string(declared), declarations)
}

func sameLines(name, got, want string) error {
	gotLines, wantLines := strings.Split(got, "\n"), strings.Split(want, "\n")
	for i := range min(len(gotLines), len(wantLines)) {
		if gotLines[i] != wantLines[i] {
			return fmt.Errorf("%s:%d: %q, but make asm writes %q", name, i+1, gotLines[i], wantLines[i])
		}
	}
	if len(gotLines) != len(wantLines) {
		return fmt.Errorf("%s has %d lines, but make asm writes %d", name, len(gotLines), len(wantLines))
	}
	return nil
}
