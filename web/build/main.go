// Command build makes the page that trains in the browser: it compiles the library to WebAssembly, and trains on the Letter data with the
// command for the page to compare with.
//
//	go run ./web/build FOLDER COMMAND
package main

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"log"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

const letters = "testdata/letter.csv.gz"

func main() {
	log.SetFlags(0)
	log.SetPrefix("web: ")
	if len(os.Args) != 3 {
		log.Fatal("usage: go run ./web/build FOLDER COMMAND")
	}
	if err := build(os.Args[1], os.Args[2]); err != nil {
		log.Fatal(err)
	}
}

func build(folder, command string) error {
	if err := os.RemoveAll(folder); err != nil {
		return err
	}
	if err := os.CopyFS(folder, os.DirFS("web/page")); err != nil {
		return err
	}
	compile := exec.Command("go", "build", "-trimpath", "-buildmode=default", "-ldflags", "-s -w", "-o", filepath.Join(folder, "aoso.wasm"), "./cmd/aoso/internal/page/wasm")
	compile.Env = append(os.Environ(), "GOOS=js", "GOARCH=wasm", "CGO_ENABLED=0")
	compile.Stderr = os.Stderr
	if err := compile.Run(); err != nil {
		return fmt.Errorf("go build ./cmd/aoso/internal/page/wasm: %w", err)
	}
	root, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		return err
	}
	for from, to := range map[string]string{
		letters: "letter.csv.gz",
		filepath.Join(strings.TrimSpace(string(root)), "lib/wasm/wasm_exec.js"): "wasm_exec.js",
		"LICENSE": "LICENSE.txt", "THIRD_PARTY_NOTICES": "THIRD_PARTY_NOTICES.txt",
	} {
		content, err := os.ReadFile(from)
		if err != nil {
			return err
		}
		if err := os.WriteFile(filepath.Join(folder, to), content, 0o644); err != nil {
			return err
		}
	}
	return native(folder, command)
}

// native trains on the first 16,000 letters, as the example of the page does, and stores what the command prints.
func native(folder, command string) error {
	packed, err := os.ReadFile(letters)
	if err != nil {
		return err
	}
	r, err := gzip.NewReader(bytes.NewReader(packed))
	if err != nil {
		return err
	}
	text, err := io.ReadAll(r)
	if err != nil {
		return err
	}
	lines := bytes.SplitAfter(text, []byte("\n"))
	temporary, err := os.MkdirTemp("", "web")
	if err != nil {
		return err
	}
	defer os.RemoveAll(temporary)
	const data = "letter.train.csv"
	if err := os.WriteFile(filepath.Join(temporary, data), bytes.Join(lines[:16_001], nil), 0o644); err != nil {
		return err
	}
	if command, err = filepath.Abs(command); err != nil {
		return err
	}
	train := exec.Command(command, "train", "--json", "--quiet", "--data", data, "--label", "letter",
		"--n-estimators", "100", "--calibration", "none", "--model", "letter.aoso")
	train.Dir, train.Stderr = temporary, os.Stderr
	result, err := train.Output()
	if err != nil {
		return fmt.Errorf("%s: %w", train, err)
	}
	return os.WriteFile(filepath.Join(folder, "native.json"), result, 0o644)
}
