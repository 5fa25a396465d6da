package columnar

import "encoding/json"

// pandasKey is the key of the metadata that pandas adds to a file.
const pandasKey = "pandas"

// markIndex marks the columns that pandas wrote from the index of a frame. Metadata
// that cannot be read mark none.
func markIndex(columns []Column, metadata string) {
	var pandas struct {
		Index []any `json:"index_columns"` // names of columns, or ranges, which are no columns
	}
	if metadata == "" || json.Unmarshal([]byte(metadata), &pandas) != nil {
		return
	}
	index := map[string]bool{}
	for _, of := range pandas.Index {
		if name, ok := of.(string); ok {
			index[name] = true
		}
	}
	for j := range columns {
		columns[j].Index = index[columns[j].Name]
	}
}
