package main

import (
	"bufio"
	"bytes"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/spf13/cobra"

	"github.com/libaoso/aoso"
)

// condition is a way to lose the output of a command.
type condition struct {
	name   string
	limits string // of the shell
	stdout func(t *testing.T) *os.File
	code   int
	says   string
}

func conditions() []condition {
	device := func(path string) func(*testing.T) *os.File {
		return func(t *testing.T) *os.File {
			f, err := os.OpenFile(path, os.O_WRONLY, 0)
			if err != nil {
				t.Fatal(err)
			}
			return f
		}
	}
	broken := func(t *testing.T) *os.File {
		r, w, err := os.Pipe()
		if err != nil {
			t.Fatal(err)
		}
		r.Close()
		return w
	}
	return []condition{
		{"full device", "", device("/dev/full"), exitFailed, "cannot write standard output: no space left on device"},
		{"no reader", "", broken, 141, "cannot write standard output: broken pipe"},
		{"unwritable", "exec 1</dev/null;", device("/dev/null"), exitFailed, "cannot write standard output: bad file descriptor"},
	}
}

// finish runs a command to its end and returns its exit code and standard error.
func finish(t *testing.T, c *exec.Cmd, stdout *os.File) (code int, stderr string) {
	t.Helper()
	var b strings.Builder
	c.Stdout, c.Stderr = stdout, &b
	kill := time.AfterFunc(time.Minute, func() { c.Process.Kill() })
	defer kill.Stop()
	c.Run()
	if stdout != nil {
		stdout.Close()
	}
	return c.ProcessState.ExitCode(), b.String()
}

// onlyFiles checks that a folder has only these files.
func onlyFiles(t *testing.T, what, dir string, want ...string) {
	t.Helper()
	list, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, e := range list {
		names = append(names, e.Name())
	}
	if strings.Join(names, " ") != strings.Join(want, " ") {
		t.Errorf("%s: the folder has %q, want %q", what, names, want)
	}
}

// TestLostOutput runs every command with a standard output that cannot be
// written to. The exit code shows it, and the files are there.
func TestLostOutput(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("needs /dev/full")
	}
	model, data := smallModel(t), file(t, "small.csv", small)
	for _, test := range []struct {
		args  string
		saves bool
	}{
		{"train --data DATA --n-estimators 5 --model OUT", true},
		{"train --data DATA --n-estimators 5 --model OUT --json", true},
		{"truncate --model MODEL --trees 3 --out OUT", true},
		{"merge --model MODEL --model MODEL --out OUT --json", true},
		{"refit --model MODEL --data DATA --out OUT", true},
		{"calibrate --model MODEL --data DATA --out OUT", true},
		{"conformalize --model MODEL --data DATA --out OUT", true},
		{"predict --model MODEL --data DATA", false},
		{"predict --model MODEL --data DATA --output proba --out -", false},
		{"eval --model MODEL --data DATA", false},
		{"eval --model MODEL --data DATA --json", false},
		{"info --model MODEL", false},
		{"info --model MODEL --json", false},
		{"info --model MODEL --dump", false},
		{"explain --model MODEL", false},
		{"plot importance --model MODEL --out -", false},
		{"explain --model MODEL --data DATA", false},
		{"export --model MODEL --format json", false},
		{"export --model MODEL --format dot", false},
		{"export --model MODEL --format onnx", false},
		{"export --model MODEL --format lightgbm", false},
		{"--help", false},
	} {
		for _, c := range conditions() {
			what := test.args + ", " + c.name
			out := filepath.Join(t.TempDir(), "out")
			args := strings.Fields(strings.NewReplacer("DATA", data, "MODEL", model, "OUT", out).Replace(test.args))
			code, stderr := finish(t, process(t, c.limits, args...), c.stdout(t))
			says := c.says
			if test.saves {
				if _, err := aoso.Load(out); err != nil {
					t.Errorf("%s: %v", what, err)
				}
				onlyFiles(t, what, filepath.Dir(out), "out")
				says += "; the model is saved in " + out
			} else if c.code == 141 { // as of "| head"
				says = ""
			}
			if code != c.code || !strings.HasSuffix(strings.TrimSpace(stderr), says) || says == "" && stderr != "" {
				t.Errorf("%s: exit code %d, %q, want %d, %q", what, code, stderr, c.code, says)
			}
		}
	}
}

