package mem

import (
	"fmt"
	"os"
	"os/exec"
	"testing"
)

// TestPlannable checks that limits of 4 GB on the process lower the result.
func TestPlannable(t *testing.T) {
	if os.Getenv("MEM_TEST_LIMITED") != "" {
		fmt.Printf("%.0f", Plannable())
		os.Exit(0)
	}
	if n := Plannable(); n < 1<<26 || n >= unlimited {
		t.Errorf("Plannable() = %g bytes", n)
	}
	for _, limit := range []string{"-v", "-d"} {
		c := exec.Command("/bin/sh", "-c", "ulimit "+limit+` 4000000; exec "$0" -test.run TestPlannable`, os.Args[0])
		c.Env = append(os.Environ(), "MEM_TEST_LIMITED=1")
		out, err := c.Output()
		var bytes float64
		if _, e := fmt.Sscan(string(out), &bytes); err != nil || e != nil || bytes < 5e8 || bytes > 2.048e9 {
			t.Errorf("ulimit %s of 4 GB: Plannable() = %q, errors %v, %v", limit, out, err, e)
		}
	}
}
