//go:build man

package main

import (
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/cobra/doc"
	"github.com/spf13/pflag"
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
			nameValues(c.Root())
			header := &doc.GenManHeader{Section: "1", Source: "aoso", Manual: "aoso"}
			c.Root().DisableAutoGenTag = true
			return doc.GenManTree(c.Root(), header, out)
		}),
	}
	c.Flags().StringVar(&out, "out", "", "`directory` to write to")
	require(c, "out")
	return c
}

// nameValues makes the pages show the kind of a flag's value in place of its default, which the
// usage then tells.
func nameValues(c *cobra.Command) {
	c.Flags().VisitAll(func(f *pflag.Flag) {
		kind, usage := pflag.UnquoteUsage(f)
		if kind == "" {
			return // a switch
		}
		if zero := f.DefValue == "" || f.DefValue == "0" || f.DefValue == "[]"; !zero && !strings.Contains(usage, "default") {
			usage += " (default " + f.DefValue + ")"
		}
		f.Usage, f.DefValue = usage, kind
	})
	for _, child := range c.Commands() {
		nameValues(child)
	}
}
