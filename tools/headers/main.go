// Command headers writes what repeats the headers of the C library: its public functions
// (capi/forward.c), and the layouts of its structs for Python (_structs.py).
//
//	go run ./tools/headers write
//	go run ./tools/headers check    fail if a file is out of date
package main

import (
	"bytes"
	"fmt"
	"log"
	"os"
	"path/filepath"
	"regexp"
	"strings"
)

var comment = regexp.MustCompile(`(?s)/\*.*?\*/`)

func main() {
	log.SetFlags(0)
	log.SetPrefix("headers: ")
	if len(os.Args) != 2 || os.Args[1] != "write" && os.Args[1] != "check" {
		log.Fatal("usage: headers write | check")
	}
	text, err := headers()
	if err != nil {
		log.Fatal(err)
	}
	for path, content := range map[string]string{
		"capi/forward.c":                       forward(text),
		"bindings/python/src/aoso/_structs.py": layouts(text),
	} {
		if os.Args[1] == "write" {
			err = os.WriteFile(path, []byte(content), 0o666)
		} else if have, e := os.ReadFile(path); e != nil || !bytes.Equal(have, []byte(content)) {
			err = fmt.Errorf("%s is out of date: run make headers", path)
		}
		if err != nil {
			log.Fatal(err)
		}
	}
}

// headers returns the text of all headers, without comments.
func headers() (string, error) {
	paths, err := filepath.Glob("capi/include/aoso/*.h")
	if err != nil {
		return "", err
	}
	var all strings.Builder
	for _, path := range paths {
		text, err := os.ReadFile(path)
		if err != nil {
			return "", err
		}
		all.Write(text)
	}
	return comment.ReplaceAllString(all.String(), ""), nil
}
