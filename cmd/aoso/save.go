package main

import (
	"encoding/json"
	"fmt"
	"os"

	"github.com/spf13/cobra"

	"github.com/libaoso/aoso"
	"github.com/libaoso/aoso/internal/modelio"
	"github.com/libaoso/aoso/internal/terminal"
)

// saver saves the model of a command that derives one model from others.
type saver struct {
	out  string
	json bool
}

func (s *saver) bind(c *cobra.Command) {
	c.Flags().StringVar(&s.out, "out", "", "model `file` to write; may be the file that is read")
	c.Flags().BoolVar(&s.json, "json", false, "print the result as one line of JSON")
	require(c, "out")
}

// check checks, before any work, that the model can be saved.
func (s *saver) check() error { return modelio.Writable(s.out) }

// saveModel saves a model. If that fails, as on a full disk, the work is not lost: the model
// goes to a file in the folder of temporary files, which the error names.
func saveModel(m *aoso.Model, file string) error {
	err := m.Save(file)
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
	if err := saveModel(m, s.out); err != nil {
		return err
	}
	line := saved{Trees: m.Trees(), Fingerprint: m.Fingerprint(), Temperature: m.Temperature(), ConformalRows: m.ConformalRows(), Model: s.out}
	if calibration != nil {
		line.LogLossBefore, line.LogLossAfter = &calibration.Before, &calibration.After
	}
	if s.json {
		return unlessSaved(json.NewEncoder(c.OutOrStdout()).Encode(line), s.out)
	}
	out := reports(c)
	if calibration != nil {
		fmt.Fprintf(out, "temperature %.5g\nlogloss     %.6g, was %.6g\n", calibration.Temperature, calibration.After, calibration.Before)
	}
	_, err := fmt.Fprintf(out, "model       %s: %s, fingerprint %s\n", terminal.Plain(s.out), count(line.Trees, "tree"), line.Fingerprint)
	return unlessSaved(err, s.out)
}
