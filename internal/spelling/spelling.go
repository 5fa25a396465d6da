// Package spelling finds the name that somebody may have meant.
package spelling

import (
	"fmt"
	"strings"
)

// Nearest is the name that takes the fewest changes to become the word; "": none is
// near. A change inserts, removes or replaces a character, or exchanges two
// neighbours (the optimal string alignment distance). Capitals, and which of "-",
// "_", "." or blank is between words, do not count.
func Nearest(word string, names []string) string {
	plain := func(s string) []rune {
		return []rune(strings.NewReplacer("-", "", "_", "", ".", "", " ", "").Replace(strings.ToLower(s)))
	}
	w, best := plain(word), ""
	least := 1 // as many changes are too many
	if len(w) > 1 {
		least = 2 + len(w)/4
	}
	for _, name := range names {
		n := plain(name)
		if max(len(n)-len(w), len(w)-len(n)) >= least {
			continue
		}
		if d := distance(w, n); d < least {
			least, best = d, name
		}
	}
	return best
}

// Suggestion is what to add to a message about an unknown word, "; did you mean
// --leaves?", or "" if no name is near. The name is written in the given form, such
// as "--%s" or "%q".
func Suggestion(word string, names []string, form string) string {
	if near := Nearest(word, names); near != "" {
		return fmt.Sprintf("; did you mean "+form+"?", near)
	}
	return ""
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
