package main

import (
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/libaoso/aoso"
	"github.com/libaoso/aoso/internal/terminal"
)

// validFlag is --valid, which can be given several times: the first set decides when
// training ends, and the others are only evaluated.
type validFlag struct{ t *trainer }

func (f *validFlag) String() string { return "" }
func (f *validFlag) Type() string   { return "file" }

func (f *validFlag) Set(file string) error {
	switch {
	case file == "":
		return errors.New("allowed: the name of a file")
	case f.t.valid == "":
		f.t.valid = file
	default:
		f.t.others = append(f.t.others, &otherSet{file: file})
	}
	return nil
}

// otherSet is a further validation set.
type otherSet struct {
	file string
	data *data
	set  *aoso.Dataset
}

// inputs returns the files that the command reads.
func (t *trainer) inputs() []string {
	files := []string{t.data, t.valid, t.init}
	for _, other := range t.others {
		files = append(files, other.file)
	}
	return files
}

// readValidation reads a validation set.
func (t *trainer) readValidation(file string, train *aoso.Dataset, stderr io.Writer) (*data, *aoso.Dataset, error) {
	d, err := t.readValid(file, train)
	if err != nil {
		return nil, nil, err
	}
	set, err := d.aligned(train)
	if err != nil {
		return nil, nil, in(file, err)
	}
	if n := set.Unknown(); n > 0 {
		warn(stderr, "%d of the %d rows of %s have labels that the training data do not have; they count as errors", n, set.Rows(), file)
	}
	return d, set, nil
}

// evaluatedSet is a further validation set in the JSON line of train.
type evaluatedSet struct {
	File      string   `json:"file"`
	Rows      int      `json:"rows"`
	Unknown   int      `json:"unknown"`
	Errors    int      `json:"errors"`
	ErrorRate float64  `json:"error_rate"`
	LogLoss   *float64 `json:"logloss"`
}

// evaluate evaluates a model on the further validation sets.
func (t *trainer) evaluate(m *aoso.Model) ([]evaluatedSet, error) {
	var sets []evaluatedSet
	for _, other := range t.others {
		o := aoso.PredictOptions{NThread: t.params.NThread, Level: t.params.Level}
		v, err := other.data.evaluate(m, o)
		if err != nil {
			return nil, err
		}
		sets = append(sets, evaluatedSet{
			other.file, other.set.Rows(), other.set.Unknown(), v.Errors, v.ErrorRate, finite(v.LogLoss),
		})
	}
	return sets, nil
}

func (e *evaluatedSet) tell(w io.Writer) {
	fmt.Fprintf(w, "validation  %s of %s (%.2f %%)", count(e.Errors, "error"), count(e.Rows, "row"), 100*e.ErrorRate)
	if e.LogLoss != nil {
		fmt.Fprintf(w, ", logloss %.5f", *e.LogLoss)
	}
	fmt.Fprintf(w, " in %s\n", terminal.Plain(e.File))
}

// classWeights returns the weights that --class-weight gives to the classes; nil: it is not
// there.
func (t *trainer) classWeights(train *aoso.Dataset) ([]float64, error) {
	switch t.classWeight {
	case "":
		return nil, nil
	case "balanced":
		return train.BalancedWeights(), nil
	}
	numbers := map[string]int{}
	weights := make([]float64, len(train.Classes()))
	for k, class := range train.Classes() {
		numbers[class], weights[k] = k, 1
	}
	for given := range strings.SplitSeq(t.classWeight, ",") {
		at := max(strings.LastIndex(given, "="), 0)
		weight, err := strconv.ParseFloat(strings.TrimPrefix(given[at:], "="), 64)
		if at == 0 || err != nil {
			return nil, usageError(fmt.Errorf("class_weight has %q; allowed: balanced, or CLASS=WEIGHT,…", given))
		}
		k, known := numbers[given[:at]]
		if !known {
			return nil, usageError(fmt.Errorf("class_weight has %q, which is no class of %s", given[:at], t.data))
		}
		weights[k] = weight
	}
	return weights, nil
}
