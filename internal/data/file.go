package data

import (
	"cmp"
	"errors"
	"fmt"
	"slices"

	"github.com/libaoso/aoso/internal/bin"
	"github.com/libaoso/aoso/internal/category"
	"github.com/libaoso/aoso/internal/mem"
	"github.com/libaoso/aoso/internal/modelio"
	"github.com/libaoso/aoso/internal/par"
)

// header is the JSON header of a dataset file.
type header struct {
	Rows     int      `json:"rows"`
	Weighted bool     `json:"weighted"`
	Grouped  bool     `json:"grouped"` // the set has further column encodings, which the file leaves out
	Classes  []string `json:"classes"`
	Features []string `json:"features"`
	Named    bool     `json:"named,omitempty"` // the names were given, though they equal generated ones
	Label    string   `json:"label_name,omitempty"`
}

// Writer returns a writer of the set as a dataset file.
func (s *Set) Writer() *modelio.Writer {
	w := s.writer(s.Matrix.Rows)
	modelio.Add(w, "codes", s.Matrix.Codes())
	s.Encoder.Write(w)
	if s.Values != nil {
		values := make([]float64, s.Values.Cols()*s.Values.Rows())
		for j := range s.Values.Cols() {
			s.Values.Column(j, 0, values[j*s.Rows():][:s.Rows()])
		}
		modelio.Add(w, "values", values) // of the encoded features, column after column
	}
	return w
}

// writer returns a writer with everything that precedes the codes, of a set with this many rows.
func (s *Set) writer(rows int) *modelio.Writer {
	w := modelio.NewWriter(modelio.Dataset, header{rows, s.Weights != nil, s.Grouped, s.Classes, s.Names, s.Named && modelio.Generated(s.Names), s.LabelName})
	var bins, missing []uint8
	var lower, upper, edges []float64
	for _, f := range s.Mapper.Features {
		m := uint8(0)
		if f.Missing {
			m = 1
		}
		bins, missing = append(bins, uint8(len(f.Lower))), append(missing, m)
		lower, upper, edges = append(lower, f.Lower...), append(upper, f.Upper...), append(edges, f.Edges...)
	}
	modelio.Add(w, "bins", bins) // the number of bins by feature
	modelio.Add(w, "missing", missing)
	modelio.Add(w, "lower", lower) // by bin, feature after feature
	modelio.Add(w, "upper", upper)
	modelio.Add(w, "edges", edges)
	modelio.Add(w, "labels", s.Labels)
	modelio.Add(w, "weights", s.Weights)
	if s.IDs != nil {
		modelio.Add(w, "row_ids", s.IDs)
	}
	if s.Soft != nil {
		modelio.Add(w, "soft_ends", s.Soft.Ends)
		modelio.Add(w, "soft_classes", s.Soft.Classes)
		modelio.Add(w, "soft_shares", s.Soft.Shares)
	}
	return w
}

// Decode reads a set from a file in memory. The set owns the memory then.
func Decode(memory *mem.Block) (*Set, error) {
	file, err := modelio.Open(modelio.Dataset, memory.Bytes())
	if err != nil {
		return nil, err
	}
	var h header
	if err := file.Meta(&h); err != nil {
		return nil, err
	}
	var bins, missing, codes []uint8
	var lower, upper, edges []float64
	s := &Set{Names: h.Features, Named: h.Named || !modelio.Generated(h.Features), LabelName: h.Label}
	s.Classes = h.Classes
	if err := cmp.Or(
		modelio.Read(file, "bins", &bins),
		modelio.Read(file, "missing", &missing),
		modelio.Read(file, "lower", &lower),
		modelio.Read(file, "upper", &upper),
		modelio.Read(file, "edges", &edges),
		modelio.Read(file, "labels", &s.Labels),
		modelio.Read(file, "weights", &s.Weights),
		modelio.Read(file, "codes", &codes),
	); err != nil {
		return nil, err
	}
	if file.Has("row_ids") {
		if err := modelio.Read(file, "row_ids", &s.IDs); err != nil {
			return nil, err
		}
	}
	if file.Has("soft_ends") {
		s.Soft = &Soft{}
		if err := cmp.Or(
			modelio.Read(file, "soft_ends", &s.Soft.Ends),
			modelio.Read(file, "soft_classes", &s.Soft.Classes),
			modelio.Read(file, "soft_shares", &s.Soft.Shares),
		); err != nil {
			return nil, err
		}
	}
	if !h.Weighted {
		if len(s.Weights) > 0 {
			return nil, fmt.Errorf("%w: it has %d weights, though its header says that it has none", modelio.ErrCorrupt, len(s.Weights))
		}
		s.Weights = nil
	}
	if s.Encoder, err = category.Read(file, len(s.Names), len(s.Classes)); err != nil {
		return nil, err
	}
	if s.Mapper, err = mapperOf(bins, missing, lower, upper, edges, s.Encoder.Codes(len(s.Names))); err == nil {
		err = s.check(h.Rows)
	}
	if err != nil {
		return nil, fmt.Errorf("%w: %w", modelio.ErrCorrupt, err)
	}
	if file.Has("values") {
		v := &fileValues{rows: h.Rows, cols: len(s.Names)}
		if err := modelio.Read(file, "values", &v.values); err != nil {
			return nil, err
		}
		if len(v.values) != v.rows*v.cols {
			return nil, fmt.Errorf("%w: it has %d values of %d rows and %d features", modelio.ErrCorrupt, len(v.values), v.rows, v.cols)
		}
		s.Values = v
	}
	team := par.NewTeam(0)
	defer team.Close()
	if s.Matrix = s.Mapper.Matrix(codes, h.Rows, memory, team); s.Matrix == nil {
		return nil, fmt.Errorf("%w: its codes do not fit %d rows and its bins", modelio.ErrCorrupt, h.Rows)
	}
	if h.Grouped {
		return s, s.Group(team)
	}
	return s, nil
}

