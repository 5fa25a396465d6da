// Package shell quotes words of command lines.
package shell

import "strings"

// Word returns a text as a word of a command line.
func Word(text string) string {
	if text != "" && !strings.ContainsFunc(text, func(c rune) bool { return c <= ' ' || strings.ContainsRune("\"'\\$`*?[]{}()<>|&;#~!", c) }) {
		return text
	}
	return "'" + strings.ReplaceAll(text, "'", `'\''`) + "'"
}
