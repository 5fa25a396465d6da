package main

import (
	"embed"
	"fmt"
	"path"
	"strings"
	"text/template"
)

// A family is a group of routines and macros that differ by the width of vectors
// or by the number of vectors. Its template is families/ARCHITECTURE/REGION.tmpl.
//
//go:embed families/*/*.tmpl
var families embed.FS

// level has the registers of a level for amd64.
type level struct {
	Name, Title string
	R           string // what vector registers begin with
	Registers   int
	Doubles     int    // in a vector
	Pairs       int    // of registers that are free for temporaries of Totals
	CrossP      int    // the first register after the sums of Cross
	Store       string // 32-bit integers
	Xor         string // integers
}

var levels = []level{
	{"AVX512", "AVX-512", "Z", 32, 8, 4, 16, "VMOVDQU32", "VPXORQ"},
	{"AVX2", "AVX2", "Y", 16, 4, 2, 8, "VMOVDQU", "VPXOR"},
}

// Bytes returns the size of a vector.
func (l level) Bytes() int { return 8 * l.Doubles }

// Last returns one of the last four registers.
func (l level) Last(i int) string { return fmt.Sprint(l.R, l.Registers-4+i) }

// Half returns the lower half of one of the last four registers.
func (l level) Half(i int) string {
	return strings.NewReplacer("Y", "X", "Z", "Y").Replace(l.Last(i))
}

// HalfR returns what the lower halves of vector registers begin with.
func (l level) HalfR() string { return l.Half(0)[:1] }

// Exp returns a constant of the exponential function: a register, or memory.
func (l level) Exp(i int) string {
	if l.Registers == 32 {
		return fmt.Sprint("Z", 14+i)
	}
	return fmt.Sprintf("EXP_LANES(%d)", i)
}

var familyFuncs = template.FuncMap{
	"levels": func() []level { return levels },
	"dashes": func() string { return dashes },
	"add":    func(a, b int) int { return a + b },
	"sub":    func(a, b int) int { return a - b },
	"mul":    func(a, b int) int { return a * b },
	"div":    func(a, b int) int { return a / b },
	"mod":    func(a, b int) int { return a % b },
	"list":   func(list ...any) []any { return list },
	// at returns an address: an offset, which may be zero, from a register.
	"at": func(offset int, register string) string {
		if offset == 0 {
			return "(" + register + ")"
		}
		return fmt.Sprintf("%d(%s)", offset, register)
	},
}

// writeFamilies returns a text with the regions of all families written again. The
// words of instructions that Go's assembler lacks are zero.
func (s source) writeFamilies(text string) (string, error) {
	folder := "families/" + strings.TrimPrefix(strings.TrimSuffix(s.name, ".s"), "kernel_")
	files, err := families.ReadDir(folder)
	if err != nil {
		return "", err
	}
	for _, file := range files {
		name := strings.TrimSuffix(file.Name(), ".tmpl")
		if !strings.Contains(text, "// begin generated: "+name+"\n") {
			return "", fmt.Errorf("%s has no region %q", s.name, name)
		}
		family, err := template.New(file.Name()).Funcs(familyFuncs).ParseFS(families, path.Join(folder, file.Name()))
		if err != nil {
			return "", err
		}
		var code strings.Builder
		if err := family.Execute(&code, nil); err != nil {
			return "", err
		}
		text = replaceRegion(text, name, strings.TrimSpace(code.String())+"\n")
	}
	for _, m := range region.FindAllStringSubmatch(text, -1) {
		if _, err := families.ReadFile(path.Join(folder, m[2]+".tmpl")); err != nil && m[2] != "contents" {
			return "", fmt.Errorf("%s: region %q has no template", s.name, m[2])
		}
	}
	return text, nil
}
