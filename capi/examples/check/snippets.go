package main

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

const (
	place = "    /* The snippet stands here. */\n" // line of the frame that a snippet replaces
	split = "/* in main: */\n"                     // separates declarations from statements in a snippet
)

// pages are pages with snippets, besides the chapter.
var pages = []string{"docs/constraints.md", "README.md"}

var (
	functions = regexp.MustCompile(`(?m)^(?:AOSO_API|static inline)\s[^;{]*?\b(aoso_\w+)\(`)
	exported  = regexp.MustCompile(`(?m)^AOSO_API\s[^;]*?\b(aoso_\w+)\(`)
	heading   = regexp.MustCompile(`^#+ `)
	name      = regexp.MustCompile(`\baoso_\w+`)
)

// snippet is a block of code in the chapter.
type snippet struct {
	title  string // title of its section
	line   int
	lang   string
	code   string
	prints string // expected output: the block of text that follows
	check  bool   // there is such a block
}

// snippetJobs returns jobs that compile and run the snippets of the chapter and the
// other pages. First it checks that the chapter and aoso.hpp cover every function.
func snippetJobs(prefix string) ([]job, error) {
	text, err := os.ReadFile(chapter)
	if err != nil {
		return nil, err
	}
	declared, err := declarations(functions)
	if err != nil {
		return nil, err
	}
	snippets, titles := parse(string(text))
	if err := complete(declared, titles, snippets); err != nil {
		return nil, err
	}
	if err := wrapped(); err != nil {
		return nil, err
	}
	files := slices.Repeat([]string{chapter}, len(snippets))
	for _, page := range pages {
		text, err := os.ReadFile(page)
		if err != nil {
			return nil, err
		}
		more, _ := parse(string(text))
		snippets, files = append(snippets, more...), append(files, slices.Repeat([]string{page}, len(more))...)
	}
	frame := slices.IndexFunc(snippets, func(s snippet) bool { return strings.Contains(s.code, place) })
	if frame < 0 {
		return nil, fmt.Errorf("%s: no snippet contains the line %q", chapter, strings.TrimSpace(place))
	}
	var jobs []job
	for i, s := range snippets {
		switch {
		case s.lang == "c" && !strings.Contains(s.code, "int main("):
			s.code = s.in(snippets[frame].code)
		case s.lang == "c" || s.lang == "cpp":
		default:
			continue
		}
		jobs = append(jobs, job{fmt.Sprintf("%s:%d", files[i], s.line), func(dir string) error { return s.run(dir, prefix) }})
	}
	return jobs, nil
}

// declarations returns the names of the functions in the headers that match.
func declarations(pattern *regexp.Regexp) ([]string, error) {
	text, err := readAll(headers)
	if err != nil {
		return nil, err
	}
	var names []string
	for _, m := range pattern.FindAllStringSubmatch(text, -1) {
		names = append(names, m[1])
	}
	if len(names) == 0 {
		return nil, fmt.Errorf("%s: no functions found", headers)
	}
	return names, nil
}

// readAll returns the text of all files that match a pattern.
func readAll(pattern string) (string, error) {
	paths, err := filepath.Glob(pattern)
	var all strings.Builder
	for _, path := range paths {
		var text []byte
		if text, err = os.ReadFile(path); err != nil {
			break
		}
		all.Write(text)
	}
	return all.String(), err
}

// parse returns the code blocks and the headings of a Markdown text.
func parse(text string) (snippets []snippet, titles []string) {
	var title string
	var block *snippet // the current block, or nil
	for i, line := range strings.Split(text, "\n") {
		switch {
		case block != nil && line == "```":
			if block.lang == "text" && len(snippets) > 0 {
				last := &snippets[len(snippets)-1]
				last.prints, last.check = block.code, true
			} else {
				snippets = append(snippets, *block)
			}
			block = nil
		case block != nil:
			block.code += line + "\n"
		case strings.HasPrefix(line, "```"):
			block = &snippet{title: title, line: i + 1, lang: strings.TrimPrefix(line, "```")}
		case heading.MatchString(line):
			title = heading.ReplaceAllString(line, "")
			titles = append(titles, title)
		}
	}
	return snippets, titles
}

// complete returns an error unless each function of the header occurs in exactly one
// heading, and a snippet below that heading calls it.
func complete(declared, titles []string, snippets []snippet) error {
	var wrong []string
	for _, function := range declared {
		n := 0
		for _, title := range titles {
			if slices.Contains(name.FindAllString(title, -1), function) {
				n++
			}
		}
		if n != 1 {
			wrong = append(wrong, fmt.Sprintf("%s: %s occurs in %d headings, want 1", chapter, function, n))
			continue
		}
		call := regexp.MustCompile(`\b` + function + `\(`)
		if !slices.ContainsFunc(snippets, func(s snippet) bool {
			return s.lang == "c" && slices.Contains(name.FindAllString(s.title, -1), function) && call.MatchString(s.code)
		}) {
			wrong = append(wrong, fmt.Sprintf("%s: no snippet below the heading of %s calls it", chapter, function))
		}
	}
	for _, title := range titles {
		for _, function := range name.FindAllString(title, -1) {
			if !slices.Contains(declared, function) {
				wrong = append(wrong, fmt.Sprintf("%s: a heading has %s, which %s does not declare", chapter, function, headers))
			}
		}
	}
	if wrong != nil {
		return fmt.Errorf("%s", strings.Join(wrong, "\n"))
	}
	return nil
}

// wrapped returns an error unless the C++ headers use each exported function.
func wrapped() error {
	text, err := readAll(hpps)
	if err != nil {
		return err
	}
	declared, err := declarations(exported)
	if err != nil {
		return err
	}
	used := name.FindAllString(text, -1)
	for _, function := range declared {
		if !slices.Contains(used, function) {
			return fmt.Errorf("%s: nothing wraps %s", hpps, function)
		}
	}
	return nil
}

// in returns the program of a snippet: its code as a block in the frame.
func (s *snippet) in(frame string) string {
	before, body, found := strings.Cut(s.code, split)
	if !found {
		before, body = "", s.code
	}
	program := strings.Replace(frame, place, "{\n"+body+"}\n", 1)
	return strings.Replace(program, "\nint main(", "\n"+before+"\nint main(", 1)
}

func (s *snippet) run(dir, prefix string) error {
	source, command := "snippet.c", "gcc -std=c99 "+warnings
	if s.lang == "cpp" {
		source, command = "snippet.cpp", "g++ -std=c++17 "+hppFlags
	}
	if err := os.WriteFile(filepath.Join(dir, source), []byte(s.code), 0o666); err != nil {
		return err
	}
	build := command + " " + source + " -o snippet $(pkg-config --cflags --libs aoso) -lm"
	if _, err := run(dir, prefix, false, "sh", "-c", build); err != nil {
		return err
	}
	out, err := run(dir, prefix, true, "./snippet")
	if err == nil && s.check && out != s.prints {
		err = fmt.Errorf("the snippet prints\n%swant\n%s", out, s.prints)
	}
	return err
}
