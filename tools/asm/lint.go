package main

import (
	"encoding/hex"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// lint checks what is generated, and finds two mistakes that make vector code, or its callers, slow. The first
// is an instruction on vector registers without VEX or EVEX encoding: while the
// upper halves of the registers are in use, it costs dozens of cycles on CPUs
// before AVX-512. The second is a return that leaves the upper halves in use.
//
// lint reads the assembler's listing, in which macros are expanded. It checks
// every instruction twice, by its text and by its bytes.
func lint() error {
	if err := checkSources(); err != nil {
		return err
	}
	build := exec.Command("go", "build", "-asmflags=-S", "-o", os.DevNull, ".")
	build.Env = append(os.Environ(), "GOARCH=amd64", "CGO_ENABLED=0")
	listing, err := build.CombinedOutput()
	if err != nil {
		return fmt.Errorf("%s: %w\n%s", strings.Join(build.Args, " "), err, listing)
	}
	routines, err := parseListing(listing)
	if err != nil {
		return err
	}
	instructions, vectors, faults := 0, 0, 0
	for _, r := range routines {
		for _, fault := range r.faults() {
			fmt.Println(fault)
			faults++
		}
		instructions += len(r.instructions)
		if slices.ContainsFunc(r.instructions, instruction.wide) {
			vectors++
		}
	}
	if vectors == 0 {
		return fmt.Errorf("no routine for amd64 uses vectors: the format of the assembler's listing must have changed")
	}
	fmt.Printf("amd64: %d instructions in %d routines, %d of which use wide vectors\n", instructions, len(routines), vectors)
	if faults > 0 {
		return fmt.Errorf("%d faults in vector code", faults)
	}
	return nil
}

// routine is a function in the assembler's listing.
type routine struct {
	name         string
	instructions []instruction
	code         []byte
}

// instruction is an instruction of a routine.
type instruction struct {
	pc       int
	at       string // file:line
	mnemonic string
	operands string
	code     []byte
}

var (
	routineLine     = regexp.MustCompile(`^(\S+) STEXT .* size=(\d+) `)
	instructionLine = regexp.MustCompile(`^\t0x[0-9a-f]+ (\d+) \(([^)]*)\)\t(\S+)\t?(.*)$`)
	bytesLine       = regexp.MustCompile(`^\t0x([0-9a-f]+)((?: [0-9a-f]{2}){1,16})  `)
	pseudo          = []string{"TEXT", "FUNCDATA", "PCDATA", "NOP", "END"}
)

// parseListing reads the output of the assembler's option -S: for each routine
// first the instructions, then the bytes.
func parseListing(listing []byte) (routines []*routine, err error) {
	var r *routine // nil outside a routine
	for line := range strings.SplitSeq(string(listing), "\n") {
		if m := routineLine.FindStringSubmatch(line); m != nil {
			size, _ := strconv.Atoi(m[2])
			r = &routine{name: m[1][strings.LastIndex(m[1], ".")+1:], code: make([]byte, size)}
			routines = append(routines, r)
		} else if !strings.HasPrefix(line, "\t") {
			r = nil
		} else if r == nil {
			continue
		} else if m := instructionLine.FindStringSubmatch(line); m != nil && !slices.Contains(pseudo, m[3]) {
			pc, _ := strconv.Atoi(m[1])
			r.instructions = append(r.instructions, instruction{pc: pc, at: filepath.Base(m[2]), mnemonic: m[3], operands: m[4]})
		} else if m := bytesLine.FindStringSubmatch(line); m != nil {
			at, _ := strconv.ParseInt(m[1], 16, 0)
			b, _ := hex.DecodeString(strings.ReplaceAll(m[2], " ", ""))
			r.code = slices.Replace(r.code, int(at), int(at)+len(b), b...)
		}
	}
	for _, r := range routines {
		end := len(r.code)
		for k := len(r.instructions) - 1; k >= 0; k-- {
			i := &r.instructions[k]
			if i.pc >= end {
				return nil, fmt.Errorf("%s: %s: the listing has no bytes for %s", i.at, r.name, i.mnemonic)
			}
			i.code, end = r.code[i.pc:end], i.pc
		}
	}
	return routines, nil
}

// faults returns a message for each mistake in a routine.
func (r *routine) faults() (faults []string) {
	for _, i := range r.instructions {
		legacy := i.legacyText()
		if legacy != i.legacyCode() {
			faults = append(faults, fmt.Sprintf("%s: %s: %s %s: the text and the code % x disagree about VEX encoding", i.at, r.name, i.mnemonic, i.operands, i.code))
		} else if legacy {
			faults = append(faults, fmt.Sprintf("%s: %s: %s %s has neither VEX nor EVEX encoding", i.at, r.name, i.mnemonic, i.operands))
		}
	}
	returns, err := r.wideReturns()
	if err != nil {
		faults = append(faults, err.Error())
	}
	for _, k := range returns {
		faults = append(faults, fmt.Sprintf("%s: %s returns with Y or Z registers in use: add VZEROUPPER before RET", r.instructions[k].at, r.name))
	}
	return faults
}

// wideReturns returns the indices of the RET instructions that can be reached
// with Y or Z registers in use. It follows every path from the entry.
func (r *routine) wideReturns() ([]int, error) {
	byPC := map[int]int{}
	for k, i := range r.instructions {
		byPC[i.pc] = k
	}
	type state struct {
		at   int // index of the instruction
		wide bool
	}
	seen := map[state]bool{}
	var returns []int
	for next := []state{{0, false}}; len(next) > 0; {
		s := next[len(next)-1]
		next = next[:len(next)-1]
		if seen[s] {
			continue
		}
		seen[s] = true
		if s.at == len(r.instructions) {
			return nil, fmt.Errorf("%s can run past its last instruction", r.name)
		}
		i := r.instructions[s.at]
		after := state{s.at + 1, (s.wide || i.wide()) && i.mnemonic != "VZEROUPPER"}
		switch {
		case i.mnemonic == "RET":
			if s.wide {
				returns = append(returns, s.at)
			}
			continue
		case strings.HasPrefix(i.mnemonic, "J"):
			pc, err := strconv.Atoi(i.operands)
			target, ok := byPC[pc]
			if err != nil || !ok {
				return nil, fmt.Errorf("%s: %s: cannot follow %s %s", i.at, r.name, i.mnemonic, i.operands)
			}
			next = append(next, state{target, after.wide})
			if i.mnemonic == "JMP" {
				continue
			}
		}
		next = append(next, after)
	}
	slices.Sort(returns)
	return returns, nil
}

var (
	vectorRegister = regexp.MustCompile(`(^|[^\w.])[XYZ]\d+($|\W)`)
	wideRegister   = regexp.MustCompile(`(^|[^\w.])[YZ]\d+($|\W)`)
)

// wide reports whether an instruction has an operand of more than 128 bits.
func (i instruction) wide() bool { return wideRegister.MatchString(i.operands) }

// legacyText reports whether the text is that of an SSE instruction. All others
// on vector registers begin with V, or with K for masks.
func (i instruction) legacyText() bool {
	return vectorRegister.MatchString(i.operands) && !strings.HasPrefix(i.mnemonic, "V") && !strings.HasPrefix(i.mnemonic, "K")
}

// legacyCode reports the same from the bytes.
func (i instruction) legacyCode() bool {
	code := i.code
	for len(code) > 0 && strings.IndexByte("\x66\xf2\xf3\x2e\x36\x3e\x26\x64\x65\x67\xf0", code[0]) >= 0 {
		code = code[1:]
	}
	if len(code) > 0 && code[0]&0xf0 == 0x40 { // REX
		code = code[1:]
	}
	if len(code) < 3 || code[0] != 0x0f { // VEX and EVEX have other first bytes
		return false
	}
	in := func(ranges ...byte) bool {
		for k := 0; k < len(ranges); k += 2 {
			if ranges[k] <= code[1] && code[1] <= ranges[k+1] {
				return true
			}
		}
		return false
	}
	if code[1] == 0x38 {
		return code[2] < 0xf0 // from 0xf0 on: MOVBE, CRC32, ADCX
	}
	return in(0x10, 0x17, 0x28, 0x2f, 0x3a, 0x3a, 0x50, 0x76, 0x7c, 0x7f, 0xc2, 0xc2, 0xc4, 0xc6, 0xd0, 0xfe)
}
