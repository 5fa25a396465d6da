// Command notices writes the licences of the modules that are linked into the
// library and the command. The licences require it.
//
// Usage, from the module's root:
//
//	go run ./tools/notices write   write THIRD_PARTY_NOTICES
//	go run ./tools/notices check   fail if THIRD_PARTY_NOTICES is out of date
//
// The modules are those that the Go tool links for the platforms of a release.
// The licence texts come from the module cache and from the Go distribution.
package main

import (
	"bytes"
	"cmp"
	"fmt"
	"log"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

const (
	file      = "THIRD_PARTY_NOTICES"
	ours      = "github.com/libaoso/aoso"
	library   = "./capi"
	command   = "./cmd/aoso"
	separator = "--------------------------------------------------------------------------------\n"
)

// module is a module that is linked.
type module struct {
	path, version, dir string
	inLibrary          bool
}

func main() {
	log.SetFlags(0)
	log.SetPrefix("notices: ")
	if len(os.Args) != 2 || os.Args[1] != "write" && os.Args[1] != "check" {
		log.Fatal("usage: notices write | check")
	}
	text, err := notices()
	if err != nil {
		log.Fatal(err)
	}
	if os.Args[1] == "write" {
		err = os.WriteFile(file, text, 0o666)
	} else if have, e := os.ReadFile(file); e != nil || !bytes.Equal(have, text) {
		err = fmt.Errorf("%s is out of date: run make notices", file)
	}
	if err != nil {
		log.Fatal(err)
	}
}

func notices() ([]byte, error) {
	modules, err := linked()
	if err != nil {
		return nil, err
	}
	var text bytes.Buffer
	text.WriteString("libaoso and the command aoso contain third-party software under these licences.\n")
	for _, m := range modules {
		licence, err := m.licence()
		if err != nil {
			return nil, err
		}
		where := "in libaoso and aoso"
		if !m.inLibrary {
			where = "in aoso"
		}
		fmt.Fprintf(&text, "\n%s%s, %s\n%s\n", separator, strings.TrimSpace(m.path+" "+m.version), where, separator)
		text.Write(bytes.TrimRight(licence, "\n"))
		text.WriteByte('\n')
	}
	return text.Bytes(), nil
}

// linked returns Go itself and then the linked modules, sorted by path.
func linked() ([]module, error) {
	root, err := output(nil, "env", "GOROOT")
	if err != nil {
		return nil, err
	}
	found := map[string]module{}
	for _, platform := range []string{"linux/amd64", "linux/arm64", "darwin/arm64", "windows/amd64", "wasip1/wasm"} {
		system, arch, _ := strings.Cut(platform, "/")
		for _, of := range []string{library, command} {
			if of == library && system != "linux" {
				continue
			}
			list, err := output([]string{"GOFLAGS=", "CGO_ENABLED=1", "GOOS=" + system, "GOARCH=" + arch}, "list", "-deps", "-f",
				"{{with .Module}}{{.Path}}\t{{.Version}}\t{{.Dir}}{{end}}", of)
			if err != nil {
				return nil, err
			}
			for line := range strings.Lines(list) {
				f := strings.Split(strings.TrimSpace(line), "\t")
				if len(f) == 3 && !strings.HasPrefix(f[0], ours) {
					found[f[0]] = module{f[0], f[1], f[2], of == library || found[f[0]].inLibrary}
				}
			}
		}
	}
	modules := []module{{path: "Go", dir: strings.TrimSpace(root), inLibrary: true}} // any version: the text is the same
	for _, m := range found {
		modules = append(modules, m)
	}
	slices.SortFunc(modules[1:], func(a, b module) int { return cmp.Compare(a.path, b.path) })
	return modules, nil
}

// licence returns the text of the licence files in the module's root folder.
func (m module) licence() ([]byte, error) {
	var names []string
	for _, pattern := range []string{"LICEN[CS]E*", "COPYING*", "NOTICE*"} {
		some, err := filepath.Glob(filepath.Join(m.dir, pattern))
		if err != nil {
			return nil, err
		}
		names = append(names, some...)
	}
	if len(names) == 0 {
		return nil, fmt.Errorf("%s has no LICENSE, COPYING or NOTICE file in %s", m.path, m.dir)
	}
	var texts [][]byte
	for _, name := range names {
		text, err := os.ReadFile(name)
		if err != nil {
			return nil, err
		}
		texts = append(texts, text)
	}
	return bytes.Join(texts, []byte("\n")), nil
}

func output(environment []string, arguments ...string) (string, error) {
	c := exec.Command("go", arguments...)
	c.Env = append(os.Environ(), environment...)
	c.Stderr = os.Stderr
	text, err := c.Output()
	if err != nil {
		return "", fmt.Errorf("go %s: %w", strings.Join(arguments, " "), err)
	}
	return string(text), nil
}
