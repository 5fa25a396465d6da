package main

import (
	"github.com/spf13/cobra"

	"github.com/libaoso/aoso"
)

// calibrator is the command calibrate.
type calibrator struct{ deriver }

func newCalibrate() *cobra.Command {
	k := &calibrator{}
	c := &cobra.Command{
		Use:   "calibrate --model FILE --data FILE --out FILE",
		Short: "Fit a temperature to validation data, for better probabilities",
		Long: `Fit the temperature of a model to validation data. Raw scores are divided by
the temperature before they become probabilities. Predicted classes and raw
scores do not change. Do not use the training data.`,
		Example: `  aoso calibrate --model letters.aoso --data valid.csv --out letters.aoso`,
		RunE:    work(k.run),
	}
	k.bind(c)
	return c
}

func (k *calibrator) run(c *cobra.Command) error {
	m, d, err := k.load()
	if err != nil {
		return err
	}
	var report *aoso.Calibration
	if o := (aoso.PredictOptions{NThread: k.threads}); d.shares != nil {
		m, report, err = m.CalibrateSoft(d.features(), d.shares.table(), d.shares.classes, d.weights, o)
	} else {
		m, report, err = m.Calibrate(d.features(), aoso.StringLabels(d.labels), d.weights, o)
	}
	if err != nil {
		return err
	}
	return k.save(c, m, report)
}
