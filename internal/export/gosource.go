package export

import (
	"bufio"
	_ "embed"
	"fmt"
	"io"
	"strconv"

	"github.com/libaoso/aoso/internal/model"
)

func init() {
	register(Format{Name: "go", Help: "a Go file without dependencies, which predicts", Crosses: true, write: func(w io.Writer, m *model.Model, _ int) error {
		return goSource(w, m)
	}})
}

//go:embed model.go.txt
var goProgram string

// goSource writes a model as Go.
func goSource(w io.Writer, m *model.Model) error {
	kinds := map[string]string{"text": "string", "index": "uint32", "word": "uint32", "value": "float32", "number": "float64"}
	s := &source{Writer: bufio.NewWriter(w), end: "}\n", quoted: strconv.Quote, table: func(name, kind string, n int) string {
		if known, ok := kinds[kind]; ok {
			kind = known
		}
		return fmt.Sprintf("\nvar %s = [%d]%s{\n", name, n, kind)
	}}
	return s.write(m, goProgram, "// tables\n")
}
