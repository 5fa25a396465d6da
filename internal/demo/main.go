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
	args := []string{"train", "--data", train, "--valid", test, "--trees", "1500", "--model", filepath.Join(folder, "letter.aoso"), "--json"}
	fmt.Printf("%s %s\n\n", aoso, strings.Join(args, " "))
	var out bytes.Buffer
	c := exec.Command(aoso, args...)
	c.Stdout, c.Stderr = &out, struct{ io.Writer }{os.Stdout} // hides the terminal, so that progress is printed as lines
	if err := c.Run(); err != nil {
		return fmt.Errorf("%s: %w", aoso, err)
	}
	var result struct {
		Trees       int     `json:"trees"`
		ValidErrors int     `json:"valid_errors"`
		Seconds     float64 `json:"seconds"`
		Threads     int     `json:"threads"`
		Level       string  `json:"level"`
		Model       string  `json:"model"`
	}
	if err := json.Unmarshal(out.Bytes(), &result); err != nil {
		return err
	}
	fmt.Printf("\n%.1f ms per tree on %d threads (%s kernels)\n\n", 1000*result.Seconds/float64(result.Trees), result.Threads, result.Level)
	fmt.Printf("errors in %d rows   here   %4d   after %d trees, four class pairs per node\n", testRows, result.ValidErrors, result.Trees)
	fmt.Printf("                      paper    92   AOSO-LogitBoost at convergence (thousands of trees)\n")
	fmt.Printf("                      paper    89   ABC-LogitBoost at convergence\n\n")
	fmt.Printf("To see which features separate which letters:  %s info --model %s\n", aoso, result.Model)
	return nil
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
