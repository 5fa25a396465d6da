// Command asm writes and checks the assembly code.
//
// Regions of kernel_amd64.s and kernel_arm64.s are generated, each between the
// comments "begin generated: NAME" and "end generated": the contents, and families
// of routines from the templates in families/. So are the Go declarations of all
// routines, in kernel_gen_*.go. Both assembly files are formatted by asmfmt.
//
// Go's assembler lacks most NEON arithmetic. Such an instruction is written as a
// word, with its text in a comment:
//
//	WORD $0x4e22d420 // fadd v0.4s, v1.4s, v2.4s
//
// Usage, from the module's root:
//
//	go run ./tools/asm write         write what is generated, and encode every word
//	                                 from its comment
//	go run ./tools/asm check         fail if a word does not match its comment
//	go run ./tools/asm lint          fail if write would change a file other than a word,
//	                                 routines are out of order, a jump counts
//	                                 instructions, or vector code for amd64 mixes
//	                                 encodings or returns without VZEROUPPER
//	go run ./tools/asm levels FILE   print the output of BenchmarkKernels with the
//	                                 levels side by side, and mark where AVX2 is slow
//
// The encoder is asm2plan9s, a tool in tools/asm/go.mod, which calls GNU as. It encodes for
// the GOARCH that it was built for, so it is built for arm64 and run under qemu.
// check encodes every comment again from a zero word. It then decodes every word
// with two disassemblers: golang.org/x/arch, which is independent of GNU as but
// does not know all instructions, and objdump.
package main

import (
	"fmt"
	"log"
	"os"
	"os/exec"
	"strings"
)

func main() {
	log.SetFlags(0)
	log.SetPrefix("asm: ")
	const usage = "usage: asm write | check | lint | levels FILE"
	args := append(os.Args[1:], "")
	if mode := args[0]; mode == "" || (mode == "levels") != (len(os.Args) == 3) {
		log.Fatal(usage)
	}
	var err error
	switch args[0] {
	case "write":
		err = write()
	case "check":
		err = check()
	case "lint":
		err = lint()
	case "levels":
		err = compareLevels(args[1])
	default:
		err = fmt.Errorf("unknown mode %q; %s", args[0], usage)
	}
	if err != nil {
		log.Fatal(err)
	}
}

// run runs a command. Its error contains the output of the command.
func run(c *exec.Cmd) error {
	out, err := c.CombinedOutput()
	if err != nil {
		return fmt.Errorf("%s: %w\n%s", strings.Join(c.Args, " "), err, out)
	}
	return nil
}
