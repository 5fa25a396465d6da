// Command torture runs random trainings, on data of every shape and with random
// values of every parameter, and checks the properties that every training must
// have. It must be run in the root of the repository.
//
//	torture -runs 1000             run 1000 trainings
//	torture -time 10m              run for 10 minutes
//	torture -seed 123 -runs 1 -v   repeat one training
//
// The seed determines everything about a training: scenario.go draws it,
// shape.go draws the data, parameter.go draws the parameters, and checks.go has
// the checks. Trainings run in worker processes. A crash or a hang of a worker is
// a fault too. The exit status is 1 if there were faults.
package main

import (
	"flag"
	"fmt"
	"log"
	"math"
	"os"
	"runtime"
	"strings"
	"time"
)

func main() {
	log.SetFlags(0)
	log.SetPrefix("torture: ")
	var o options
	o.parse()
	switch {
	case o.memoryOf:
		if err := measureMemory(o.seed); err != nil {
			log.Fatal(err)
		}
		return
	case o.worker:
		if err := o.newWorker().serve(os.Stdin, os.Stdout); err != nil {
			log.Fatal(err)
		}
		return
	}
	if !o.torture() {
		os.Exit(1)
	}
}

type options struct {
	seed      uint64
	runs      int
	time      time.Duration
	workers   int
	hang      time.Duration
	memory    float64
	only      string
	c, python string
	verbose   bool
	worker    bool
	memoryOf  bool
}

func (o *options) parse() {
	flag.Uint64Var(&o.seed, "seed", 0, "`seed` of the first training, incremented for each further one (0: from the clock)")
	flag.IntVar(&o.runs, "runs", 0, "maximum `number` of trainings (0: no limit)")
	flag.DurationVar(&o.time, "time", 0, "start no training after this `time` (0: no limit)")
	flag.IntVar(&o.workers, "workers", runtime.NumCPU(), "`number` of worker processes")
	flag.DurationVar(&o.hang, "hang", 5*time.Minute, "a training that takes longer than this `time` counts as hung")
	flag.Float64Var(&o.memory, "memory", 0.02, "`share` of the trainings whose memory is measured")
	flag.StringVar(&o.only, "check", "", "run only the check with this `name`, for every training")
	flag.StringVar(&o.c, "c", "", "train through C too, with this compiled client.c (a `file`)")
	flag.StringVar(&o.python, "python", "", "train through Python too, with this `interpreter`")
	flag.BoolVar(&o.verbose, "v", false, "print every training")
	flag.BoolVar(&o.worker, "worker", false, "internal: run as a worker that reads seeds and writes outcomes")
	flag.BoolVar(&o.memoryOf, "measure", false, "internal: measure the memory of the training given by -seed")
	flag.Parse()
	if flag.NArg() > 0 {
		log.Fatalf("argument %q; only flags are allowed", flag.Arg(0))
	}
	if o.runs == 0 && o.time == 0 && !o.worker && !o.memoryOf {
		o.time = time.Minute
	}
}

func (o *options) newWorker() *worker {
	w := &worker{memory: o.memory, only: o.only}
	if o.c != "" {
		w.clients = append(w.clients, newClient("c", o.c))
	}
	if o.python != "" {
		w.clients = append(w.clients, newClient("python", o.python, "tools/torture/clients/client.py"))
	}
	return w
}

// shared returns the flags that a worker needs and that are needed to repeat a
// training.
func (o *options) shared() (flags []string) {
	flags = append(flags, fmt.Sprintf("-memory=%g", o.memory))
	for name, value := range map[string]string{"c": o.c, "python": o.python, "check": o.only} {
		if value != "" {
			flags = append(flags, fmt.Sprintf("-%s=%s", name, value))
		}
	}
	return flags
}

// torture runs the trainings and reports whether there were no faults.
func (o *options) torture() bool {
	if o.seed == 0 {
		o.seed = uint64(time.Now().UnixMilli()) * 1000
	}
	if o.runs == 0 {
		o.runs = math.MaxInt
	}
	r := newReport(os.Stdout, o.verbose, "go run ./tools/torture "+strings.Join(o.shared(), " "))
	started := 0
	p := &pool{
		args: append([]string{"-worker"}, o.shared()...),
		hang: o.hang,
		next: func() (uint64, bool) {
			if started == o.runs || o.time > 0 && time.Since(r.start) > o.time {
				return 0, false
			}
			started++
			return o.seed + uint64(started-1), true
		},
		finish: r.add,
	}
	err := p.run(min(o.workers, o.runs))
	if err != nil {
		log.Print(err)
	}
	ok := r.summary() && err == nil
	if o.only != "" && r.checks[o.only] == 0 {
		log.Printf("check is %q, which was never run; without -check, the summary lists the names", o.only)
		ok = false
	}
	return ok
}
