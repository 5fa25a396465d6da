//go:build man

package main

import (
	"github.com/spf13/cobra"
	"github.com/spf13/cobra/doc"
)

// With the tag man, aoso man writes manual pages: go run -tags man ./cmd/aoso man --out DIR.
func init() { extra = append(extra, newMan) }

func newMan() *cobra.Command {
	var out string
	c := &cobra.Command{
		Use:    "man --out DIR",
		Short:  "Write the manual pages",
		Hidden: true,
		RunE: work(func(c *cobra.Command) error {
			header := &doc.GenManHeader{Section: "1", Source: "aoso", Manual: "aoso"}
			c.Root().DisableAutoGenTag = true
			return doc.GenManTree(c.Root(), header, out)
		}),
	}
	c.Flags().StringVar(&out, "out", "", "`directory` to write to")
	require(c, "out")
	return c
}
