// Command fuzz runs every fuzz target for a given time (30s) or number of inputs
// (2000x) and counts the inputs. It must be run in the root of the repository.
package main

import (
	"bufio"
	"fmt"
	"io"
	"io/fs"
	"log"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
)

func main() {
	log.SetFlags(0)
	log.SetPrefix("fuzz: ")
	if len(os.Args) != 2 {
		log.Fatal("usage: fuzz LIMIT, for each target a time such as 30s or a number of inputs such as 2000x")
	}
	targets, err := findTargets(".")
	if err != nil {
		log.Fatal(err)
	}
	sum := 0
	for _, t := range targets {
		executed, err := t.fuzz(os.Args[1])
		if err != nil {
			log.Fatalf("%s in %s: %v (after %d inputs to earlier targets)", t.name, t.folder, err, sum)
		}
		sum += executed
	}
	fmt.Printf("fuzz: %d inputs to %d targets, no failure\n", sum, len(targets))
}

// target is a fuzz function and the folder of its package.
type target struct{ folder, name string }

var declaration = regexp.MustCompile(`(?m)^func (Fuzz\w*)\(`)

func findTargets(root string) (targets []target, err error) {
	err = filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil || !strings.HasSuffix(path, "_test.go") {
			return err
		}
		text, err := os.ReadFile(path)
		for _, match := range declaration.FindAllSubmatch(text, -1) {
			targets = append(targets, target{filepath.Dir(path), string(match[1])})
		}
		return err
	})
	if err == nil && len(targets) == 0 {
		err = fmt.Errorf("no fuzz targets below %s", root)
	}
	return targets, err
}

// executions matches the number of inputs in a target's output. A short run
// prints only the number of its seeds.
var executions = regexp.MustCompile(`(?:execs|baseline coverage): (\d+)`)

// programs caches the compiled test program of each folder.
var programs = map[string]string{}

func compile(folder string) (program string, err error) {
	if program, ok := programs[folder]; ok {
		return program, nil
	}
	if program, err = filepath.Abs(filepath.Join("build", "fuzz", folder, "test")); err != nil {
		return "", err
	}
	programs[folder] = program
	c := exec.Command("go", "test", "-vet=off", "-c", "-fuzz=.", "-o", program, "./"+folder)
	c.Stdout, c.Stderr = os.Stdout, os.Stderr
	return program, c.Run()
}

// fuzz runs the target and returns the number of inputs.
func (t target) fuzz(time string) (executed int, err error) {
	program, err := compile(t.folder)
	if err != nil {
		return 0, err
	}
	fmt.Printf("%s in %s\n", t.name, t.folder)
	c := exec.Command(program, "-test.run=^$", "-test.fuzz=^"+t.name+"$", "-test.fuzztime="+time, "-test.fuzzminimizetime=10x",
		"-test.timeout=0", "-test.fuzzcachedir="+filepath.Join(filepath.Dir(program), "corpus"))
	c.Dir = t.folder
	out, err := c.StdoutPipe()
	if err != nil {
		return 0, err
	}
	c.Stderr = c.Stdout
	if err := c.Start(); err != nil {
		return 0, err
	}
	for lines := bufio.NewScanner(io.TeeReader(out, os.Stdout)); lines.Scan(); {
		if match := executions.FindStringSubmatch(lines.Text()); match != nil {
			executed, _ = strconv.Atoi(match[1])
		}
	}
	if err := c.Wait(); err != nil {
		return executed, err
	}
	if executed == 0 {
		return 0, fmt.Errorf("the test program did not report how many inputs it ran")
	}
	return executed, nil
}
