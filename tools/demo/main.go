// Command demo trains on the Letter data with the command line. It uses the
// usual split: the first 16,000 rows for training and the last 4,000 for
// testing.
package main

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"io"
	"log"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

const testRows = 4000

func main() {
	log.SetFlags(0)
	if len(os.Args) != 4 {
		log.Fatal("usage: demo AOSO LETTER.CSV.GZ FOLDER")
	}
	if err := demo(os.Args[1], os.Args[2], os.Args[3]); err != nil {
		log.Fatal("demo: ", err)
	}
}

// demo splits a data file and trains on it with the command aoso. It writes its
// files to folder.
func demo(aoso, data, folder string) error {
	train, test, err := split(data, folder)
	if err != nil {
		return err
	}
	fmt.Print("Letter: images of the letters A to Z, 16 features; 16,000 rows to train on, 4,000 to test on.\n\n")
	model := filepath.Join(folder, "letter.aoso")
	var training struct {
		Trees   int     `json:"trees"`
		Seconds float64 `json:"seconds"`
		Threads int     `json:"threads"`
		Level   string  `json:"level"`
	}
	if err := run(&training, aoso, "train", "--data", train, "--model", model, "--json"); err != nil {
		return err
	}
	var result struct {
		Errors  int     `json:"errors"`
		LogLoss float64 `json:"logloss"`
	}
	if err := run(&result, aoso, "eval", "--model", model, "--data", test, "--json"); err != nil {
		return err
	}
	fmt.Printf("%.1f seconds on %d threads (%s kernels)\n\n", training.Seconds, training.Threads, training.Level)
	fmt.Printf("errors in %d rows   here   %4d   after %d trees; log loss %.4f\n", testRows, result.Errors, training.Trees, result.LogLoss)
	fmt.Printf("                      paper    92   AOSO-LogitBoost at convergence (thousands of trees)\n")
	fmt.Printf("                      paper    89   ABC-LogitBoost at convergence\n\n")
	fmt.Printf("To see which features separate which letters:  %s info --model %s\n", aoso, model)
	return nil
}

// run runs the command aoso and reads the line of JSON that it prints.
func run(result any, aoso string, args ...string) error {
	fmt.Printf("%s %s\n\n", aoso, strings.Join(args, " "))
	var out bytes.Buffer
	c := exec.Command(aoso, args...)
	c.Stdout, c.Stderr = &out, struct{ io.Writer }{os.Stdout} // hides the terminal, so that progress is printed as lines
	if err := c.Run(); err != nil {
		return fmt.Errorf("%s: %w", aoso, err)
	}
	fmt.Println()
	return json.Unmarshal(out.Bytes(), result)
}

// split writes the rows of a data file to train.csv and test.csv in folder.
func split(data, folder string) (train, test string, err error) {
	f, err := os.Open(data)
	if err != nil {
		return "", "", err
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		return "", "", err
	}
	content, err := io.ReadAll(z)
	if err != nil {
		return "", "", err
	}
	lines := bytes.SplitAfter(bytes.TrimSpace(content), []byte("\n"))
	if len(lines) < testRows+2 {
		return "", "", fmt.Errorf("%s has only %d rows; the test set needs %d and the training set at least one", data, len(lines)-1, testRows)
	}
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return "", "", err
	}
	header, rows := lines[0], lines[1:]
	write := func(name string, rows [][]byte) (string, error) {
		path := filepath.Join(folder, name)
		return path, os.WriteFile(path, append(header[:len(header):len(header)], bytes.Join(rows, nil)...), 0o644)
	}
	cut := len(rows) - testRows
	if train, err = write("train.csv", rows[:cut]); err == nil {
		test, err = write("test.csv", rows[cut:])
	}
	return train, test, err
}
