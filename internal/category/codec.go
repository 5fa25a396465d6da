package category

import (
	"cmp"
	"fmt"
	"slices"
	"unicode/utf8"

	"github.com/libaoso/aoso/internal/bin"
	"github.com/libaoso/aoso/internal/modelio"
)

// numeric is the number of categories that a file stores for a numeric feature.
const numeric = -1

// Write adds the encoder to a file. A nil encoder adds nothing.
func (e *Encoder) Write(w *modelio.Writer) {
	if e == nil {
		return
	}
	var counts []int32
	var names, rated, columns []uint8
	var ends []uint64
	var weights, rates []float32
	for i := range e.Features {
		f := &e.Features[i]
		count := int32(numeric)
		if f.Categories != nil {
			count = int32(len(f.Categories))
		}
		yes := uint8(0)
		if f.Rated {
			yes = 1
		}
		counts, rated, columns = append(counts, count), append(rated, yes), append(columns, uint8(len(f.Rates)))
		for _, name := range f.Categories {
			names = append(names, name...)
			ends = append(ends, uint64(len(names)))
		}
		weights, rates = append(weights, slices.Concat(f.Weights...)...), append(rates, slices.Concat(f.Rates...)...)
	}
	modelio.Add(w, "categories", counts)        // number of categories by feature; −1: numeric
	modelio.Add(w, "category_names", names)     // all names, concatenated
	modelio.Add(w, "category_name_ends", ends)  // the offset in category_names at which each name ends
	modelio.Add(w, "category_rated", rated)     // by feature: 1 if it is target encoded
	modelio.Add(w, "category_columns", columns) // by feature: the number of its further columns
	modelio.Add(w, "category_weights", weights) // by further column but a feature's last: of each class
	modelio.Add(w, "category_rates", rates)     // by further column: of each category, and last of unseen ones
	if len(e.Crosses) > 0 {
		var crosses []int32
		for _, c := range e.Crosses {
			crosses = append(crosses, int32(c.First), int32(c.Second), int32(c.Op))
		}
		modelio.Add(w, "crosses", crosses) // two features and an operation each
	}
}

// Read reads an encoder from the file of a model or dataset with these numbers of features and classes. It returns nil if the file has
// no encoder.
func Read(file *modelio.File, features, classes int) (*Encoder, error) {
	if !file.Has("categories") {
		return nil, nil
	}
	var r reader
	var counts []int32
	var rated, columns []uint8
	if err := cmp.Or(
		modelio.Read(file, "categories", &counts),
		modelio.Read(file, "category_names", &r.names),
		modelio.Read(file, "category_name_ends", &r.ends),
		modelio.Read(file, "category_rated", &rated),
		modelio.Read(file, "category_columns", &columns),
		modelio.Read(file, "category_weights", &r.weights),
		modelio.Read(file, "category_rates", &r.rates),
	); err != nil {
		return nil, err
	}
	if len(counts) != features || len(rated) != features || len(columns) != features {
		return nil, corrupt("categories, category_rated and category_columns have %d, %d and %d numbers in place of %d", len(counts), len(rated), len(columns), features)
	}
	r.classes = classes
	e := &Encoder{Features: make([]Feature, features)}
	any := false
	for j := range e.Features {
		if counts[j] == numeric && rated[j] == 0 && columns[j] == 0 {
			continue
		}
		any = true
		if err := r.feature(&e.Features[j], int(counts[j]), rated[j], int(columns[j])); err != nil {
			return nil, corrupt("feature %d %w", j, err)
		}
	}
	if err := e.readCrosses(file); err != nil {
		return nil, err
	}
	if !any && len(e.Crosses) == 0 || len(r.ends) > 0 || r.begin != uint64(len(r.names)) || len(r.rates) > 0 || len(r.weights) > 0 {
		return nil, corrupt("there are names, rates or weights of no category")
	}
	return e, nil
}

// readCrosses reads the crosses of a file, which may have none.
func (e *Encoder) readCrosses(file *modelio.File) error {
	if !file.Has("crosses") {
		return nil
	}
	var numbers []int32
	if err := modelio.Read(file, "crosses", &numbers); err != nil {
		return err
	}
	if len(numbers) == 0 || len(numbers)%3 != 0 {
		return corrupt("crosses has %d numbers, not three for each", len(numbers))
	}
	for n := range slices.Chunk(numbers, 3) {
		c := Cross{int(n[0]), int(n[1]), Op(n[2])}
		if n[2] < 0 || n[2] >= int32(ops) || !e.Crossable(c) {
			return corrupt("features %d and %d have no cross %d", n[0], n[1], n[2])
		}
		e.Crosses = append(e.Crosses, c)
	}
	return nil
}

func corrupt(what string, args ...any) error {
	return fmt.Errorf("%w: "+what, append([]any{modelio.ErrCorrupt}, args...)...)
}

// reader holds the arrays of a file while features are read from them one after the other.
type reader struct {
	names   []uint8
	begin   uint64    // the offset of the next name
	ends    []uint64  // of the names that are left
	weights []float32 // that are left
	rates   []float32 // that are left

	classes int
}

// feature reads the next categorical feature.
func (r *reader) feature(f *Feature, count int, rated uint8, columns int) error {
	if count < 0 || count > len(r.ends) || rated > 1 || rated == 0 && (count > bin.MaxValueBins || columns > 1) || rated == 1 && columns == 0 {
		return fmt.Errorf("has %d categories and %d columns, and rated is %d", count, columns, rated)
	}
	f.Categories, f.Rated = make([]string, count), rated == 1
	seen := make(map[string]bool, count)
	for i, end := range r.ends[:count] {
		if end < r.begin || end > uint64(len(r.names)) {
			return fmt.Errorf("has a name that ends at %d", end)
		}
		name := string(r.names[r.begin:end])
		if seen[name] || !utf8.ValidString(name) {
			return fmt.Errorf("has a category %q that is there twice or is not UTF-8", name)
		}
		seen[name], f.Categories[i], r.begin = true, name, end
	}
	r.ends = r.ends[count:]
	var err error
	for range columns - 1 {
		if f.Weights, err = takeColumn(f.Weights, &r.weights, r.classes); err != nil {
			return err
		}
	}
	for range columns {
		if f.Rates, err = takeColumn(f.Rates, &r.rates, count+1); err != nil {
			return err
		}
	}
	return nil
}

// takeColumn moves n numbers from 0 to 1 to a column of their own.
func takeColumn(columns [][]float32, from *[]float32, n int) ([][]float32, error) {
	if len(*from) < n {
		return nil, fmt.Errorf("has %d rates or weights in place of %d", len(*from), n)
	}
	for _, x := range (*from)[:n] {
		if !(x >= 0 && x <= 1) {
			return nil, fmt.Errorf("has the rate or weight %v", x)
		}
	}
	columns, *from = append(columns, slices.Clone((*from)[:n])), (*from)[n:]
	return columns, nil
}
