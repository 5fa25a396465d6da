//go:build unix

package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// TestNamedPipe: every command that reads data opens a named pipe once and reads it to
// its end; bin, which reads twice, refuses it.
func TestNamedPipe(t *testing.T) {
	dir, model := t.TempDir(), smallModel(t)
	out := filepath.Join(dir, "out")
	for _, command := range []string{
		"train --data PIPE --n-estimators 2 --model " + out,
		"train --data DATA --valid PIPE --valid PIPE --n-estimators 2 --model " + out,
		"tune --data PIPE --trials 1 --n-estimators 2 --model " + out,
		"train --data PIPE --n-estimators 2 --init MODEL --model " + out,
		"predict --data PIPE --model MODEL",
		"predict --data PIPE --model MODEL --format csv",
		"eval --data PIPE --model MODEL",
		"explain --data PIPE --model MODEL",
		"calibrate --data PIPE --model MODEL --out " + out,
		"refit --data PIPE --model MODEL --out " + out,
		"plot reliability --data PIPE --model MODEL --out " + out + ".svg",
	} {
		var written []chan error
		for i := range strings.Count(command, "PIPE") {
			pipe := filepath.Join(dir, "pipe"+string(rune('a'+i)))
			os.Remove(pipe)
			if err := unix.Mkfifo(pipe, 0o600); err != nil {
				t.Skip(err)
			}
			command = strings.Replace(command, "PIPE", pipe, 1)
			done := make(chan error, 1)
			written = append(written, done)
			go func() { done <- writeSlowly(pipe, small) }()
		}
		command = strings.NewReplacer("MODEL", model, "DATA", file(t, "small.csv", small)).Replace(command)
		ended := make(chan outcome, 1)
		go func() { ended <- try(strings.Fields(command)...) }()
		select {
		case o := <-ended:
			if o.code != 0 {
				t.Errorf("%s: %+v", command, o)
			}
		case <-time.After(time.Minute):
			t.Fatalf("%s hangs", command)
		}
		for _, done := range written {
			if err := <-done; err != nil {
				t.Errorf("%s: the writer failed: %v", command, err)
			}
		}
	}
	pipe := filepath.Join(dir, "pipea")
	looked := make(chan bool, 1)
	go func() { looked <- isDataset(pipe) || isLarge(pipe) }() // which would wait for a writer, if they opened it
	select {
	case found := <-looked:
		if found {
			t.Error("a pipe is taken for a dataset, or for a large file")
		}
	case <-time.After(time.Minute):
		t.Fatal("a pipe is opened to find out what it is")
	}
	fail(t, exitUsage, []string{"cannot be read twice"}, "bin", "--data", pipe, "--out", out)
}

// writeSlowly writes a text to a pipe that exists, a line at a time, so that a reader
// who opens the pipe twice makes it fail.
func writeSlowly(pipe, text string) error {
	f, err := os.OpenFile(pipe, os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	for line := range strings.Lines(text) {
		if _, err := f.WriteString(line); err != nil {
			f.Close()
			return err
		}
		time.Sleep(time.Millisecond)
	}
	return f.Close()
}
