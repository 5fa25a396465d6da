package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"

	"github.com/spf13/cobra"

	"github.com/libaoso/aoso"
	"github.com/libaoso/aoso/internal/modelio"
	"github.com/libaoso/aoso/internal/terminal"
)

// loadModel loads a model from a file, or from standard input if the name is "-". That none of the
// others may be.
func loadModel(file string, others ...string) (*aoso.Model, error) {
	switch {
	case file != "-":
		return aoso.Load(file)
	case slices.Contains(others, "-"):
		return nil, usageError(errors.New("two files are standard input; allowed: one"))
	}
	m, err := aoso.Read(os.Stdin)
	if err != nil {
		return nil, in("stdin", err)
	}
	return m, nil
}

// saver saves the model of a command that derives one model from others.
type saver struct {
	command *cobra.Command
	out     string
	json    bool
}

func (s *saver) bind(c *cobra.Command) {
	s.command = c
	c.Flags().StringVar(&s.out, "out", "", "model `file` to write, or - for standard output; may be the file that is read")
	c.Flags().BoolVar(&s.json, "json", false, "print the result as one line of JSON")
	require(c, "out")
}

// check checks, before any work, that the model can be saved.
func (s *saver) check() error { return checkModel(s.command, s.out, s.json) }

// checkModel checks, before any work, that saveModel can write to a file.
func checkModel(c *cobra.Command, file string, asJSON bool) error {
	switch {
	case file != "-":
		return modelio.Writable(file)
	case asJSON:
		return usageError(errors.New("--json is given, and the model goes to standard output; allowed: a file for the model"))
	case isTerminal(c.OutOrStdout()):
		return usageError(errors.New("standard output, to which the model goes, is a terminal; allowed: a file or a pipe"))
	}
	return nil
}

// reportsOn returns where a command describes the model that it has saved in a file.
func reportsOn(c *cobra.Command, file string) io.Writer {
	if file == "-" {
		return notes(c)
	}
	return reports(c)
}

// shownModel returns what messages call the file of a saved model.
func shownModel(file string) string {
	if file == "-" {
		return "standard output"
	}
	return terminal.Plain(file)
}

// saveModel saves a model in a file, or writes it to standard output if the name is "-". If that
// fails, as on a full disk, the work is not lost: the model goes to a file in the folder of
// temporary files, which the error names.
func saveModel(c *cobra.Command, m *aoso.Model, file string) error {
	var err error
	if file == "-" {
		err = m.Write(c.OutOrStdout())
	} else {
		err = m.Save(file)
	}
	if err == nil {
		return nil
	}
	other, tempErr := os.CreateTemp("", "model-*.aoso")
	if tempErr != nil {
		return err
	}
	defer other.Close()
	if tempErr = m.Write(other); tempErr == nil {
		tempErr = other.Sync()
	}
	if tempErr != nil {
		os.Remove(other.Name())
		return fmt.Errorf("%w; nor %s: %w", err, other.Name(), tempErr)
	}
	return fmt.Errorf("%w; the model is in %s instead", err, other.Name())
}

// warnCooled warns that a derived model does not keep the temperature.
func warnCooled(c *cobra.Command, file string, m *aoso.Model) {
	if t := m.Temperature(); t != 1 {
		warn(c.ErrOrStderr(), "the new model does not keep the temperature of %s, %.5g; see aoso calibrate", file, t)
	}
}

// saved is the JSON line about a saved model.
type saved struct {
	Trees         int      `json:"trees"`
	Fingerprint   string   `json:"fingerprint"`
	Temperature   float64  `json:"temperature"`
	ConformalRows int      `json:"conformal_rows"`
	LogLossBefore *float64 `json:"logloss_before,omitempty"` // of calibrate
	LogLossAfter  *float64 `json:"logloss_after,omitempty"`
	Model         string   `json:"model"`
}

// save saves a model and prints a report. calibration may be nil.
func (s *saver) save(c *cobra.Command, m *aoso.Model, calibration *aoso.Calibration) error {
	if err := saveModel(c, m, s.out); err != nil {
		return err
	}
	line := saved{Trees: m.Trees(), Fingerprint: m.Fingerprint(), Temperature: m.Temperature(), ConformalRows: m.ConformalRows(), Model: s.out}
	if calibration != nil {
		line.LogLossBefore, line.LogLossAfter = &calibration.Before, &calibration.After
	}
	if s.json {
		return unlessSaved(json.NewEncoder(c.OutOrStdout()).Encode(line), s.out)
	}
	out := reportsOn(c, s.out)
	if calibration != nil {
		fmt.Fprintf(out, "temperature %.5g\nlogloss     %.6g, was %.6g\n", calibration.Temperature, calibration.After, calibration.Before)
	}
	_, err := fmt.Fprintf(out, "model       %s: %s, fingerprint %s\n", shownModel(s.out), count(line.Trees, "tree"), line.Fingerprint)
	return unlessSaved(err, s.out)
}
