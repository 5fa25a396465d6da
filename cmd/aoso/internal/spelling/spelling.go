// Package spelling finds the names that somebody may have meant.
package spelling

import (
	"fmt"
	"strings"
)

// Near returns the names that take few changes to become the word, at most three, the
// nearest first. A change inserts, removes or replaces a character, or exchanges
// two neighbours (the optimal string alignment distance). Capitals, and which of
// "-", "_", "." or blank is between words, do not count.
func Near(word string, names []string) (near []string) {
	plain := func(s string) []rune {
		return []rune(strings.NewReplacer("-", "", "_", "", ".", "", " ", "").Replace(strings.ToLower(s)))
	}
	w, most := plain(word), 0
	if len(w) > 1 {
		most = 1 + len(w)/4
	}
	by := make([][]string, most+1) // names by changes
	for _, name := range names {
		n := plain(name)
		if max(len(n)-len(w), len(w)-len(n)) <= most {
			if d := distance(w, n); d <= most {
				by[d] = append(by[d], name)
			}
		}
	}
	for d, names := range by {
		if near = append(near, names...); d == 0 && len(near) > 0 {
			break
		}
	}
	return near[:min(3, len(near))]
}

// Suggestion returns what to add to a message about an unknown word, "; did you mean
// --leaf or --leaves?", or "" if no name is near. Names are written in the given
// form, such as "--%s" or "%q".
func Suggestion(word string, names []string, form string) string {
	near := Near(word, names)
	for i, name := range near {
		near[i] = fmt.Sprintf(form, name)
	}
	if len(near) == 0 {
		return ""
	}
	return "; did you mean " + strings.Join(near, " or ") + "?"
}

func distance(a, b []rune) int {
	before, last, now := make([]int, len(b)+1), make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range now {
		last[j] = j
	}
	for i := range a {
		now[0] = i + 1
		for j := range b {
			same := 0
			if a[i] != b[j] {
				same = 1
			}
			now[j+1] = min(last[j]+same, last[j+1]+1, now[j]+1)
			if i > 0 && j > 0 && a[i] == b[j-1] && a[i-1] == b[j] {
				now[j+1] = min(now[j+1], before[j-1]+1)
			}
		}
		before, last, now = last, now, before
	}
	return last[len(b)]
}
