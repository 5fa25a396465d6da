package main

import (
	"bufio"
	"encoding/binary"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/libaoso/aoso"
	"github.com/libaoso/aoso/spec"
)

// client is a program that trains through another language. For each training,
// it reads a line "rows cols weighted folder params…". The folder contains the
// data; the client writes the raw scores of the training rows there. It answers
// with a line: the fingerprint and the training loss, or "error" and a message.
type client struct {
	language string
	args     []string
	command  *exec.Cmd // nil if the client is not running
	in       io.WriteCloser
	out      *bufio.Reader
	errors   head
}

func newClient(language string, args ...string) *client {
	return &client{language: language, args: args}
}

func (c *client) start() (err error) {
	c.command = exec.Command(c.args[0], c.args[1:]...)
	c.command.Env = append(os.Environ(), "PYTHONPATH=bindings/python/src", "PYTHONDONTWRITEBYTECODE=1")
	c.errors.reset()
	c.command.Stderr = &c.errors
	if c.in, err = c.command.StdinPipe(); err != nil {
		return err
	}
	out, err := c.command.StdoutPipe()
	if err != nil {
		return err
	}
	c.out = bufio.NewReader(out)
	return c.command.Start()
}

func (c *client) stop() {
	if c.command != nil {
		c.in.Close()
		c.command.Wait()
		c.command = nil
	}
}

// goroutines returns the number of goroutines that serve the client: one, which
// reads its stderr, if it is running.
func (c *client) goroutines() int {
	if c.command == nil {
		return 0
	}
	return 1
}

// check trains the scenario in the client and compares the results.
func (c *client) check(t *trial, d dice) error {
	if t.train.naming == words || t.data.MaxBin != 0 || t.data.SampleRows != 0 || t.params.EarlyStoppingRounds > 0 || t.data.Categorical != nil {
		return nil // the protocol cannot express these options
	}
	if t.phased() && (t.valid != nil || t.result.StoppedBy == aoso.StoppedByInterrupt) {
		return nil // the client has neither a validation set nor a limit, which decide here
	}
	if c.command == nil {
		if err := c.start(); err != nil {
			return err
		}
	}
	if err := t.writeData(t.folder); err != nil {
		return err
	}
	p := t.params
	if !t.phased() {
		p.NEstimators = t.finalTrees()
	}
	if d.chance(0.2) {
		if err := c.checkInvalid(t, p, d); err != nil {
			return err
		}
	}
	answer, err := c.ask(t, p.String())
	if err != nil {
		return err
	}
	fingerprint, loss, _ := strings.Cut(answer, " ")
	if fingerprint != t.fingerprint {
		return fmt.Errorf("answer %q, want fingerprint %s", answer, t.fingerprint)
	}
	if l, err := strconv.ParseFloat(loss, 64); err != nil || !sameBits(l, t.result.TrainLoss) {
		return fmt.Errorf("training loss %s, want %g", loss, t.result.TrainLoss)
	}
	raw := make([]float64, len(t.raw))
	if err := readNumbers(filepath.Join(t.folder, "raw"), raw); err != nil {
		return err
	}
	t.trainings++
	t.trees += t.model.Trees()
	return differ("raw scores", raw, t.raw)
}

// checkInvalid sends an invalid parameter value. The answer must name the
// parameter.
func (c *client) checkInvalid(t *trial, p fmt.Stringer, d dice) error {
	params := t.params
	name := pick(d, "learning_rate", "max_leaves", "n_estimators", "trim", "max_delta_step", "subsample", "metric")
	known, _, _ := spec.Find(name)
	value := generatorOf(known).invalid(&setting{dice: d, params: &params, classes: t.train.classes()})
	if value == "" || strings.Contains(value, ",") || value == "0" {
		value = "x" // the clients would not pass these values on as they are
	}
	answer, err := c.ask(t, fmt.Sprintf("%s %s=%s", p, name, value))
	if err != nil {
		return err
	}
	if !strings.HasPrefix(answer, "error ") || !strings.Contains(answer, name) {
		return fmt.Errorf("%s=%s: answer %q, want an error that names it", name, value, answer)
	}
	return nil
}

// ask sends a training to the client and returns its answer.
func (c *client) ask(t *trial, params string) (string, error) {
	weighted := 0
	if t.train.weights != nil {
		weighted = 1
	}
	fmt.Fprintf(c.in, "%d %d %d %s %s\n", t.train.rows(), t.train.cols(), weighted, t.folder, params)
	answer, err := c.out.ReadString('\n')
	if err != nil {
		state := c.command.Wait()
		c.command = nil
		return "", fmt.Errorf("the client exited: %v\n%s", state, &c.errors)
	}
	return strings.TrimSuffix(answer, "\n"), nil
}

// writeData writes the features (row by row), labels and weights to files.
func (t *trial) writeData(folder string) error {
	labels := make([]int32, t.train.rows())
	for i, y := range t.train.y {
		label, err := strconv.Atoi(t.train.naming.label(y))
		if err != nil {
			return err
		}
		labels[i] = int32(label)
	}
	if err := writeNumbers(filepath.Join(folder, "x"), t.train.rowMajor()); err != nil {
		return err
	}
	if err := writeNumbers(filepath.Join(folder, "y"), labels); err != nil {
		return err
	}
	return writeNumbers(filepath.Join(folder, "weights"), t.train.weights)
}

func writeNumbers(path string, numbers any) error {
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	if err := binary.Write(f, binary.LittleEndian, numbers); err != nil {
		f.Close()
		return err
	}
	return f.Close()
}

func readNumbers(path string, dst []float64) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	return binary.Read(bufio.NewReader(f), binary.LittleEndian, dst)
}
