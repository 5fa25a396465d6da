package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// TestLint assembles routines with and without mistakes.
func TestLint(t *testing.T) {
	for _, test := range []struct {
		name, body string
		faults     []string // line and a part of each message
	}{
		{"clean", `
			VMOVQ AX, X4
			VPADDQ Y4, Y4, Y4
			KMOVW AX, K1
			VMOVDQU64 Z1, K1, Z2
			VCVTTSD2SIQ X4, AX
			VZEROUPPER
			RET`, nil},
		{"moves to X registers", `
			MOVQ AX, X4
			VPADDQ Y4, Y4, Y4
			MOVQ R11, X8
			MOVL X8, R11
			MOVOU (SI), X15
			PXOR X0, X0
			VZEROUPPER
			RET`, []string{"3: MOVQ", "5: MOVQ", "6: MOVL", "7: MOVOU", "8: PXOR"}},
		{"no VZEROUPPER", `
			VPADDQ Y4, Y4, Y4
			RET`, []string{"4: VZEROUPPER"}},
		{"a path around VZEROUPPER", `
			TESTQ CX, CX
			JZ    done
			VMOVUPS (SI), Z17
			DECQ CX
			JZ   done
			VZEROUPPER
		done:
			RET`, []string{"10: VZEROUPPER"}},
		{"a path around vectors", `
			TESTQ CX, CX
			JZ    done
		loop:
			VMOVUPS (SI), Y1
			DECQ CX
			JNZ  loop
			VZEROUPPER
		done:
			RET`, nil},
		{"a macro and integers", `
			SUM(X1)
			POPCNTL AX, AX
			IMULQ BX, AX
			PREFETCHT0 (SI)
			CMOVQCC AX, BX
			SETNE AX
			BSWAPQ AX
			RET`, []string{"3: ADDSD"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			faults := lintText(t, "#define SUM(X) ADDSD X, X\nTEXT ·f(SB), 4, $0-0"+test.body+"\n")
			if !slices.EqualFunc(faults, test.faults, func(got, want string) bool {
				line, part, _ := strings.Cut(want, ": ")
				return strings.HasPrefix(got, "f.s:"+line+":") && strings.Contains(got, part)
			}) {
				t.Errorf("faults %q, want %q", faults, test.faults)
			}
		})
	}
}

func lintText(t *testing.T, text string) (faults []string) {
	t.Helper()
	dir := t.TempDir()
	file := filepath.Join(dir, "f.s")
	if err := os.WriteFile(file, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	asm := exec.Command("go", "tool", "asm", "-S", "-p", "test", "-o", filepath.Join(dir, "f.o"), file)
	asm.Env = append(os.Environ(), "GOOS=linux", "GOARCH=amd64")
	listing, err := asm.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, listing)
	}
	routines, err := parseListing(listing)
	if err != nil || len(routines) != 1 {
		t.Fatalf("%d routines, error %v", len(routines), err)
	}
	return routines[0].faults()
}
