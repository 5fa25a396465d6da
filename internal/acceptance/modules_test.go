package acceptance

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestImporterModules: a program that imports aoso requires no modules beyond those of the
// kernels.
func TestImporterModules(t *testing.T) {
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	for name, text := range map[string]string{
		"go.mod":  "module program\n\ngo 1.26\n\nrequire " + module + " v0.0.0\n\nreplace " + module + " => " + root + "\n",
		"main.go": "package main\n\nimport \"" + module + "\"\n\nfunc main() { println(aoso.DefaultParams().Trees) }\n",
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	in := func(arguments ...string) string {
		c := exec.Command("go", arguments...)
		c.Dir, c.Env = dir, append(os.Environ(), "GOWORK=off", "GOFLAGS=-mod=mod", "GOPROXY=off", "GONOSUMDB=*", "GONOSUMCHECK=1")
		out, err := c.CombinedOutput()
		if err != nil {
			t.Fatalf("go %s: %v\n%s", strings.Join(arguments, " "), err, out)
		}
		return string(out)
	}
	in("build", "-o", filepath.Join(dir, "program"), ".")
	modules := strings.Fields(in("list", "-m", "-f", "{{if not .Main}}{{.Path}}{{end}}", "all"))
	want := "github.com/klauspost/cpuid/v2 github.com/libaoso/aoso golang.org/x/sys"
	if got := strings.Join(modules, " "); got != want {
		t.Errorf("modules %s, want %s", got, want)
	}
}
