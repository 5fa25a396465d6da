// Command build makes the page that trains in the browser: it compiles the
// library to WebAssembly, and trains natively for the page to compare with.
//
//	go run ./web/build FOLDER
package main

import (
	"encoding/json"
	"fmt"
	"log"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/libaoso/aoso/web/letters"
)

const trees = 100

func main() {
	log.SetFlags(0)
	log.SetPrefix("web: ")
	if len(os.Args) != 2 {
		log.Fatal("usage: go run ./web/build FOLDER")
	}
	if err := build(os.Args[1]); err != nil {
		log.Fatal(err)
	}
}

func build(folder string) error {
	if err := os.RemoveAll(folder); err != nil {
		return err
	}
	if err := os.CopyFS(folder, os.DirFS("web/page")); err != nil {
		return err
	}
	compile := exec.Command("go", "build", "-trimpath", "-ldflags", "-s -w", "-o", filepath.Join(folder, "aoso.wasm"), "./web/wasm")
	compile.Env = append(os.Environ(), "GOOS=js", "GOARCH=wasm", "CGO_ENABLED=0")
	compile.Stderr = os.Stderr
	if err := compile.Run(); err != nil {
		return fmt.Errorf("go build ./web/wasm: %w", err)
	}
	root, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		return err
	}
	for from, to := range map[string]string{
		"testdata/letter.csv.gz": "letter.csv.gz",
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
	return native(folder)
}

// native trains the same model natively.
func native(folder string) error {
	file, err := os.ReadFile("testdata/letter.csv.gz")
	if err != nil {
		return err
	}
	result, err := letters.Train(file, trees, func(letters.Progress) {})
	if err != nil {
		return err
	}
	content, err := json.Marshal(result)
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(folder, "native.json"), content, 0o644)
}
