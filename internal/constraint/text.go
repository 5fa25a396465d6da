// Package constraint parses monotone constraints, which forbid the score of a class to fall or
// to rise along a feature, and interaction constraints, which forbid splits on certain features
// below one another.
package constraint

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// Error reports an invalid constraint: the value, and what is allowed.
type Error struct{ Value, Allowed string }

func (e *Error) Error() string { return e.Value + "; allowed: " + e.Allowed }

func wrong(value any, allowed string, args ...any) *Error {
	return &Error{fmt.Sprint(value), fmt.Sprintf(allowed, args...)}
}

// Normal returns a string of constraints as JSON without spaces. Round brackets may replace
// square ones, and the outermost may be missing, as in "1,0,-1" and "[0,1],[2,3]". Names need no
// quotes in signs such as "age:1,weight:-1". A single word stays as it is.
func Normal(text string) (normal string, ok bool) {
	text = strings.TrimSpace(text)
	if isWord(text) {
		return text, true
	}
	text = squared(text)
	for _, candidate := range []string{text, "[" + text + "]"} {
		var b bytes.Buffer
		if strings.ContainsAny(candidate[:1], "[{") && json.Compact(&b, []byte(candidate)) == nil {
			return b.String(), true
		}
	}
	return pairs(text)
}

// pairs returns signs by name, as CatBoost writes them, as JSON.
func pairs(text string) (normal string, ok bool) {
	if strings.HasPrefix(text, "{") {
		text = strings.TrimSuffix(text[1:], "}")
	}
	signs := map[string]json.Number{}
	for pair := range strings.SplitSeq(text, ",") {
		colon := strings.LastIndex(pair, ":")
		if colon < 0 || strings.ContainsAny(pair, `[]{}"`) {
			return "", false
		}
		name, sign := strings.TrimSpace(pair[:colon]), strings.TrimSpace(pair[colon+1:])
		if _, twice := signs[name]; twice || !slices.Contains([]string{"-1", "0", "1"}, sign) {
			return "", false
		}
		signs[name] = json.Number(sign)
	}
	b, err := json.Marshal(signs)
	return string(b), err == nil
}

func isWord(text string) bool { return strings.Trim(text, "abcdefghijklmnopqrstuvwxyz_") == "" }

// squared replaces round brackets by square ones, outside of strings, and removes a comma before
// a closing one.
func squared(text string) string {
	var b []byte
	quoted := false
	for i := 0; i < len(text); i++ {
		c := text[i]
		switch {
		case quoted && c == '\\' && i+1 < len(text):
			b = append(b, c)
			i++
			c = text[i]
		case c == '"':
			quoted = !quoted
		case quoted:
		case c == '(':
			c = '['
		case c == ')' || c == ']':
			c = ']'
			if trimmed := bytes.TrimRight(b, " \t\r\n"); bytes.HasSuffix(trimmed, []byte(",")) {
				b = trimmed[:len(trimmed)-1]
			}
		}
		b = append(b, c)
	}
	return string(b)
}

// End returns where a string of constraints at the start of text ends: at the first space or
// comma outside of brackets and strings.
func End(text string, separates func(rune) bool) int {
	depth, quoted, escaped := 0, false, false
	for i, c := range text {
		switch {
		case escaped:
			escaped = false
		case quoted && c == '\\':
			escaped = true
		case c == '"':
			quoted = !quoted
		case quoted:
		case strings.ContainsRune("[({", c):
			depth++
		case strings.ContainsRune("])}", c):
			depth--
		case depth <= 0 && separates(c):
			return i
		}
	}
	return len(text)
}

// read decodes a string of constraints.
func read(text, allowed string) (any, error) {
	normal, ok := Normal(text)
	if !ok {
		return nil, wrong(strconv.Quote(text), "%s", allowed)
	}
	if isWord(normal) {
		return normal, nil
	}
	d := json.NewDecoder(strings.NewReader(normal))
	d.UseNumber()
	var value any
	if err := d.Decode(&value); err != nil {
		return nil, wrong(strconv.Quote(text), "%s", allowed)
	}
	return value, nil
}

// show returns a decoded value as the user wrote it.
func show(value any) string {
	text, err := json.Marshal(value)
	if err != nil {
		return fmt.Sprint(value)
	}
	return string(text)
}

// position finds a name, or a number from 0 as a string, among names.
func position(key string, names []string) (int, bool) {
	if i := slices.Index(names, key); i >= 0 {
		return i, true
	}
	i, err := strconv.Atoi(key)
	return i, err == nil && i >= 0 && i < len(names)
}

// listed returns the first names, for an error.
func listed(names []string) string {
	const most = 20
	text := strings.Join(names[:min(len(names), most)], ", ")
	if len(names) > most {
		text += fmt.Sprintf(" and %d more", len(names)-most)
	}
	return text
}
