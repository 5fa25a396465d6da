package main

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/libaoso/aoso/cmd/aoso/internal/spelling"
	"github.com/libaoso/aoso/spec"
)

// otherFlags is what other programs call flags that are no parameters.
var otherFlags = map[string]string{
	"border-count": "max-bin",
	"train-data":   "data", "input": "data", "valid-data": "valid", "validation": "valid", "eval-set": "valid",
	"label-column": "label", "target": "label", "weight-column": "weight", "weights": "weight", "sample-weight": "weight",
	"groups": "group", "group-column": "group", "times": "time", "time-column": "time", "timestamp": "time",
	"ignore-column": "ignore", "drop": "ignore", "features": "columns", "categorical-feature": "categorical", "cat-features": "categorical",
	"init-model": "init", "output-model": "model", "output-file": "out", "sep": "separator", "delimiter": "separator", "silent": "quiet",
}

// otherCommands is what other programs call commands.
var otherCommands = map[string]string{
	"fit": "train", "evaluate": "eval", "test": "eval", "score": "eval", "shap": "explain", "importance": "explain",
	"convert": "export", "search": "tune", "quantize": "bin", "describe": "info", "dump": "info --dump",
}

// formerFlags returns the flags by their former names.
func formerFlags() map[string]string {
	flags := map[string]string{}
	add := func(aliases, name string) {
		for alias := range strings.FieldsSeq(aliases) {
			flags[flagName(alias)] = flagName(name)
		}
	}
	for _, p := range spec.Parameters {
		add(p.Aliases, p.Name)
	}
	for _, e := range spec.Elsewheres {
		add(e.Aliases, e.Argument)
	}
	return flags
}

// understand lets a command take flags by their former names, by the names that other
// libraries have for them, and with _ in place of -. It says once what a flag of another
// library is called here.
func understand(c *cobra.Command) {
	flags, told := c.Flags(), map[string]bool{}
	own := map[string]bool{}
	flags.VisitAll(func(f *pflag.Flag) { own[f.Name] = true })
	former, foreign, similar := formerFlags(), map[string]string{}, map[string]string{}
	for other, name := range otherFlags {
		foreign[other] = name
	}
	for _, p := range spec.Parameters {
		for _, names := range []string{p.Others.LightGBM, p.Others.XGBoost, p.Others.CatBoost, p.Others.ScikitLearn} {
			for word := range strings.FieldsSeq(names) {
				other, isSimilar := strings.CutPrefix(flagName(word), "~")
				foreign[other] = flagName(p.Name)
				if isSimilar {
					similar[other] = strings.TrimSpace(", which is similar. " + p.Others.Note)
				}
			}
		}
	}
	flags.SetNormalizeFunc(func(_ *pflag.FlagSet, name string) pflag.NormalizedName {
		given := flagName(name)
		if name := former[given]; !own[given] && own[name] {
			return pflag.NormalizedName(name)
		}
		name, ok := foreign[given]
		if own[given] || !ok || !own[name] {
			return pflag.NormalizedName(given)
		}
		if !told[given] {
			told[given] = true
			fmt.Fprintf(c.ErrOrStderr(), "aoso: --%s is --%s here%s\n", given, name, similar[given])
		}
		return pflag.NormalizedName(name)
	})
}

// unknownFlag adds to an error of a flag what may have been meant.
func unknownFlag(c *cobra.Command, err error) error {
	unknown, ok := errors.AsType[*pflag.NotExistError](err)
	if !ok {
		return err
	}
	var names []string
	c.Flags().VisitAll(func(f *pflag.Flag) { names = append(names, f.Name) })
	name := unknown.GetSpecifiedName()
	if letters := unknown.GetSpecifiedShortnames(); letters != "" {
		whole, _, _ := strings.Cut(letters, "=")
		if slices.Contains(names, whole) {
			return fmt.Errorf("no flag -%s; did you mean --%s, with two dashes?", letters, whole)
		}
		name = letters
	}
	instead := spelling.Suggestion(name, names, "--%s")
	if instead == "" {
		instead = fmt.Sprintf("; %s --help lists the flags", c.CommandPath())
	}
	return fmt.Errorf("no flag --%s%s", name, instead)
}

// unknownCommand returns the error of a command that there is not.
func unknownCommand(c *cobra.Command, name string) error {
	if known := otherCommands[name]; known != "" {
		return fmt.Errorf("no command %q; did you mean %s %s?", name, c.CommandPath(), known)
	}
	var names []string
	for _, command := range c.Commands() {
		names = append(names, command.Name())
	}
	instead := spelling.Suggestion(name, names, c.CommandPath()+" %s")
	if instead == "" {
		instead = "; the commands are " + strings.Join(names, ", ")
	}
	return fmt.Errorf("no command %q%s", name, instead)
}

// missingFlags turns cobra's error about flags that must be given into a sentence.
func missingFlags(c *cobra.Command, err error) error {
	list, isMissing := strings.CutPrefix(err.Error(), "required flag(s) ")
	if !isMissing {
		return err
	}
	list = strings.TrimSuffix(list, " not set")
	flags := strings.ReplaceAll(strings.ReplaceAll(list, `", "`, " and --"), `"`, "")
	return fmt.Errorf("%s needs --%s; %[1]s --help lists the flags", c.CommandPath(), flags)
}

// noArguments returns the check of commands that take only flags.
func noArguments(c *cobra.Command, args []string) error {
	switch {
	case len(args) == 0:
		return nil
	case c.HasSubCommands():
		return unknownCommand(c, args[0])
	case c.Flags().Lookup("data") != nil:
		return fmt.Errorf("unexpected argument %q; files are given with flags, such as --data %s", args[0], args[0])
	}
	return fmt.Errorf("unexpected argument %q; allowed: flags, which %s --help lists", args[0], c.CommandPath())
}
