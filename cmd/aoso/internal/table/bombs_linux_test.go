package table

import (
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/libaoso/aoso/tools/cases"
)

// endless returns a text that begins with some lines and repeats others without end. It is compressed to a thousandth of its size.
func endless(t testing.TB, first, more string, packed bool) io.Reader {
	const size = 1 << 20
	more = strings.Repeat(more, size/len(more))
	if packed {
		first, more = frame(t, first), frame(t, more)
	}
	return io.MultiReader(strings.NewReader(first), &repeated{text: more})
}

// TestBombs: files that unpack without end, or have an endless line, cell or table, are errors before they have taken 1 GB of memory.
func TestBombs(t *testing.T) {
	wide, names := "", ""
	for j := range 63 {
		wide += fmt.Sprintf(" %d:1", j+2)
		names += fmt.Sprintf("c%d,", j)
	}
	bombs := map[string]struct {
		first, more string
		want        string
	}{
		"a line":             {"a,b,class\n", "1,", "f:2: the line is longer than 67108864 bytes; --max-line allows more"},
		"a header":           {"", "a,", "f:1: the line is longer"},
		"a cell":             {"a,b,class\n1,2,x\n3,", "x", "f:3: the line is longer"},
		"digits":             {"a,b,class\n1,2,x\n3,", "7", "f:3: the line is longer"},
		"blanks":             {"a,b,class\n1,2,x\n", " ", "f:3: the line is longer"},
		"a quote":            {"a,b,class\n1,\"", "x\n", "f:2: a quote opened in this line is not closed, or the record is longer than 67108864 bytes; --max-line allows more"},
		"blank lines":        {"a,b,class\n1,2,x\n", " \n", "f:3: more than 1048576 blank lines"},
		"line ends":          {"", "\n", "f:1: more than 1048576 blank lines"},
		"carriage returns":   {"a,b,class\r1,2,x\r", "\r", "f:3: more than 1048576 blank lines"},
		"rows":               {"", strings.Repeat("1,", 63) + "x\n", "too much for the first"},
		"comments":           {"a,b,class\n1,2,x\n", "#,,\n", "the label is missing"},
		"categories":         {names + "class\n", strings.Repeat("x,", 63) + "x\n", "too much for the first"},
		"rows of LIBSVM":     {"", "1 1:1" + wide + "\n", "too much for the first"},
		"a line of LIBSVM":   {"1 1:1", " ", "f:1: the line is longer"},
		"comments of LIBSVM": {"1 1:1\n", "# " + strings.Repeat("x", 5000) + "\n", "the Zstandard data unpack to more than 0.5"},
	}
	if name := os.Getenv("TABLE_TEST_BOMB"); name != "" {
		_, err := Parse(endless(t, bombs[name].first, bombs[name].more, true), "f", Options{})
		fmt.Print(err, "\n")
		os.Exit(0)
	}
	for _, name := range cases.Some(t, 5, slices.Sorted(maps.Keys(bombs))) {
		bomb := bombs[name]
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := exec.Command(os.Args[0], "-test.run", "TestBombs$")
			c.Env = append(os.Environ(), "TABLE_TEST_BOMB="+name)
			out, err := c.CombinedOutput()
			if err != nil || !strings.Contains(string(out), bomb.want) {
				t.Errorf("%v, %.300s, want %s", err, out, bomb.want)
			}
			const most = 1 << 20 // KiB
			if took := c.ProcessState.SysUsage().(*syscall.Rusage).Maxrss; took > most {
				t.Errorf("it took %d KiB of memory, want at most %d", took, most)
			}
		})
	}
}
