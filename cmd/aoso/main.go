// Command aoso trains and applies AOSO-LogitBoost models from the command
// line. Results go to standard output, progress and messages to standard error.
package main

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"runtime/debug"
	"strings"
	"syscall"

	"github.com/spf13/cobra"

	"github.com/libaoso/aoso/internal/mem"
	"github.com/libaoso/aoso/internal/par"
	"github.com/libaoso/aoso/internal/terminal"
)

// The exit codes.
const (
	exitFailed = 1
	exitUsage  = 2
	exitSignal = 128 // plus the number of the signal that ended the command
)

func main() {
	signal.Ignore(syscall.SIGPIPE) // failed writes return errors instead
	if os.Getenv("GOMEMLIMIT") == "" {
		debug.SetMemoryLimit(int64(0.9 * mem.Plannable()))
	}
	os.Exit(run(os.Args[1:], os.Stdout, os.Stderr))
}

// run runs one command line and returns the exit code.
func run(args []string, stdout, stderr io.Writer) int {
	out := newOutput(stdout)
	root := newRoot()
	root.SetFlagErrorFunc(func(c *cobra.Command, err error) error {
		if names := len(strings.Fields(c.CommandPath())); c.HasSubCommands() && names <= len(args) && !strings.HasPrefix(args[names-1], "-") {
			return unknownCommand(c, args[names-1])
		}
		return unknownFlag(c, err)
	})
	root.SetArgs(args)
	root.SetOut(out)
	root.SetErr(stderr)
	c, err := root.ExecuteC()
	if err = cmp.Or(err, out.err); err == nil {
		return 0
	}
	err = missingFlags(c, err)
	code := exitUsage // cobra's own errors are about the command line
	if e, ok := errors.AsType[*commandError](err); ok {
		code = e.code
	}
	if out.err != nil && errors.Is(err, out.err) {
		code = out.code()
		if err.Error() == out.err.Error() && code != exitFailed {
			return code // as after "aoso … | head"
		}
	}
	fmt.Fprintln(stderr, "aoso: "+oneLine(err))
	return code
}

// newRoot returns the command aoso with all its commands.
func newRoot() *cobra.Command {
	root := &cobra.Command{
		Use:   "aoso",
		Short: "Multi-class gradient boosting with AOSO-LogitBoost",
		Long: `Multi-class gradient boosting with AOSO-LogitBoost.

Data files are CSV or LIBSVM, plain or compressed with gzip, zstd, bzip2 or xz,
Parquet, or Arrow IPC (Feather); "-" is standard input, also for models. How a CSV
file is written is found out: its separator, decimal commas, and whether it has a
header. Empty cells, NA, NaN and ? are missing values.`,
		Example: `  aoso train --data train.csv --model letters.aoso
  aoso predict --model letters.aoso --data test.csv --out predicted.csv`,
		Version:            version(),
		SilenceErrors:      true,
		SilenceUsage:       true,
		DisableSuggestions: true,
	}
	root.AddGroup(commandGroups...)
	addCommands(root, "train", newTrain(), newTune(), newSuggest(), newBin())
	addCommands(root, "use", newPredict(), newEval(), newInfo(), newExplain(), newPlot(), newExport())
	addCommands(root, "derive", newTruncate(), newMerge(), newRefit(), newCalibrate(), newConformalize())
	addCommands(root, "other", newVersion())
	for _, command := range extra {
		root.AddCommand(command())
	}
	root.SetHelpCommandGroupID("other")
	root.SetCompletionCommandGroupID("other")
	root.PersistentFlags().Bool("quiet", false, "report nothing but warnings and errors")
	root.Run, root.Args = func(c *cobra.Command, _ []string) { c.Help() }, noArguments // errors are in out
	for _, c := range root.Commands() {
		for _, c := range append(c.Commands(), c) {
			c.Args = noArguments
			understand(c)
			addHelp(c)
		}
	}
	addHelp(root)
	return root
}

// extra makes the commands that only builds with tags have.
var extra []func() *cobra.Command

// addCommands adds commands to a group.
func addCommands(root *cobra.Command, group string, commands ...*cobra.Command) {
	for _, c := range commands {
		c.GroupID = group
		root.AddCommand(c)
	}
}

// commandError is an error with its exit code.
type commandError struct {
	error
	code int
}

func (e *commandError) Unwrap() error { return e.error }

// usageError marks an error in the command line.
func usageError(err error) error {
	if err == nil {
		return nil
	}
	return &commandError{err, exitUsage}
}

// work returns the RunE of a command that takes only flags.
func work(f func(*cobra.Command) error) func(*cobra.Command, []string) error {
	return func(c *cobra.Command, _ []string) (err error) {
		if os.Getenv("GOTRACEBACK") == "" {
			defer func() {
				if v := recover(); v != nil {
					err = &commandError{internalError(v), exitFailed}
				}
			}()
		}
		err = f(c)
		if err == nil {
			return nil
		}
		if _, ok := errors.AsType[*commandError](err); ok {
			return err
		}
		return &commandError{err, exitFailed}
	}
}

// internalError returns the error for a panic, which is a bug in aoso.
func internalError(v any) error {
	if p, ok := v.(*par.Panic); ok {
		v = p.Value
	}
	return fmt.Errorf("internal error: %v; please report this bug with the output that you get with GOTRACEBACK=all in the environment", v)
}

// in adds to an error of the library the file that the data are from.
func in(file string, err error) error {
	return fmt.Errorf("%s: %s", file, strings.TrimPrefix(err.Error(), "aoso: "))
}

// oneLine returns an error's text on one line, without the library's name in front.
func oneLine(err error) string {
	text := strings.Join(strings.FieldsFunc(err.Error(), func(r rune) bool { return r == '\n' || r == '\r' }), " ")
	return terminal.Plain(strings.TrimPrefix(text, "aoso: "))
}

// warn reports something odd that is not an error.
func warn(w io.Writer, format string, a ...any) {
	fmt.Fprintln(w, "aoso: warning: "+terminal.Plain(fmt.Sprintf(format, a...)))
}

// require marks flags that must be given.
func require(c *cobra.Command, names ...string) {
	for _, name := range names {
		if err := c.MarkFlagRequired(name); err != nil {
			panic(err)
		}
	}
}
