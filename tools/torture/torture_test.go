package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/libaoso/aoso"
	"github.com/libaoso/aoso/spec"
)

// TestMain makes this program a bad worker if AOSO_TORTURE_TEST names a kind.
func TestMain(m *testing.M) {
	if kind := os.Getenv("AOSO_TORTURE_TEST"); kind != "" {
		badWorker(kind)
	}
	if err := os.Chdir(filepath.Join("..", "..")); err != nil {
		panic(err)
	}
	os.Exit(m.Run())
}

func badWorker(kind string) {
	for lines := bufio.NewScanner(os.Stdin); lines.Scan(); {
		switch kind {
		case "crash":
			go panic("in another goroutine")
			time.Sleep(time.Hour)
		case "hang":
			time.Sleep(time.Hour)
		default:
			fmt.Println("what?")
		}
	}
	os.Exit(0)
}

// TestPool checks that a worker that crashes, hangs or gives an invalid answer
// is a fault of its seed, and that another worker replaces it.
func TestPool(t *testing.T) {
	for kind, want := range map[string]string{"crash": "in another goroutine", "hang": "goroutine", "nonsense": "what?"} {
		t.Setenv("AOSO_TORTURE_TEST", kind)
		seed, outcomes := uint64(0), map[uint64]*outcome{}
		p := &pool{
			hang:   500 * time.Millisecond,
			next:   func() (uint64, bool) { seed++; return seed, seed <= 3 },
			finish: func(o *outcome) { outcomes[o.Seed] = o },
		}
		if kind != "hang" {
			p.hang = time.Minute
		}
		if err := p.run(2); err != nil {
			t.Fatal(err)
		}
		for seed := uint64(1); seed <= 3; seed++ {
			if o := outcomes[seed]; o == nil || len(o.Faults) != 1 || !strings.Contains(o.Faults[0].Message, want) {
				t.Errorf("%s: outcome of seed %d: %+v", kind, seed, o)
			}
		}
	}
}

// TestGenerators checks that the library accepts the values that each generator
// calls valid and refuses the others.
func TestGenerators(t *testing.T) {
	for _, known := range spec.Parameters {
		g, seen := generatorOf(&known), map[string]bool{}
		for seed := range uint64(100) {
			p := aoso.DefaultParams()
			s := &setting{dice: newDice(seed, known.Name), params: &p, classes: 5, valid: true, ordered: []int{0, 1, 2}}
			for kind, draw := range map[string]func(*setting) string{plain: g.plain, extreme: g.extreme, invalid: g.invalid} {
				value := draw(s)
				changed := p
				err := changed.Set(known.Name, value)
				if err == nil {
					err = changed.Check()
				}
				if (err != nil) != (kind == invalid) {
					t.Errorf("%s value %s=%q: %v", kind, known.Name, value, err)
				}
				if kind == plain {
					seen[value] = true
				}
			}
		}
		if len(seen) < 2 && known.Name != "level" { // of which a CPU may have one
			t.Errorf("%s: 100 plain values are all %v", known.Name, seen)
		}
	}
	for seed := range uint64(500) {
		p, kinds := drawParams(&setting{dice: newDice(seed, "test"), classes: 5, valid: true, ordered: []int{0, 1, 2}})
		if err := p.Check(); err != nil {
			t.Fatalf("%v: %v", kinds, err)
		}
	}
}

// TestScenario checks that a seed determines its scenario.
func TestScenario(t *testing.T) {
	encoded := func(seed uint64) string {
		c := newScenario(seed)
		text, err := json.Marshal([]any{c.String(), c.train.y, fmt.Sprint(c.train.x, c.train.weights, c.data), c.kinds})
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	for seed := range uint64(20) {
		if a, b := encoded(seed), encoded(seed); a != b {
			t.Fatalf("seed %d gives two scenarios:\n%s\n%s", seed, a, b)
		}
	}
	if encoded(1) == encoded(2) {
		t.Error("the seeds 1 and 2 give the same scenario")
	}
}

// TestChecks checks that each check passes for a correct training and fails for
// a corrupted one.
func TestChecks(t *testing.T) {
	fingerprint := func(t *trial) { t.fingerprint = "another" }
	score := func(t *trial) {
		for i := range t.raw {
			t.raw[i] += 1e-3
		}
	}
	otherClass := func(t *trial) {
		for i := range t.codes {
			t.codes[i] = (t.codes[i] + 1) % len(t.model.Classes())
		}
	}
	corruptions := map[string]func(*trial){
		"loss":            func(t *trial) { t.result.TrainLoss *= 1.1 },
		"interim losses":  func(t *trial) { t.progress[2].TrainLoss *= 1.1 },
		"finite":          func(t *trial) { t.raw[1] = math.NaN() },
		"threads":         fingerprint,
		"levels":          fingerprint,
		"plain Train":     func(t *trial) { t.result.Iterations++ },
		"trainer":         fingerprint,
		"interrupted":     fingerprint,
		"continued":       fingerprint,
		"feature layouts": fingerprint,
		"scaled":          score,
		"dataset file":    fingerprint,
		"builder":         fingerprint,
		"order":           fingerprint,
		"concurrent":      fingerprint,
		"model file":      score,
		"paths":           score,
		"leaves":          score,
		"evaluation":      func(t *trial) { t.result.Valid.Errors++ },
		"shap":            score,
		"derived":         nil,
		"monotone": func(t *trial) {
			up := strings.TrimSuffix(strings.Repeat("1,", len(t.model.Classes())), ",")
			t.params.MonotoneConstraints = `{"0":[` + up + `]}` // all scores rise together only if none does
		},
		"sets":           otherClass,
		"probabilities":  otherClass,
		"export":         nil,
		"staged":         score,
		"new rows":       nil,
		"estimate":       nil,
		"invalid values": nil,
		"invalid data":   nil,
	}
	for _, check := range checks {
		corrupt, ok := corruptions[check.name]
		if !ok {
			t.Errorf("check %s is not tested", check.name)
			continue
		}
		tried := correctTrial(t)
		if err := check.run(tried, newDice(1, check.name)); err != nil {
			t.Errorf("%s: %v", check.name, err)
		}
		if corrupt == nil {
			continue
		}
		if corrupt(tried); check.run(tried, newDice(1, check.name)) == nil {
			t.Errorf("%s passes for a corrupted training", check.name)
		}
	}
	w := &worker{}
	first := correctTrial(t)
	if err := w.checkKept(first, dice{}); err != nil {
		t.Error(err)
	}
	if score(first); w.checkKept(correctTrial(t), dice{}) == nil {
		t.Error("the check of earlier models passes for a corrupted model")
	}
}

func correctTrial(t *testing.T) *trial {
	d := newDice(3, "test")
	rows := someRows(d, size{rows: 200, cols: 5, classes: 4})
	for rows.rows() < 100 {
		rows = someRows(d, size{rows: 200, cols: 5, classes: 4})
	}
	rows.x = make([][]float64, 4)
	rows.fill(d, "gaussian", "integer", "missing")
	p := aoso.DefaultParams()
	p.NEstimators, p.NThread, p.Calibration = 12, 1, "none"
	tried, err := newTrial(&scenario{
		size: small, shape: "test", train: rows.slice(0, 80), valid: rows.slice(80, rows.rows()), params: p,
		kinds: map[string]string{}, every: 1, limit: 10,
	}, t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	return tried
}
