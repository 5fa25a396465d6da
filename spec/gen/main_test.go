package main

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"
)

// TestGeneratedFilesAreCurrent: they are what the table makes of them.
func TestGeneratedFilesAreCurrent(t *testing.T) {
	const root = "../.."
	current := map[string][]byte{}
	read := func(path string) ([]byte, error) {
		if text, ok := current[path]; ok {
			return text, nil
		}
		return os.ReadFile(path)
	}
	write := func(path string, text []byte, _ os.FileMode) error {
		current[path] = text
		return nil
	}
	if err := generate(root, read, write); err != nil {
		t.Fatal(err)
	}
	for path, want := range current {
		have, err := os.ReadFile(path)
		if err != nil || !bytes.Equal(have, want) {
			name, _ := filepath.Rel(root, path)
			t.Errorf("%s is not what the table of parameters makes: run make params (%v)", name, err)
		}
	}
}
