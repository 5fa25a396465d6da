package category

import (
	"cmp"
	"fmt"
	"slices"
	"unicode/utf8"

	"github.com/libaoso/aoso/internal/modelio"
)

// numeric stands for the number of categories of a numeric feature.
const numeric = -1

// Write adds the encoder to a file; nil adds nothing.
func (e *Encoder) Write(w *modelio.Writer) {
	if e == nil {
		return
	}
	var counts, rated []int32
	var other, codes, names []uint8
	var ends []uint64
	var rates []float32
	for i := range e.Features {
		f := &e.Features[i]
		count := int32(numeric)
		if f.Categories != nil {
			count = int32(len(f.Categories))
		}
		counts, other, rated = append(counts, count), append(other, f.Other), append(rated, int32(len(f.Rates)))
		for _, name := range f.Categories {
			names = append(names, name...)
			ends = append(ends, uint64(len(names)))
		}
		codes = append(codes, f.Codes...)
		for _, rate := range f.Rates {
			rates = append(rates, rate...)
		}
	}
	modelio.Add(w, "categories", counts)       // of each feature; −1: it is numeric
	modelio.Add(w, "category_names", names)    // one after the other
	modelio.Add(w, "category_name_ends", ends) // where each ends
	modelio.Add(w, "category_codes", codes)    // of each category
	modelio.Add(w, "category_other", other)    // by feature: the code of others
	modelio.Add(w, "category_rated", rated)    // by feature: the number of columns of rates
	modelio.Add(w, "category_rates", rates)    // column after column
}

// Read reads the encoder of so many features from a file; nil: it has none.
func Read(file *modelio.File, features int) (*Encoder, error) {
	if !file.Has("categories") {
		return nil, nil
	}
	var r reader
	var counts, rated []int32
	var other []uint8
	if err := cmp.Or(
		modelio.Read(file, "categories", &counts),
		modelio.Read(file, "category_names", &r.names),
		modelio.Read(file, "category_name_ends", &r.ends),
		modelio.Read(file, "category_codes", &r.codes),
		modelio.Read(file, "category_other", &other),
		modelio.Read(file, "category_rated", &rated),
		modelio.Read(file, "category_rates", &r.rates),
	); err != nil {
		return nil, err
	}
	if len(counts) != features || len(other) != features || len(rated) != features {
		return nil, corrupt("categories, category_other and category_rated have %d, %d and %d numbers in place of %d", len(counts), len(other), len(rated), features)
	}
	if len(r.ends) != len(r.codes) {
		return nil, corrupt("category_name_ends and category_codes have %d and %d numbers", len(r.ends), len(r.codes))
	}
	e := &Encoder{Features: make([]Feature, features)}
	any := false
	for j := range e.Features {
		if counts[j] == numeric && rated[j] == 0 && other[j] == 0 {
			continue
		}
		any = true
		if err := r.feature(&e.Features[j], int(counts[j]), int(rated[j]), other[j]); err != nil {
			return nil, corrupt("feature %d %w", j, err)
		}
	}
	if !any || len(r.ends) > 0 || r.begin != uint64(len(r.names)) || len(r.rates) > 0 {
		return nil, corrupt("there are names, codes or rates of no category")
	}
	return e, nil
}

func corrupt(what string, args ...any) error {
	return fmt.Errorf("%w: "+what, append([]any{modelio.ErrCorrupt}, args...)...)
}

// reader is the arrays of a file that are not read yet.
type reader struct {
	names []uint8
	begin uint64 // of the next name
	ends  []uint64
	codes []uint8
	rates []float32
}

// feature reads a categorical feature.
func (r *reader) feature(f *Feature, count, rated int, other uint8) error {
	if count < 0 || count > len(r.ends) || rated < 0 || rated > mostRates {
		return fmt.Errorf("has %d categories and %d columns of rates", count, rated)
	}
	f.Categories, f.Other = make([]string, count), other
	f.Codes, r.codes = slices.Clone(r.codes[:count]), r.codes[count:]
	if f.Codes == nil {
		f.Codes = []uint8{}
	}
	seen := make(map[string]bool, count)
	for i, end := range r.ends[:count] {
		if end < r.begin || end > uint64(len(r.names)) {
			return fmt.Errorf("has a name that ends at %d", end)
		}
		name := string(r.names[r.begin:end])
		if seen[name] || !utf8.ValidString(name) || f.Codes[i] == 0 {
			return fmt.Errorf("has a category %q that is there twice, is not UTF-8 or has no code", name)
		}
		seen[name], f.Categories[i], r.begin = true, name, end
	}
	r.ends = r.ends[count:]
	for range rated {
		if len(r.rates) <= count {
			return fmt.Errorf("has %d rates in place of %d", len(r.rates), count+1)
		}
		for _, rate := range r.rates[:count+1] {
			if !(rate >= 0 && rate <= 1) {
				return fmt.Errorf("has the rate %v", rate)
			}
		}
		f.Rates, r.rates = append(f.Rates, slices.Clone(r.rates[:count+1])), r.rates[count+1:]
	}
	return nil
}
