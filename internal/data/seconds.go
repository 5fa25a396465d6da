package data

// Seconds converts a time t in units of 1/per seconds to seconds. The result for a time does not depend on the unit.
func Seconds(t, per int64) float64 {
	whole, rest := t/per, t%per
	if rest < 0 {
		whole, rest = whole-1, rest+per
	}
	return float64(whole) + float64(rest)/float64(per)
}