// TestClosedOutput: if standard output and error are closed from the start, no
// output goes into a file that got their descriptors.
func TestClosedOutput(t *testing.T) {
	dir, data := t.TempDir(), file(t, "small.csv", small)
	out := filepath.Join(dir, "out")
	if code, stderr := finish(t, process(t, "exec 0<&- 1>&- 2>&-;", "train", "--data", data, "--n-estimators", "5", "--model", out), nil); code != 0 {
		t.Errorf("exit code %d, %s", code, stderr)
	}
	if _, err := aoso.Load(out); err != nil {
		t.Error(err)
	}
	if read(t, data) != small {
		t.Error("the data were written over")
	}
}

// TestLostFiles runs every command that writes a file in places where it cannot
// write, at the end or from the start. The old file stays.
func TestLostFiles(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("needs a shell")
	}
	model, data := smallModel(t), file(t, "small.csv", small)
	for _, args := range []string{
		"train --data LETTER --n-estimators 10 --model OUT",
		"truncate --model BIG --trees 100 --out OUT",
		"merge --model BIG --model BIG --out OUT",
		"refit --model BIG --data DATA --out OUT",
		"calibrate --model BIG --data DATA --out OUT",
		"conformalize --model BIG --data DATA --out OUT",
		"predict --model MODEL --data MANY --output leaf --out OUT",
		"explain --model MODEL --data MANY --out OUT",
		"export --model BIG --format json --out OUT",
		"export --model BIG --format onnx --out OUT",
		"export --model BIG --format lightgbm --out OUT",
	} {
		many := file(t, "many.csv", "a,b,class\n"+strings.Repeat("1,1,x\n", 3000))
		big := bigModel(t)
		replace := func(out string) []string {
			return strings.Fields(strings.NewReplacer("DATA", data, "MODEL", model, "OUT", out, "BIG", big, "MANY", many,
				"LETTER", "../../testdata/letter.csv.gz").Replace(args))
		}
		dir := t.TempDir()
		out := filepath.Join(dir, "out")
		if err := os.WriteFile(out, []byte("before"), 0o600); err != nil {
			t.Fatal(err)
		}
		// Go ignores SIGXFSZ: the write fails, as on a full disk.
		code, stderr := finish(t, process(t, "ulimit -f 4;", replace(out)...), nil)
		if code != exitFailed || !strings.Contains(stderr, "aoso: cannot write "+out+": file too large") {
			t.Errorf("%s: exit code %d, %q", args, code, stderr)
		}
		if read(t, out) != "before" {
			t.Errorf("%s: what was there before is lost", args)
		}
		onlyFiles(t, args, dir, "out")
		for bad, want := range map[string]string{dir: "not a regular file", dir + "/none/out": "no such file or directory", out + "/x": "not a directory"} {
			if o := try(replace(bad)...); o.code != exitFailed || !strings.Contains(o.stderr, "cannot write "+bad+": ") || !strings.Contains(o.stderr, want) {
				t.Errorf("%s to %s: exit code %d, %q", args, bad, o.code, o.stderr)
			}
		}
	}
	fail(t, exitFailed, []string{`cannot write "": the name is empty`}, "train", "--data", "none.csv", "--model", "")
	fail(t, exitFailed, []string{`cannot write "": the name is empty`}, "truncate", "--model", "none", "--trees", "1", "--out", "")
}

var bigFile string // of bigModel

// bigModel returns a model with the classes and features of small that does not
// fit into a few blocks of a disk.
func bigModel(t *testing.T) string {
	t.Helper()
	if bigFile == "" {
		f, err := os.CreateTemp("", "aoso-big")
		if err != nil {
			t.Fatal(err)
		}
		f.Close()
		bigFile = f.Name()
		do(t, "train", "--data", file(t, "small.csv", small), "--model", bigFile, "--n-estimators", "200", "--stop-loss", "0", "--learning-rate", "0.01")
	}
	return bigFile
}

