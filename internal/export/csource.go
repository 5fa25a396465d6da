package export

import (
	"bufio"
	_ "embed"
	"fmt"
	"io"
	"strings"

	"github.com/libaoso/aoso/internal/model"
)

func init() {
	register(Format{Name: "c", Help: "a C file without dependencies, which predicts", Crosses: true, write: func(w io.Writer, m *model.Model, _ int) error {
		return cSource(w, m)
	}})
}

//go:embed model.c.txt
var cProgram string

// cSource writes a model as C.
func cSource(w io.Writer, m *model.Model) error {
	kinds := map[string]string{
		"text": "char *const", "index": "uint32_t", "node": "struct node", "word": "uint32_t", "value": "float", "number": "double", "pair": "struct pair",
		"feature": "struct feature", "rateColumn": "struct rate_column", "cross": "struct cross",
	}
	s := &source{Writer: bufio.NewWriter(w), end: "};\n", quoted: cText, table: func(name, kind string, n int) string {
		if kind == "text" {
			return fmt.Sprintf("const %s NAME(%s)[%d] = {\n", kinds[kind], cName(name), n)
		}
		return fmt.Sprintf("static const %s %s[%d] = {\n", kinds[kind], cName(name), n)
	}}
	return s.write(m, cProgram, "/* tables */\n")
}

// cName writes a name in lower case with underscores.
func cName(name string) string {
	var b strings.Builder
	for i, r := range name {
		if r >= 'A' && r <= 'Z' {
			if i > 0 {
				b.WriteByte('_')
			}
			r += 'a' - 'A'
		}
		b.WriteRune(r)
	}
	return strings.ReplaceAll(b.String(), "categories", "categories_")
}

// cText returns a C string literal. Octal escapes, unlike hexadecimal ones, end after three
// digits.
func cText(text string) string {
	var b strings.Builder
	b.WriteByte('"')
	for _, c := range []byte(text) {
		if c < ' ' || c >= 0x7f || strings.IndexByte(`"\?`, c) >= 0 {
			fmt.Fprintf(&b, `\%03o`, c)
		} else {
			b.WriteByte(c)
		}
	}
	b.WriteByte('"')
	return b.String()
}
