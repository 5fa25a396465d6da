package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"sync"
	"syscall"
	"time"
)

// pool is a set of worker processes that run scenarios. If a process exits or
// hangs, its seed has a fault, and another process replaces it.
type pool struct {
	args    []string // arguments of a worker
	hang    time.Duration
	next    func() (seed uint64, more bool)
	finish  func(*outcome)
	mu      sync.Mutex
	failure error // error on starting a process
}

// run runs all seeds on the given number of workers.
func (p *pool) run(workers int) error {
	var group sync.WaitGroup
	for range workers {
		group.Go(func() {
			if err := p.work(); err != nil {
				p.mu.Lock()
				p.failure = err
				p.mu.Unlock()
			}
		})
	}
	group.Wait()
	return p.failure
}

// work sends seeds to a process. If the process dies, it starts another.
func (p *pool) work() error {
	var c *process
	for {
		p.mu.Lock()
		seed, more := p.next()
		p.mu.Unlock()
		if !more {
			return c.stop()
		}
		if c == nil {
			var err error
			if c, err = startProcess(p.args); err != nil {
				return err
			}
		}
		o, alive := c.try(seed, p.hang)
		if !alive {
			c = nil
		}
		p.mu.Lock()
		p.finish(o)
		p.mu.Unlock()
	}
}

// process is a worker process.
type process struct {
	command *exec.Cmd
	in      io.WriteCloser
	answers chan []byte // closed when the process exits
	errors  *head
}

func startProcess(args []string) (*process, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	c := &process{command: exec.Command(self, args...), answers: make(chan []byte), errors: &head{}}
	c.command.Stderr = c.errors
	c.command.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} // so that kill reaches its clients too
	if c.in, err = c.command.StdinPipe(); err != nil {
		return nil, err
	}
	out, err := c.command.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := c.command.Start(); err != nil {
		return nil, err
	}
	go func() {
		defer close(c.answers)
		for lines := bufio.NewReader(out); ; {
			line, err := lines.ReadBytes('\n')
			if err != nil {
				return
			}
			c.answers <- line
		}
	}()
	return c, nil
}

// try runs a scenario in the process. After a crash, a hang or a panic, alive is
// false and the process must not be used again.
func (c *process) try(seed uint64, hang time.Duration) (o *outcome, alive bool) {
	c.errors.reset()
	fmt.Fprintln(c.in, seed)
	select {
	case line, ok := <-c.answers:
		o = &outcome{Seed: seed}
		if !ok {
			err := c.command.Wait()
			o.Faults = []fault{{"crash", fmt.Sprintf("the worker exited: %v\n%s", err, c.errors)}}
			return o, false
		}
		if err := json.Unmarshal(line, o); err != nil {
			o.Faults = []fault{{"crash", fmt.Sprintf("the worker answered %q, which is not JSON", line)}}
			c.kill()
			return o, false
		}
		for _, f := range o.Faults {
			if strings.HasPrefix(f.Message, "panic: ") {
				c.kill()
				return o, false
			}
		}
		return o, true
	case <-time.After(hang):
		c.command.Process.Signal(syscall.SIGQUIT) // makes Go print the stacks of all goroutines
		select {
		case <-c.answers:
		case <-time.After(5 * time.Second):
		}
		c.kill()
		return &outcome{Seed: seed, Faults: []fault{{"hang", fmt.Sprintf("no answer after %v\n%s", hang, c.errors)}}}, false
	}
}

func (c *process) kill() {
	syscall.Kill(-c.command.Process.Pid, syscall.SIGKILL)
	for range c.answers {
	}
	c.command.Wait()
}

func (c *process) stop() error {
	if c == nil {
		return nil
	}
	c.in.Close()
	for range c.answers {
	}
	return c.command.Wait()
}

// head keeps the first 64 KiB that a process writes to stderr. A panic message
// and the first stacks are there.
type head struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (t *head) Write(p []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if room := 1<<16 - t.b.Len(); room > 0 {
		t.b.Write(p[:min(room, len(p))])
	}
	return len(p), nil
}

func (t *head) reset() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.b.Reset()
}

func (t *head) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.b.String()
}
