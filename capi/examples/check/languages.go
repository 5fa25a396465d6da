package main

import (
	"fmt"
	"os"
	"strings"
)

// languageJobs returns jobs that run the examples in other languages than C and
// C++, which call the installed library. It says which languages are missing.
func languageJobs(prefix string) []job {
	var jobs []job
	for _, l := range []struct {
		name, program string
		run           func(dir string) (string, error)
	}{
		{"node", "npm", func(dir string) (string, error) {
			if err := os.CopyFS(dir, os.DirFS(absolute(examples, "node"))); err != nil {
				return "", err
			}
			if _, err := run(dir, prefix, false, "npm", "install", "--silent", "--no-package-lock"); err != nil {
				return "", err
			}
			return run(dir, prefix, true, "node", "train_predict.js")
		}},
		{"rust", "cargo", func(dir string) (string, error) {
			return run(dir, prefix, false, "cargo", "run", "--quiet", "--offline", "--manifest-path", absolute(examples, "rust/Cargo.toml"), "--target-dir", "target")
		}},
	} {
		if !present(l.program) {
			fmt.Printf("examples: %s skipped: no %s\n", l.name, l.program)
			continue
		}
		jobs = append(jobs, job{l.name, func(dir string) error {
			if err := os.RemoveAll(dir); err != nil {
				return err
			}
			if err := os.MkdirAll(dir, 0o777); err != nil {
				return err
			}
			out, err := l.run(dir)
			if err == nil && (!strings.Contains(out, wanted["train_predict"]) || !accuracy.MatchString(out)) {
				err = fmt.Errorf("it prints\n%s", out)
			}
			return err
		}})
	}
	return jobs
}
