package bin

import "math"

const (
	packedMissing = 1 << iota
	packedCategorical
)

// Pack appends the feature to v, to send it to another rank.
func (f *Feature) Pack(v []uint64) []uint64 {
	var flags uint64
	if f.Missing {
		flags |= packedMissing
	}
	if f.Categorical {
		flags |= packedCategorical
	}
	v = append(v, uint64(len(f.Lower)), flags)
	for b := range f.Lower {
		v = append(v, math.Float64bits(f.Lower[b]), math.Float64bits(f.Upper[b]))
	}
	return v
}

// Unpack returns the feature at the beginning of v, and the rest of v. ok is false if v does not begin with a valid feature.
func Unpack(v []uint64) (f Feature, rest []uint64, ok bool) {
	if len(v) < 2 || v[0] > MaxValueBins || uint64(len(v)-2) < 2*v[0] {
		return f, nil, false
	}
	f.Missing, f.Categorical = v[1]&packedMissing != 0, v[1]&packedCategorical != 0
	bins, rest := v[2:][:2*v[0]], v[2+2*v[0]:]
	for ; len(bins) > 0; bins = bins[2:] {
		f.appendBin(math.Float64frombits(bins[0]), math.Float64frombits(bins[1]))
	}
	return f, rest, f.Valid()
}
