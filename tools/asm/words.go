package main

import (
	"encoding/binary"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"

	"golang.org/x/arch/arm64/arm64asm"
)

const (
	wordSource = "kernel_arm64.s"
	encoder    = "github.com/minio/asm2plan9s"
	zero       = "00000000"
)

// prefix is what Debian prepends to the names of the cross binutils.
const prefix = "aarch64-linux-gnu-"

// wordLine matches a line with a word: the code before it, eight digits, the backslash of a macro, the text.
var wordLine = regexp.MustCompile(`(?m)^([^/\n]*\bWORD\s+\$0x)([0-9a-f]{8})(\s*\\?\s*// )(\S.*)$`)

// write writes everything that is generated.
func write() error {
	if err := writeSources(); err != nil {
		return err
	}
	text, words, encoded, err := encodeSource()
	if err != nil {
		return err
	}
	fmt.Printf("%s: %d words written\n", wordSource, len(words))
	return os.WriteFile(wordSource, []byte(replaceWords(text, encoded)), 0o644)
}

func check() error {
	text, words, encoded, err := encodeSource()
	if err != nil {
		return err
	}
	wrong := 0
	for i, w := range words {
		if w.hex != encoded[i] {
			fmt.Printf("%s:%d: %s is encoded %s, want %s\n", wordSource, w.line, w.instruction, w.hex, encoded[i])
			wrong++
		}
	}
	if wrong == 0 && replaceWords(text, encoded) != text {
		return fmt.Errorf("%s: writing the same words changes the file", wordSource)
	}
	byArch, byObjdump, err := decode(words)
	if err != nil {
		return err
	}
	fmt.Printf("%s: %d words encoded again and decoded: %d by golang.org/x/arch, %d by objdump, %d by objdump only\n",
		wordSource, len(words), byArch, byArch+byObjdump, byObjdump)
	if wrong > 0 {
		return fmt.Errorf("%d words do not match their comments: correct the comments or run make asm", wrong)
	}
	return nil
}

// encodeSource encodes the words of the source again.
func encodeSource() (text string, words []word, encoded []string, err error) {
	if text, words, err = readWords(); err == nil {
		encoded, err = encode(words)
	}
	return text, words, encoded, err
}

// word is one hand-encoded instruction of the source.
type word struct {
	line             int
	hex, instruction string
}

func readWords() (text string, words []word, err error) {
	raw, err := os.ReadFile(wordSource)
	if err != nil {
		return "", nil, err
	}
	text = string(raw)
	for i, line := range strings.Split(text, "\n") {
		code, _, _ := strings.Cut(line, "//")
		m := wordLine.FindStringSubmatch(line)
		if m == nil && strings.Contains(code, "WORD") || strings.Count(code, "WORD") > 1 {
			return "", nil, fmt.Errorf("%s:%d: line %q must have the form 'WORD $0x%s // instruction'", wordSource, i+1, line, zero)
		}
		if m != nil {
			words = append(words, word{i + 1, m[2], m[4]})
		}
	}
	if len(words) == 0 {
		return "", nil, fmt.Errorf("%s has no WORD lines", wordSource)
	}
	return text, words, nil
}

func replaceWords(text string, hex []string) string {
	i := -1
	return wordLine.ReplaceAllStringFunc(text, func(line string) string {
		i++
		m := wordLine.FindStringSubmatch(line)
		return m[1] + hex[i] + m[3] + m[4]
	})
}

// keepWords returns a text with the words that the same instructions have in
// another.
func keepWords(text, other string) string {
	words := map[string]string{}
	for _, m := range wordLine.FindAllStringSubmatch(other, -1) {
		words[m[4]] = m[2]
	}
	return wordLine.ReplaceAllStringFunc(text, func(line string) string {
		m := wordLine.FindStringSubmatch(line)
		if word := words[m[4]]; m[2] == zero && word != "" {
			m[2] = word
		}
		return m[1] + m[2] + m[3] + m[4]
	})
}