// mapperOf returns the bins of the features, given the arrays of a file and the number of codes by feature.
func mapperOf(bins, missing []uint8, lower, upper, edges []float64, codes []int) (*bin.Mapper, error) {
	if len(codes) != len(bins) {
		return nil, fmt.Errorf("%d features with bins have names for %d", len(bins), len(codes))
	}
	m := &bin.Mapper{Features: make([]bin.Feature, len(bins))}
	total, cuts := 0, 0
	for _, n := range bins {
		total, cuts = total+int(n), cuts+int(max(n, 1))-1
	}
	if len(missing) != len(bins) || len(lower) != total || len(upper) != total || len(edges) != cuts {
		return nil, fmt.Errorf("%d features have %d bins, but missing, lower, upper and edges have %d, %d, %d and %d numbers", len(bins), total, len(missing), len(lower), len(upper), len(edges))
	}
	for j, n := range bins {
		cuts := max(n, 1) - 1
		f := &m.Features[j]
		*f = bin.Feature{
			Lower:   slices.Clone(lower[:n]),
			Upper:   slices.Clone(upper[:n]),
			Edges:   slices.Clone(edges[:cuts]),
			Missing: missing[j] != 0,

			Categorical: codes[j] > 0,
		}
		if f.Categorical && int(n) != codes[j] {
			return nil, fmt.Errorf("feature %d has %d bins for %d categories", j, n, codes[j])
		}
		if !f.Valid() || missing[j] > 1 {
			return nil, fmt.Errorf("the bins of feature %d do not rise, or missing is neither 0 nor 1", j)
		}
		lower, upper, edges = lower[n:], upper[n:], edges[cuts:]
	}
	return m, nil
}

// check checks the labels, weights, ids, names and classes of a set with this many rows, and counts the unknown labels.
func (s *Set) check(rows int) error {
	switch {
	case rows != len(s.Labels):
		return fmt.Errorf("%d rows have %d labels", rows, len(s.Labels))
	case len(s.Names) == 0:
		return errors.New("there are no features")
	case s.Weights != nil && len(s.Weights) != rows:
		return fmt.Errorf("%d rows have %d weights", rows, len(s.Weights))
	case s.IDs != nil && len(s.IDs) != rows:
		return fmt.Errorf("%d rows have %d ids", rows, len(s.IDs))
	}
	if err := modelio.CheckNames("classes", s.Classes, modelio.MaxClasses); err != nil {
		return err
	}
	for i, y := range s.Labels {
		if y < -1 || int(y) >= len(s.Classes) {
			return fmt.Errorf("row %d has label %d of %d classes", i, y, len(s.Classes))
		}
		if y < 0 {
			s.Unknown++
		}
	}
	if s.Soft != nil {
		if err := s.Soft.check(&s.Target); err != nil {
			return err
		}
	}
	if first, second, found := RepeatedID(s.IDs); found {
		return fmt.Errorf("rows %d and %d have the id %d", first, second, s.IDs[first])
	}
	total := 0.0
	for i, w := range s.Weights {
		if w != 0 && !(float64(w) >= MinWeight/10 && float64(w) <= 10*MaxWeight) { // float32 rounds
			return fmt.Errorf("row %d has weight %v", i, w)
		}
		total += float64(w)
	}
	if s.Weights != nil && rows > 0 && total == 0 {
		return errors.New("all weights are 0")
	}
	return nil
}

// MinWeight and MaxWeight bound the weights that are not 0, far within the range of float32.
const MinWeight, MaxWeight = 1e-15, 1e15
