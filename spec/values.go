package spec

import "slices"

// Types of the parameters method, preset and metric, whose values are constants of package aoso.
type (
	Method string
	Preset string
	Metric string
)

// HigherIsBetter reports whether the better of two models has the higher value of the metric.
func (m Metric) HigherIsBetter() bool {
	return slices.Contains([]Metric{"auc_ovr", "auc_ovr_weighted", "auc_ovo", "auc_ovo_weighted", "f1_macro", "kappa"}, m)
}
