package linear

import (
	"github.com/libaoso/aoso/internal/data"
	"github.com/libaoso/aoso/internal/model"
	"github.com/libaoso/aoso/internal/par"
)

// Prior returns scores without features: the log of the class frequencies, with half a row added to each class.
func Prior(set *data.Set, team *par.Team) *model.Linear {
	f := &fit{set: set, team: team, classes: len(set.Classes)}
	f.weigh()
	f.count()
	f.solve()
	return f.scores(0)
}
