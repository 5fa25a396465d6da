package data

// Seconds returns a time in units, this many to a second, in seconds. It is the
// same number in every unit that holds the time.
func Seconds(t, per int64) float64 {
	whole, rest := t/per, t%per
	if rest < 0 {
		whole, rest = whole-1, rest+per
	}
	return float64(whole) + float64(rest)/float64(per)
}
