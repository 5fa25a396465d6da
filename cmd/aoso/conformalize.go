package main

import (
	"github.com/spf13/cobra"

	"github.com/libaoso/aoso"
)

// conformalizer is the command conformalize.
type conformalizer struct{ deriver }

func newConformalize() *cobra.Command {
	k := &conformalizer{}
	c := &cobra.Command{
		Use:   "conformalize --model FILE --data FILE --out FILE",
		Short: "Take the scores for prediction sets from data that the model has not seen",
		Long: `Take the scores for prediction sets from data that the model has not seen. The
sets of predict --sets ALPHA then miss the class of a row that is drawn like these
data with a probability of at most ALPHA. Without it, the scores are those of the
rows that training held out. Predictions do not change.`,
		Example: `  aoso conformalize --model letters.aoso --data valid.csv --out letters.aoso`,
		RunE:    work(k.run),
	}
	k.bind(c)
	return c
}

func (k *conformalizer) run(c *cobra.Command) error {
	m, d, err := k.load()
	if err != nil {
		return err
	}
	labels, err := d.hard("conformalize")
	if err != nil {
		return err
	}
	if m, err = m.Conformalize(d.features(), labels, d.weights, aoso.PredictOptions{NThread: k.threads}); err != nil {
		return err
	}
	return k.save(c, m, nil)
}
