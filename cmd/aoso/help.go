package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/libaoso/aoso/spec"
)

const documents = "https://github.com/libaoso/aoso"

// The groups of commands in the help of aoso.
var commandGroups = []*cobra.Group{
	{ID: "train", Title: "Train:"},
	{ID: "use", Title: "Use a model:"},
	{ID: "derive", Title: "Make a model from others:"},
	{ID: "other", Title: "Other:"},
}

// commonParameters are the parameters that --help lists.
var commonParameters = []string{
	"preset", "n_estimators", "max_leaves", "learning_rate", "early_stopping_rounds", "metric", "time_limit", "nthread", "seed",
}

// titleOf is the annotation of a flag that only --help-all lists: the title above it.
const titleOf = "title"

// listUnder has only --help-all list flags, under a title.
func listUnder(f *pflag.FlagSet, title string, names ...string) {
	for _, name := range names {
		if err := f.SetAnnotation(name, titleOf, []string{title}); err != nil {
			panic(err)
		}
	}
}

func title(f *pflag.Flag) string {
	if titles := f.Annotations[titleOf]; titles != nil {
		return titles[0]
	}
	return ""
}

// helpAll is the value of --help-all: it asks for help that lists every flag.
type helpAll struct {
	flags *pflag.FlagSet
	asked bool
}

func (h *helpAll) Set(string) error { h.asked = true; return h.flags.Set("help", "true") }
func (h *helpAll) String() string   { return "" }
func (h *helpAll) Type() string     { return "bool" }

// addHelp gives a command its help, and --help-all.
func addHelp(c *cobra.Command) {
	all := &helpAll{flags: c.Flags()}
	c.InitDefaultHelpFlag()
	c.Flags().Lookup("help").Usage = "show this help"
	var titles []string
	c.Flags().VisitAll(func(f *pflag.Flag) {
		if t := title(f); t != "" && !slices.Contains(titles, t) {
			titles = append(titles, t)
		}
	})
	c.Flags().Var(all, "help-all", "show all flags")
	flag := c.Flags().Lookup("help-all")
	flag.NoOptDefVal, flag.Hidden = "true", titles == nil
	c.SetUsageFunc(func(c *cobra.Command) error {
		_, err := fmt.Fprint(c.OutOrStdout(), usage(c, titles, all.asked))
		return err
	})
}

// usage returns the usage of a command. With all, it includes the flags under titles.
func usage(c *cobra.Command, titles []string, all bool) string {
	var b strings.Builder
	line := c.UseLine()
	if c.HasAvailableSubCommands() {
		line = c.CommandPath() + " COMMAND [flags]"
	}
	fmt.Fprintf(&b, "Usage:\n  %s\n", line)
	if c.HasExample() {
		fmt.Fprintf(&b, "\nExamples:\n%s\n", c.Example)
	}
	for _, group := range append(c.Groups(), &cobra.Group{Title: "Commands:"}) {
		head := "\n" + group.Title + "\n"
		for _, command := range c.Commands() {
			if command.GroupID == group.ID && (command.IsAvailableCommand() || command.Name() == "help") {
				fmt.Fprintf(&b, "%s  %-*s  %s\n", head, command.NamePadding(), command.Name(), command.Short)
				head = ""
			}
		}
	}
	list := func(head, under string) {
		flags := pflag.NewFlagSet("", pflag.ContinueOnError)
		flags.SortFlags = false
		for _, set := range []*pflag.FlagSet{c.LocalFlags(), c.InheritedFlags()} {
			set.SortFlags = false
			set.VisitAll(func(f *pflag.Flag) {
				if title(f) == under {
					flags.AddFlag(f)
				}
			})
		}
		fmt.Fprintf(&b, "\n%s:\n%s", head, flags.FlagUsages())
	}
	list("Flags", "")
	if all {
		for _, t := range titles {
			list(t, t)
		}
	} else if titles != nil {
		fmt.Fprintf(&b, "\n%s --help-all also lists the flags for: %s.\n", c.CommandPath(), strings.ToLower(strings.Join(titles, ", ")))
	}
	if c.HasAvailableSubCommands() {
		fmt.Fprintf(&b, "\n%s COMMAND --help describes a command.\n", c.CommandPath())
	}
	if !c.HasParent() {
		fmt.Fprintf(&b, "Documentation: %s\n", documents)
	}
	return b.String()
}

// bindParameters adds the flags of the parameters.
func bindParameters(c *cobra.Command, params *parameters) {
	f := c.Flags()
	for _, p := range spec.Parameters {
		name := flagName(p.Name)
		f.Var(&paramFlag{p, params}, name, p.Usage())
		if !slices.Contains(commonParameters, p.Name) {
			listUnder(f, p.Group, name)
		}
		if values := p.Values(); values != nil {
			complete(c, name, values...)
		}
	}
}

// complete has shells complete the values of a flag.
func complete(c *cobra.Command, flag string, values ...string) {
	fixed := cobra.FixedCompletions(values, cobra.ShellCompDirectiveNoFileComp)
	if err := c.RegisterFlagCompletionFunc(flag, fixed); err != nil {
		panic(err)
	}
}

// count returns a number with its noun: 1 tree, 2 trees.
func count(n int, noun string) string {
	if n != 1 {
		noun += "s"
	}
	return fmt.Sprintf("%d %s", n, noun)
}
