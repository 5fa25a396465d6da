package main

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/libaoso/aoso/internal/data/datatest"
)

// TestMain lets the tests start the command as a separate process.
func TestMain(m *testing.M) {
	if os.Getenv("AOSO_TEST_MAIN") != "" {
		main()
	}
	code := m.Run()
	if bigFile != "" {
		os.Remove(bigFile)
	}
	os.Exit(code)
}

// outcome is the result of a command line.
type outcome struct {
	code           int
	stdout, stderr string
}

func try(args ...string) outcome {
	var stdout, stderr bytes.Buffer
	code := run(args, &stdout, &stderr)
	return outcome{code, stdout.String(), stderr.String()}
}

// do runs a command that must succeed and returns its standard output.
func do(t *testing.T, args ...string) string {
	t.Helper()
	o := try(args...)
	if o.code != 0 {
		t.Fatalf("aoso %s: exit code %d: %s", strings.Join(args, " "), o.code, o.stderr)
	}
	return o.stdout
}

// labelNote is what training commands say of the label when no flag names it.
var labelNote = regexp.MustCompile(`(?m)^.*: label: the last column.* by default; --label names another\n`)

// fail runs a command that must fail with one line that contains all of want, and
// says no more before it than which column is the label.
func fail(t *testing.T, code int, want []string, args ...string) {
	t.Helper()
	o := try(args...)
	line := strings.TrimSuffix(labelNote.ReplaceAllString(o.stderr, ""), "\n")
	if o.code != code || o.stdout != "" || !strings.HasPrefix(line, "aoso: ") || strings.Contains(line, "\n") {
		t.Fatalf("aoso %s: exit code %d, want %d\nstdout %q\nstderr %q", strings.Join(args, " "), o.code, code, o.stdout, o.stderr)
	}
	for _, w := range want {
		if !strings.Contains(line, w) {
			t.Errorf("aoso %s: %q does not say %q", strings.Join(args, " "), line, w)
		}
	}
}

// jsonLine decodes the last line of a command's output.
func jsonLine[T any](t *testing.T, stdout string) (v T) {
	t.Helper()
	lines := strings.Split(strings.TrimSpace(stdout), "\n")
	if err := json.Unmarshal([]byte(lines[len(lines)-1]), &v); err != nil {
		t.Fatalf("%v in %q", err, stdout)
	}
	return v
}

// file writes a file for a test and returns its path.
func file(t *testing.T, name, content string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
		t.Fatal(err)
	}
	return path
}

func read(t *testing.T, path string) string {
	t.Helper()
	content, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(content)
}

// letter returns the first rows of the Letter data, and the rows after them.
func letter(t *testing.T, train, test int) (trainFile, testFile string) {
	t.Helper()
	lines, err := datatest.Lines("../../testdata/letter.csv.gz")
	if err != nil {
		t.Fatal(err)
	}
	text := func(lines ...string) string { return strings.Join(lines, "\n") + "\n" }
	return file(t, "train.csv", text(lines[:1+train]...)),
		file(t, "test.csv", text(lines[0])+text(lines[1+train:][:test]...))
}

// small is a file with two features that tell three classes apart.
const small = `a,b,class
1,1,x
1,2,x
2,1,x
5,1,y
5,2,y
6,2,y
1,8,z
2,8,z
2,9,z
`

// smallModel trains a model on small.
func smallModel(t *testing.T, flags ...string) string {
	t.Helper()
	model := filepath.Join(t.TempDir(), "small.aoso")
	do(t, append([]string{"train", "--data", file(t, "small.csv", small), "--model", model, "--n-estimators", "20"}, flags...)...)
	return model
}

func TestUsage(t *testing.T) {
	model := filepath.Join(t.TempDir(), "m.aoso")
	data := file(t, "small.csv", small)
	for _, c := range []struct {
		args string
		want string
	}{
		{"trian", "trian"},
		{"train", "data"},
		{"train --data x", "model"},
		{"train --nonsense", "nonsense"},
		{"train more --data x --model y", "more"},
		{"train --data x --model y --n-estimators many", `invalid argument "many" for "--n-estimators" flag: allowed: an integer`},
		{"train --data x --model y --level mmx", `level is "mmx"; allowed: `},
		{"train --data x --model y --n-estimators 0", "allowed: at least 1 or auto"},
		{"train --data x --model y --pairs 3", "pairs is 3; allowed: 1, 2, 4 or 8"},
		{"train --data x --model y --leaf both", `leaf is "both"; allowed: full, pair or sparse`},
		{"train --data x --model y --method gbdt", `method is "gbdt"; allowed: aoso, abc or logitboost`},
		{"train --data x --model y --learning-rate NaN", "learning_rate is NaN"},
		{"train --data x --model y --max-bin 256", "max_bin is 256; allowed: 2 to 255"},
		{"train --data x --model y --eval-every -1", "eval_every is -1"},
		{"train --data x --model y --early-stopping-rounds 5", "--valid"},
		{"train --data - --valid - --model y", "standard input"},
		{"train --data " + data + " --model " + data, "cannot be overwritten"},
		{"predict --model " + model, "data"},
		{"predict --model " + model + " --data x --output score", `output is "score"; allowed: class, proba, raw or leaf`},
		{"train --model x --data y --label none", `label is "none"`},
		{"eval --model x --data y --label none", `label is "none"`},
		{"info --model x --json --dump", "json"},
	} {
		fail(t, exitUsage, []string{c.want}, strings.Fields(c.args)...)
	}
	if read(t, data) != small {
		t.Error("the data were written over")
	}
	if o := try(); o.code != 0 || !strings.Contains(o.stdout, "predict") {
		t.Errorf("without arguments: %+v", o)
	}
}
