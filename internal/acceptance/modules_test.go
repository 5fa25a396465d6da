package acceptance

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// program returns a function that runs the go command in a module outside, which has a program
// and imports the module here.
func program(t *testing.T, text string) func(arguments ...string) string {
	t.Helper()
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	for name, text := range map[string]string{
		"go.mod":  "module program\n\ngo 1.26\n\nrequire " + module + " v0.0.0\n\nreplace " + module + " => " + root + "\n",
		"main.go": text,
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	return func(arguments ...string) string {
		t.Helper()
		c := exec.Command("go", arguments...)
		c.Dir, c.Env = dir, append(os.Environ(), "GOWORK=off", "GOFLAGS=-mod=mod "+os.Getenv("GOFLAGS"), "GOPROXY=off", "GONOSUMDB=*", "GONOSUMCHECK=1")
		out, err := c.CombinedOutput()
		if err != nil {
			t.Fatalf("go %s: %v\n%s", strings.Join(arguments, " "), err, out)
		}
		return string(out)
	}
}

// TestReadme runs the program in README.md. It requires no modules beyond those of the kernels.
func TestReadme(t *testing.T) {
	page, err := os.ReadFile("../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	m := regexp.MustCompile("(?s)```go\n(.*?)```\n\n```text\n(.*?)```").FindStringSubmatch(string(page))
	if m == nil {
		t.Fatal("README.md has no program in Go with its output")
	}
	command := program(t, m[1])
	if got := command("run", "."); !strings.HasSuffix(got, m[2]) {
		t.Errorf("it prints %q, not %q", got, m[2])
	}
	modules := strings.Fields(command("list", "-m", "-f", "{{if not .Main}}{{.Path}}{{end}}", "all"))
	want := "github.com/klauspost/cpuid/v2 github.com/libaoso/aoso golang.org/x/sys"
	if got := strings.Join(modules, " "); got != want {
		t.Errorf("modules %s, want %s", got, want)
	}
}