// encode has asm2plan9s encode the instructions. It writes them to a file of
// their own, each after a zero word: asm2plan9s recognizes an instruction by the
// column of its comment and changes the tabs of all other lines.
func encode(words []word) (hex []string, err error) {
	dir, err := os.MkdirTemp("", "asm")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)

	tool, file := filepath.Join(dir, "asm2plan9s"), filepath.Join(dir, "words.s")
	build := exec.Command("go", "build", "-o", tool, encoder)
	build.Env = append(os.Environ(), "GOFLAGS=", "GOOS=linux", "GOARCH=arm64", "CGO_ENABLED=0")
	if err := run(build); err != nil {
		return nil, err
	}

	// asm2plan9s calls "as". It must find the one for arm64, and must not find yasm.
	as, err := exec.LookPath(prefix + "as")
	if err != nil {
		return nil, err
	}
	path := filepath.Join(dir, "path")
	if err := os.Mkdir(path, 0o755); err != nil {
		return nil, err
	}
	if err := os.Symlink(as, filepath.Join(path, "as")); err != nil {
		return nil, err
	}

	var zeroed strings.Builder
	for _, w := range words {
		fmt.Fprintf(&zeroed, "\tWORD $0x%s // %s\n", zero, w.instruction)
	}
	if err := os.WriteFile(file, []byte(zeroed.String()), 0o644); err != nil {
		return nil, err
	}
	assemble := exec.Command("qemu-aarch64-static", tool, file)
	assemble.Env = append(os.Environ(), "PATH="+path, "TMPDIR="+dir)
	if err := run(assemble); err != nil {
		return nil, err
	}

	out, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	lines := strings.Split(strings.TrimSuffix(string(out), "\n"), "\n")
	if len(lines) != len(words) {
		return nil, fmt.Errorf("asm2plan9s returned %d of %d lines", len(lines), len(words))
	}
	for i, line := range lines {
		m := wordLine.FindStringSubmatch(line)
		if m == nil || m[4] != words[i].instruction || m[2] == zero {
			return nil, fmt.Errorf("asm2plan9s returned %q for %q", line, words[i].instruction)
		}
		hex = append(hex, m[2])
	}
	return hex, nil
}

// decode disassembles the words with two programs and compares the results with
// the comments.
func decode(words []word) (byArch, byObjdump int, err error) {
	code := make([]byte, 0, 4*len(words))
	for _, w := range words {
		bits, err := strconv.ParseUint(w.hex, 16, 32)
		if err != nil {
			return 0, 0, err
		}
		code = binary.LittleEndian.AppendUint32(code, uint32(bits))
	}
	texts, err := objdump(code)
	if err != nil {
		return 0, 0, err
	}
	if len(texts) != len(words) {
		return 0, 0, fmt.Errorf("objdump returned %d of %d instructions", len(texts), len(words))
	}

	wrong := 0
	compare := func(decoder, got string, w word) {
		if normalize(got) != normalize(w.instruction) {
			fmt.Printf("%s:%d: %s decodes %s as %s, want %s\n", wordSource, w.line, decoder, w.hex, got, w.instruction)
			wrong++
		}
	}
	for i, w := range words {
		compare("objdump", texts[i], w)
		inst, err := arm64asm.Decode(code[4*i:])
		if err != nil {
			byObjdump++
			continue
		}
		compare("golang.org/x/arch", arm64asm.GNUSyntax(inst), w)
		byArch++
	}
	if wrong > 0 {
		return 0, 0, fmt.Errorf("%d decoded words do not match their comments", wrong)
	}
	return byArch, byObjdump, nil
}

// objdump disassembles raw code.
func objdump(code []byte) (instructions []string, err error) {
	file, err := os.CreateTemp("", "asm")
	if err != nil {
		return nil, err
	}
	defer os.Remove(file.Name())
	defer file.Close()
	if _, err := file.Write(code); err != nil {
		return nil, err
	}
	out, err := exec.Command(prefix+"objdump", "-D", "-b", "binary", "-m", "aarch64",
		"--no-show-raw-insn", "--disassemble-zeroes", file.Name()).Output()
	if err != nil {
		return nil, fmt.Errorf("objdump: %w", err)
	}
	for _, m := range regexp.MustCompile(`(?m)^ +[0-9a-f]+:\t(.*)$`).FindAllStringSubmatch(string(out), -1) {
		instructions = append(instructions, m[1])
	}
	return instructions, nil
}

// normalize makes two spellings of one instruction equal.
func normalize(instruction string) string {
	return strings.Join(strings.Fields(strings.ToLower(strings.ReplaceAll(instruction, ",", ", "))), " ")
}
