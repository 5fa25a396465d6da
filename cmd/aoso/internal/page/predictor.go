package page

import (
	"bytes"
	"encoding/csv"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/libaoso/aoso"
	"github.com/libaoso/aoso/cmd/aoso/internal/table"
)

// Predictor is a model that predicts rows and files.
type Predictor struct {
	Classes     []string  `json:"classes"`
	Features    []Feature `json:"features"`
	Trees       int       `json:"trees"`
	Fingerprint string    `json:"fingerprint"`
	Bytes       int       `json:"bytes"`

	model *aoso.Model
}

// Feature is a feature of a model.
type Feature struct {
	Name       string   `json:"name"`
	Categories []string `json:"categories"` // nil: numbers
	Gain       float64  `json:"gain"`       // share of the gain of all splits
}

// Load reads a model file.
func Load(name string, file []byte) (*Predictor, error) {
	m, err := aoso.Read(bytes.NewReader(file))
	switch {
	case errors.Is(err, aoso.ErrNotModel):
		return nil, fmt.Errorf("%s is not a model file of aoso; allowed: a file that this page, the command or a library of aoso has saved", name)
	case err != nil:
		return nil, fmt.Errorf("%s cannot be read: %w", name, err)
	}
	gain, err := m.Importance("gain")
	if err != nil {
		return nil, err
	}
	total := 0.0
	for _, g := range gain {
		total += g
	}
	p := &Predictor{Classes: m.Classes(), Trees: m.Trees(), Fingerprint: m.Fingerprint(), Bytes: len(file), model: m}
	for j, feature := range m.FeatureNames() {
		share := 0.0
		if total > 0 {
			share = gain[j] / total
		}
		p.Features = append(p.Features, Feature{feature, m.Categories(j), share})
	}
	return p, nil
}

// Row is the prediction of a row.
type Row struct {
	Proba   []float64 `json:"proba"`
	Unknown []string  `json:"unknown"` // features whose categories the model does not know, so that they count as missing
}

// Row predicts a row, whose cells are in the order of the features.
func (p *Predictor) Row(cells []string) (*Row, error) {
	var text bytes.Buffer
	line := func(cells []string) {
		for j, c := range cells {
			if j > 0 {
				text.WriteByte(',')
			}
			text.WriteString(`"` + strings.ReplaceAll(c, `"`, `""`) + `"`) // in quotes, # begins no comment
		}
		text.WriteByte('\n')
	}
	o := table.Options{Label: "none", Header: "no", Dialect: table.Dialect{Separator: ",", Decimal: "."}}
	if p.model.Named() {
		o.Header = "yes"
		line(p.model.FeatureNames())
	}
	line(cells)
	x, _, err := read(text.Bytes(), "the row", p.model, o)
	if e, ok := errors.AsType[*table.Error](err); ok {
		return nil, fmt.Errorf("%s: %s", e.Column, e.Msg)
	}
	if err != nil {
		return nil, err
	}
	r := &Row{}
	for j, f := range p.Features {
		if c := strings.TrimSpace(cells[j]); c != "" && f.Categories != nil && !slices.Contains(f.Categories, c) {
			r.Unknown = append(r.Unknown, f.Name)
		}
	}
	r.Proba, err = p.model.PredictProba(x)
	return r, err
}

// Predictions has the predictions for a file.
type Predictions struct {
	Rows   int     `json:"rows"`
	Name   string  `json:"name"`
	Counts []Value `json:"counts"` // rows by predicted class, those of the most frequent classes
	Left   string  `json:"left"`   // columns that the model does not have

	Text []byte `json:"-"` // CSV: the class and its probabilities, by row
}

// File predicts the rows of a CSV file, with or without labels.
func (p *Predictor) File(name string, file []byte) (*Predictions, error) {
	x, t, err := read(file, name, p.model, table.Options{LabelOptional: true})
	if err != nil {
		return nil, err
	}
	proba, err := p.model.PredictProba(x)
	if err != nil {
		return nil, err
	}
	predicted, err := p.model.Predict(x)
	if err != nil {
		return nil, err
	}
	var out bytes.Buffer
	w, counts := csv.NewWriter(&out), make([]Value, len(p.Classes))
	w.Write(append([]string{"predicted"}, p.Classes...))
	record := make([]string, 1+len(p.Classes))
	for k, class := range p.Classes {
		counts[k].Text = class
	}
	for i, k := range predicted {
		record[0] = p.Classes[k]
		counts[k].Rows++
		for c, v := range proba[i*len(p.Classes):][:len(p.Classes)] {
			record[1+c] = number(v)
		}
		w.Write(record)
	}
	w.Flush()
	slices.SortStableFunc(counts, func(a, b Value) int { return b.Rows - a.Rows })
	stem, _, _ := strings.Cut(name, ".")
	left := ""
	if t.Strange != nil {
		left = table.Listed(t.Strange)
	}
	return &Predictions{t.Rows, stem + ".predictions.csv", counts[:min(len(counts), mostCommon)], left, out.Bytes()}, nil
}
