package aoso

import (
	"errors"
	"slices"

	"github.com/libaoso/aoso/internal/constraint"
	"github.com/libaoso/aoso/internal/fit"
)

// checkConstraints tells whether the texts of constraints can be read. What they
// mean depends on the data.
func (p *Params) checkConstraints() error {
	if err := constraint.CheckMonotone(p.MonotoneConstraints); err != nil {
		return badConstraint("monotone_constraints", err)
	}
	if err := constraint.CheckInteractions(p.InteractionConstraints); err != nil {
		return badConstraint("interaction_constraints", err)
	}
	return nil
}

func badConstraint(name string, err error) error {
	var wrong *constraint.Error
	if errors.As(err, &wrong) {
		return badArgument(name, inWords(wrong.Value), "%s", wrong.Allowed)
	}
	return err
}

// inWords describes a value, which an error does not quote.
type inWords string

// constrain reads the constraints on a training.
func constrain(job *fit.Job, train *Dataset, p *Params) error {
	signs, err := train.signs(p)
	if err != nil {
		return err
	}
	switch {
	case signs != nil && p.Leaf == "sparse":
		return badArgument("leaf", p.Leaf, "full or pair, with monotone_constraints")
	case signs != nil && p.Start == "linear":
		return badArgument("start", p.Start, "zero, with monotone constraints")
	}
	interactions, err := train.interactions(p)
	if err != nil {
		return err
	}
	if before := train.continued(); before != nil {
		if err := before.checkConstrained(train, p, signs, interactions); err != nil {
			return err
		}
	}
	if signs != nil { // of the features; further columns are categories' rates
		signs = slices.Grow(signs, len(train.set.Mapper.Features)-len(signs))[:len(train.set.Mapper.Features)]
	}
	job.Signs, job.Interactions = signs, interactions
	return nil
}

// signs is the monotone constraints by feature and class.
func (d *Dataset) signs(p *Params) ([][]int8, error) {
	signs, err := constraint.Monotone(p.MonotoneConstraints, d.set.Names, d.set.Classes)
	if err != nil {
		return nil, badConstraint("monotone_constraints", err)
	}
	for j := range signs {
		if signs[j] != nil && d.Categories(j) != nil {
			return nil, badArgument("monotone_constraints", inWords("for the categorical feature "+d.set.Names[j]), "numeric features, which have an order")
		}
	}
	return signs, nil
}

func (d *Dataset) interactions(p *Params) (*constraint.Interactions, error) {
	i, err := constraint.NewInteractions(p.InteractionConstraints, d.set.Names)
	if err != nil {
		return nil, badConstraint("interaction_constraints", err)
	}
	if i != nil {
		i.Owners = d.set.Encoder.Owners()
	}
	return i, nil
}

// checkConstrained tells whether a model to continue keeps the constraints on a
// training.
func (m *Model) checkConstrained(train *Dataset, p *Params, signs [][]int8, interactions *constraint.Interactions) error {
	if signs != nil {
		kept, err := train.signs(&m.params)
		if err != nil {
			return err
		}
		for j := range signs {
			if kept == nil || signs[j] != nil && !slices.Equal(kept[j], signs[j]) {
				return badArgument("monotone_constraints", p.MonotoneConstraints, "those of the model to continue: %s", orNone(m.params.MonotoneConstraints))
			}
		}
	}
	if interactions != nil && p.InteractionConstraints != m.params.InteractionConstraints {
		return badArgument("interaction_constraints", p.InteractionConstraints, "those of the model to continue: %s", orNone(m.params.InteractionConstraints))
	}
	return nil
}

func orNone(text string) string {
	if text == "" {
		return "none"
	}
	return text
}

// normalized is the parameters with constraints as JSON.
func (p Params) normalized() Params {
	for _, text := range []*string{&p.MonotoneConstraints, &p.InteractionConstraints} {
		if normal, ok := constraint.Normal(*text); ok {
			*text = normal
		}
	}
	return p
}

// constrainedAs drops the constraints that other parameters do not have.
func (p *Params) constrainedAs(o *Params) {
	if p.MonotoneConstraints != o.MonotoneConstraints {
		p.MonotoneConstraints = ""
	}
	if p.InteractionConstraints != o.InteractionConstraints {
		p.InteractionConstraints = ""
	}
}
