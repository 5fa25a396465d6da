package terminal

import (
	"strings"
	"testing"
)

func TestPlain(t *testing.T) {
	for in, want := range map[string]string{
		"":                        "",
		"sepal width (cm)":        "sepal width (cm)",
		`größe "日本" \ 'a'`:        `größe "日本" \ 'a'`,
		"\x1b[2J\x1b]0;pwned\a":   `\x1b[2J\x1b]0;pwned\a`,
		"a\nb\rc\td\x00\x7f":      `a\nb\rc\td\x00\x7f`,
		"\u009b31m \u202egnp.exe": `\u009b31m \u202egnp.exe`,
		"caf\xe9 \xff":            `caf\xe9 \xff`,
		"\ufffd":                  "\ufffd",
	} {
		if got := Plain(in); got != want {
			t.Errorf("Plain(%q) = %q, want %q", in, got, want)
		}
	}
}

func TestWriter(t *testing.T) {
	const in, want = "größe\t日本\n\x1b[1mx\xe9y\xe6\x97z\r\n\ufeff", "größe\t日本\n\\x1b[1mx\\xe9y\\xe6\\x97z\\r\n\\ufeff"
	for piece := 1; piece <= len(in); piece++ {
		var out strings.Builder
		w := &Writer{Terminal: &out}
		for i := 0; i < len(in); i += piece {
			part := in[i:min(i+piece, len(in))]
			if n, err := w.Write([]byte(part)); n != len(part) || err != nil {
				t.Fatal(n, err)
			}
		}
		if out.String() != want {
			t.Errorf("written %d bytes at a time: %q, want %q", piece, out.String(), want)
		}
	}
}
