package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/libaoso/aoso"
	"github.com/libaoso/aoso/cmd/aoso/internal/shell"
	"github.com/libaoso/aoso/internal/terminal"
)

// suggester is the command suggest.
type suggester struct {
	reader
	data    string
	options aoso.DatasetOptions
	json    bool
}

func newSuggest() *cobra.Command {
	s := &suggester{}
	c := &cobra.Command{
		Use:   "suggest --data FILE",
		Short: "Find columns of numbers that are codes of categories",
		Long: `Find columns of numbers that are codes of categories, such as of a profession,
by what that gains. It trains small models on parts of the rows, with the numbers
of a column as numbers and as categories, and compares the log loss of the others.
Tried are columns of 3 to 100 different whole numbers, at most 20, on at most
10,000 rows. train --categorical auto takes the columns that are suggested.`,
		Example: `  aoso suggest --data people.csv --label income`,
		RunE:    work(s.run),
	}
	f := c.Flags()
	f.SortFlags = false
	f.StringVar(&s.data, "data", "", "labelled `file`")
	s.reader.bind(c)
	s.reader.bindKinds(c)
	f.Uint64Var(&s.options.Seed, "seed", 0, "seed of the rows and their folds")
	f.IntVar(&s.options.NThread, "nthread", 0, "threads; 0: the cores that the process may use")
	f.BoolVar(&s.json, "json", false, "print the result as one line of JSON")
	require(c, "data")
	return c
}

// codeColumn is a column that was tried, in the JSON line of suggest.
type codeColumn struct {
	Column    string  `json:"column"`
	Values    int     `json:"values"`
	Gain      float64 `json:"gain"`
	Error     float64 `json:"error"`
	Suggested bool    `json:"suggested"`

	feature int
}

func (s *suggester) run(c *cobra.Command) error {
	if err := s.checkData(); err != nil {
		return err
	}
	if s.takeAuto() {
		return usageError(errors.New(`categorical is "auto"; allowed: columns, since suggest finds the others`))
	}
	d, err := s.read(s.data)
	if err != nil {
		return err
	}
	i := interruptions()
	defer i.stop()
	columns, err := d.suggestCodes(i, s.options)
	switch code := i.code(); {
	case code != 0 && err != nil:
		return &commandError{errors.New("interrupted; no column suggested"), code}
	case err != nil:
		return in(s.data, err)
	case s.json:
		return json.NewEncoder(c.OutOrStdout()).Encode(append([]codeColumn{}, columns...))
	}
	w := tabwriter.NewWriter(c.OutOrStdout(), 0, 0, 2, ' ', tabwriter.AlignRight)
	if len(columns) > 0 {
		fmt.Fprintln(w, "values\tgain\terror\tsuggested\t  column")
	}
	var suggested []string
	for _, column := range columns {
		answer := "no"
		if column.Suggested {
			answer, suggested = "yes", append(suggested, "--categorical "+shell.Word(column.Column))
		}
		fmt.Fprintf(w, "%d\t%.4f\t%.4f\t%s\t  %s\n", column.Values, column.Gain, column.Error, answer, terminal.Plain(column.Column))
	}
	if err := w.Flush(); err != nil {
		return err
	}
	if suggested == nil {
		_, err = fmt.Fprintln(c.OutOrStdout(), "no column gains as categories")
	} else {
		_, err = fmt.Fprintln(c.OutOrStdout(), "\nfor train:", terminal.Plain(strings.Join(suggested, " ")))
	}
	return err
}

// suggestCodes returns the columns that may be codes, those suggested first.
func (d *data) suggestCodes(ctx context.Context, o aoso.DatasetOptions) (columns []codeColumn, err error) {
	o.Names, o.Categorical, o.Weights = d.names, d.coded, d.weights
	labels := aoso.StringLabels(d.labels)
	if d.shares != nil {
		labels, o.Shares, o.ShareClasses = nil, d.shares.table(), d.shares.classes
	}
	found, err := o.SuggestCodes(ctx, d.features(), labels)
	for _, s := range found {
		columns = append(columns, codeColumn{d.nameOf(s.Feature), s.Values, s.Gain, s.Error, s.Suggested, s.Feature})
	}
	return columns, err
}

// nameOf returns the name of a column, or its index.
func (d *data) nameOf(j int) string {
	if d.names == nil {
		return fmt.Sprint(j)
	}
	return d.names[j]
}

// takeAuto takes the word auto from the columns of --categorical, and reports whether it was there.
func (r *reader) takeAuto() bool {
	given := len(r.layout.Categorical)
	r.layout.Categorical = slices.DeleteFunc(r.layout.Categorical, func(column string) bool { return column == "auto" })
	return len(r.layout.Categorical) < given
}

// takeCodes takes the numbers of columns that are codes for categories, and says which.
func (r *reader) takeCodes(file string, d *data, o aoso.DatasetOptions) error {
	columns, err := d.suggestCodes(context.Background(), o)
	if err != nil {
		return in(file, err)
	}
	var taken []string
	for _, c := range columns {
		if c.Suggested {
			d.coded = append(d.coded, c.feature)
			taken = append(taken, fmt.Sprintf("%s (%d values, log loss -%.4f ± %.4f)", c.Column, c.Values, c.Gain, c.Error))
		}
	}
	if taken != nil {
		r.tell(file, "numbers taken for categories: "+strings.Join(taken, ", "))
	}
	return nil
}
