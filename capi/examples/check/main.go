// Command check builds and runs the examples in capi/examples, the tests of
// aoso.hpp and the snippets in docs/c-api.md, docs/constraints.md and README.md with an installed library: some of them, drawn
// by the day, or all with AOSO_TESTS=long. Run it with make test-examples.
//
//	go run ./capi/examples/check FOLDER
//
// The library must be installed in FOLDER/prefix. The builds go to FOLDER too.
package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/libaoso/aoso/tools/cases"
)

const (
	examples = "capi/examples"
	headers  = "capi/include/aoso/*.h"
	hpps     = "capi/include/aoso/*.hpp"
	chapter  = "docs/c-api.md"

	warnings = "-O1 -Wall -Wextra -Wpedantic -Werror"
	hppFlags = warnings + " -Wshadow -Wconversion"

	timeout = 3 * time.Minute // for one command, on a busy machine
)

// job is a check that runs in its own folder.
type job struct {
	name string
	run  func(dir string) error
}

// compiler has the names of a C and a C++ compiler.
type compiler struct{ c, cpp string }

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: check FOLDER")
		os.Exit(2)
	}
	if err := check(os.Args[1]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func check(folder string) error {
	folder, err := filepath.Abs(folder)
	if err != nil {
		return err
	}
	compilers := []compiler{{"gcc", "g++"}}
	if present("clang") && present("clang++") {
		compilers = append(compilers, compiler{"clang", "clang++"})
	}
	prefix := filepath.Join(folder, "prefix")
	seed, err := cases.Today()
	if err != nil {
		return err
	}
	jobs := append(cases.Draw(seed, "builds", 2, exampleJobs(compilers, prefix)), languageJobs(prefix)...)
	all, err := snippetJobs(prefix)
	if err != nil {
		return err
	}
	snippets := cases.Draw(seed, "snippets", 25, all)
	start := time.Now()
	if err := runAll(append(jobs, snippets...), folder); err != nil {
		return err
	}
	fmt.Printf("examples: %d builds and %d of %d snippets passed in %.0f s\n", len(jobs), len(snippets), len(all), time.Since(start).Seconds())
	return nil
}

// runAll runs the jobs, one per core at a time.
func runAll(jobs []job, folder string) error {
	var wg sync.WaitGroup
	errs := make([]error, len(jobs))
	slots := make(chan struct{}, runtime.NumCPU())
	for i, j := range jobs {
		slots <- struct{}{}
		wg.Go(func() {
			defer func() { <-slots }()
			dir := filepath.Join(folder, strings.NewReplacer(" ", "_", "/", "_").Replace(j.name))
			err := os.MkdirAll(dir, 0o777)
			if err == nil {
				err = j.run(dir)
			}
			if err != nil {
				errs[i] = fmt.Errorf("%s (in %s): %w", j.name, dir, err)
			}
		})
	}
	wg.Wait()
	failed := 0
	for _, err := range errs {
		if err != nil {
			failed++
			fmt.Fprintln(os.Stderr, err)
		}
	}
	if failed > 0 {
		return fmt.Errorf("examples: %d of %d jobs failed", failed, len(jobs))
	}
	return nil
}

// exampleJobs returns jobs that build and run the examples with every compiler and
// both kinds of library, through pkg-config and through CMake.
func exampleJobs(compilers []compiler, prefix string) []job {
	var jobs []job
	var outputs outputs
	for _, cc := range compilers {
		for _, static := range []bool{false, true} {
			kind, std := "shared", [2]string{"c11", "c++20"}
			if static {
				kind, std = "static", [2]string{"c99", "c++17"}
			}
			jobs = append(jobs, job{strings.Join([]string{"pkg-config", cc.c, std[0], std[1], kind}, " "), func(dir string) error {
				args := []string{"-s", "-f", absolute(examples, "Makefile"), "CC=" + cc.c, "CXX=" + cc.cpp,
					"CFLAGS=-std=" + std[0] + " " + warnings, "CXXFLAGS=-std=" + std[1] + " " + hppFlags, "all", "test_hpp_cpp"}
				if static {
					args = append(args, "STATIC=1")
				}
				if _, err := run(dir, prefix, false, "make", args...); err != nil {
					return err
				}
				if err := outputs.check(dir, prefix, static); err != nil {
					return err
				}
				_, err := run(dir, prefix, !static, "./test_hpp_cpp")
				return err
			}})
			jobs = append(jobs, job{"cmake " + cc.c + " " + kind, func(dir string) error {
				_, err := run(dir, prefix, false, "cmake", "-S", absolute(examples), "-B", ".", "-DCMAKE_PREFIX_PATH="+prefix,
					"-DCMAKE_C_COMPILER="+cc.c, "-DCMAKE_CXX_COMPILER="+cc.cpp, "-DCMAKE_C_FLAGS="+warnings,
					"-DCMAKE_CXX_FLAGS="+hppFlags, "-DSTATIC="+strconv.FormatBool(static))
				if err == nil {
					_, err = run(dir, prefix, false, "cmake", "--build", ".")
				}
				if err == nil {
					err = outputs.check(dir, prefix, static)
				}
				return err
			}})
		}
	}
	return jobs
}

// outputs holds what the first build of each example printed. All builds must print
// the same.
type outputs struct {
	sync.Mutex
	first map[string]string
}

// Each example must print its text in wanted, and an accuracy.
var (
	wanted = map[string]string{
		"train_predict": "saved and loaded: the same",
		"server":        "answers that differ from the batch prediction: 0",
	}
	accuracy = regexp.MustCompile(`(?m)^accuracy (\d\.\d+)$`)
)

const minAccuracy = 0.9

// check runs the examples that were built in dir.
func (o *outputs) check(dir, prefix string, static bool) error {
	for _, program := range []string{"train_predict", "train_predict_cpp", "server"} {
		out, err := run(dir, prefix, !static, "./"+program)
		if err != nil {
			return err
		}
		kind := strings.TrimSuffix(program, "_cpp") // C and C++ print the same
		if !strings.Contains(out, wanted[kind]) {
			return fmt.Errorf("%s does not print %q:\n%s", program, wanted[kind], out)
		}
		m := accuracy.FindStringSubmatch(out)
		if m == nil {
			return fmt.Errorf("%s does not print the accuracy:\n%s", program, out)
		}
		if a, err := strconv.ParseFloat(m[1], 64); err != nil || a < minAccuracy {
			return fmt.Errorf("%s: accuracy %s, want at least %g", program, m[1], minAccuracy)
		}
		if first := o.compare(kind, out); first != out {
			return fmt.Errorf("%s prints\n%sbut another build printed\n%s", program, out, first)
		}
	}
	return nil
}

func (o *outputs) compare(program, out string) string {
	o.Lock()
	defer o.Unlock()
	if o.first == nil {
		o.first = map[string]string{}
	}
	if _, ok := o.first[program]; !ok {
		o.first[program] = out
	}
	return o.first[program]
}

// run runs a command in dir and returns its output. pkg-config finds aoso in prefix.
// The shared library is on the library path only if shared is true, so that a
// program with the static library cannot load it.
func run(dir, prefix string, shared bool, name string, args ...string) (string, error) {
	ctx, cancel := context.WithTimeout(context.Background(), timeout)
	defer cancel()
	c := exec.CommandContext(ctx, name, args...)
	c.Dir = dir
	c.Env = append(os.Environ(), "PKG_CONFIG_PATH="+filepath.Join(prefix, "lib", "pkgconfig"), "MAKEFLAGS=")
	if shared {
		c.Env = append(c.Env, "LD_LIBRARY_PATH="+filepath.Join(prefix, "lib"))
	}
	var stdout, stderr bytes.Buffer
	c.Stdout, c.Stderr = &stdout, &stderr
	err := c.Run()
	if ctx.Err() != nil {
		err = fmt.Errorf("no result after %s", timeout)
	}
	if err != nil {
		return "", fmt.Errorf("%s: %w\n%s%s", strings.Join(c.Args, " "), err, &stdout, &stderr)
	}
	return stdout.String(), nil
}

func absolute(elements ...string) string {
	path, err := filepath.Abs(filepath.Join(elements...))
	if err != nil {
		panic(err) // the working directory does not exist
	}
	return path
}

func present(program string) bool {
	_, err := exec.LookPath(program)
	return err == nil
}