// TestSignals: a signal during training saves the model, whether or not anybody
// reads the output.
func TestSignals(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("needs signals")
	}
	for _, test := range []struct {
		name   string
		signal syscall.Signal
		away   bool // the reader of both outputs goes away
		twice  bool
	}{
		{"interrupt", syscall.SIGINT, false, false},
		{"interrupt without reader", syscall.SIGINT, true, false},
		{"terminate without reader", syscall.SIGTERM, true, false},
		{"terminate twice", syscall.SIGTERM, false, true},
		{"hang up twice without reader", syscall.SIGHUP, true, true},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			if signal.Ignored(test.signal) {
				t.Skip("the tests run under nohup, and so does the command: it ignores the signal")
			}
			dir := t.TempDir()
			model := filepath.Join(dir, "m.aoso")
			c := process(t, "", "train", "--data", "../../testdata/letter.csv.gz", "--model", model, "--n-estimators", "1000000", "--stop-loss", "0", "--nthread", "1")
			r, w, err := os.Pipe()
			if err != nil {
				t.Fatal(err)
			}
			c.Stdout, c.Stderr = w, w
			if err := c.Start(); err != nil {
				t.Fatal(err)
			}
			w.Close()
			kill := time.AfterFunc(time.Minute, func() { c.Process.Kill() })
			defer kill.Stop()
			lines := bufio.NewScanner(r)
			for lines.Scan() && !strings.HasPrefix(strings.TrimSpace(lines.Text()), "10 ") { // trees
			}
			if test.away {
				r.Close()
			}
			c.Process.Signal(test.signal)
			if test.twice {
				c.Process.Signal(test.signal)
			}
			if !test.away {
				rest, _ := io.ReadAll(r)
				if !bytes.Contains(rest, []byte("is saved in "+model)) {
					t.Errorf("%q", rest)
				}
				r.Close()
			}
			c.Wait()
			if code := c.ProcessState.ExitCode(); code != 128+int(test.signal) {
				t.Errorf("exit code %d", code)
			}
			if m, err := aoso.Load(model); err != nil || m.Trees() < 10 {
				t.Errorf("the model: %v", err)
			}
			onlyFiles(t, "afterwards", dir, "m.aoso")
		})
	}
}

// TestKills kills a command again and again while it saves. The file is always a
// model that was saved, and the next save leaves no other files.
func TestKills(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("needs signals")
	}
	big, dir := bigModel(t), t.TempDir()
	out := filepath.Join(dir, "out.aoso")
	do(t, "truncate", "--model", big, "--trees", "150", "--out", out)
	for i := range 30 {
		c := process(t, "", "merge", "--model", big, "--model", big, "--out", out)
		if err := c.Start(); err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Duration(5+i) * time.Millisecond)
		c.Process.Kill()
		c.Wait()
		if m, err := aoso.Load(out); err != nil || m.Trees() != 150 && m.Trees() != 400 {
			t.Fatal(err)
		}
	}
	do(t, "truncate", "--model", big, "--trees", "150", "--out", out)
	onlyFiles(t, "after a save", dir, "out.aoso")
}

// TestEscapes: control characters in names do not reach the terminal.
func TestEscapes(t *testing.T) {
	data := file(t, "d.csv", strings.NewReplacer("a,", "\x1b]0;a\a,", "x", "\x1b[31mx").Replace(small))
	model := filepath.Join(t.TempDir(), "m\x1b[2J.aoso")
	for _, args := range [][]string{
		{"train", "--data", data, "--model", model, "--n-estimators", "3"},
		{"info", "--model", model},
		{"info", "--model", model, "--dump"},
		{"eval", "--model", model, "--data", data},
		{"info", "--model", model + "\x1b[2J"},
		{"truncate", "--model", model, "--trees", "1", "--out", model},
		{"eval", "--model", model, "--data", file(t, "e.csv", "\x1b[1m,b,class\n1,2,x\n")},
	} {
		o := try(args...)
		if text := o.stdout + o.stderr; strings.ContainsAny(text, "\x1b\a") || !strings.Contains(text, `\x1b[`) {
			t.Errorf("%q: %q", args, text)
		}
	}
}

// TestPanic: a panic is reported on one line.
func TestPanic(t *testing.T) {
	t.Setenv("GOTRACEBACK", "")
	err := work(func(*cobra.Command) error { panic("out of order") })(nil, nil)
	if err == nil || !strings.Contains(err.Error(), "internal error: out of order; please report this bug") {
		t.Error(err)
	}
}
