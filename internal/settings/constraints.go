package settings

import (
	"cmp"
	"errors"
	"slices"

	"github.com/libaoso/aoso/internal/argument"
	"github.com/libaoso/aoso/internal/constraint"
	"github.com/libaoso/aoso/internal/data"
	"github.com/libaoso/aoso/spec"
)

// checkConstraints returns an error if the texts of constraints cannot be read. What they
// mean depends on the data.
func (p *Params) checkConstraints() error {
	return cmp.Or(
		constraintError("monotone_constraints", constraint.CheckMonotone(p.MonotoneConstraints)),
		constraintError("interaction_constraints", constraint.CheckInteractions(p.InteractionConstraints)),
	)
}

// constraintError names the parameter that an error of its constraints is about.
func constraintError(name string, err error) error {
	if wrong, ok := errors.AsType[*constraint.Error](err); ok {
		return argument.New(name, argument.Words(wrong.Value), "%s", wrong.Allowed)
	}
	return err
}

// Constraints reads the constraints on training with a set: signs by column and class, and
// interactions; nil: none. before are the parameters of a model to continue, which must have the
// constraints too; nil: there is none.
func (p *Params) Constraints(set *data.Set, before *Params) (signs [][]int8, interactions *constraint.Interactions, err error) {
	if signs, err = p.Monotone(set.Names, set.Classes); err != nil {
		return nil, nil, err
	}
	for j := range signs {
		if signs[j] != nil && set.Encoder != nil && set.Encoder.Features[j].Categories != nil {
			value := argument.Words("for the categorical feature " + set.Names[j])
			return nil, nil, argument.New("monotone_constraints", value, "numeric features, which have an order")
		}
	}
	if signs != nil {
		if err := p.exclude(spec.WithMonotone); err != nil {
			return nil, nil, err
		}
	}
	if interactions, err = constraint.NewInteractions(p.InteractionConstraints, set.Names); err != nil {
		return nil, nil, constraintError("interaction_constraints", err)
	}
	if interactions != nil {
		for _, owners := range set.Encoder.Owners() { // there are no crosses
			interactions.Owners = append(interactions.Owners, int(owners[0]))
		}
	}
	if before != nil {
		kept, err := before.Monotone(set.Names, set.Classes)
		if err != nil {
			return nil, nil, err
		}
		for j := range signs {
			if kept == nil || signs[j] != nil && !slices.Equal(kept[j], signs[j]) {
				return nil, nil, notKept("monotone_constraints", p.MonotoneConstraints, before.MonotoneConstraints)
			}
		}
		if interactions != nil && p.InteractionConstraints != before.InteractionConstraints {
			return nil, nil, notKept("interaction_constraints", p.InteractionConstraints, before.InteractionConstraints)
		}
	}
	if signs != nil { // of the features; further columns are categories' rates
		columns := len(set.Mapper.Features)
		signs = slices.Grow(signs, columns-len(signs))[:columns]
	}
	return signs, interactions, nil
}

func notKept(name, text, before string) error {
	return argument.New(name, text, "those of the model to continue: %s", cmp.Or(before, "none"))
}

// Monotone returns the monotone constraints by feature and class; nil: there are none.
func (p *Params) Monotone(features, classes []string) ([][]int8, error) {
	signs, err := constraint.Monotone(p.MonotoneConstraints, features, classes)
	return signs, constraintError("monotone_constraints", err)
}

// normalized returns the parameters with constraints as JSON.
func (p Params) normalized() Params {
	for _, text := range []*string{&p.MonotoneConstraints, &p.InteractionConstraints} {
		if normal, ok := constraint.Normal(*text); ok {
			*text = normal
		}
	}
	return p
}

// DropUnshared drops the constraints that other parameters do not have.
func (p *Params) DropUnshared(o *Params) {
	if p.MonotoneConstraints != o.MonotoneConstraints {
		p.MonotoneConstraints = ""
	}
	if p.InteractionConstraints != o.InteractionConstraints {
		p.InteractionConstraints = ""
	}
}
