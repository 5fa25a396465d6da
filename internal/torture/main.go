// Command torture trains at random: on data of every shape, with values of
// every parameter, and checks of each training all that must hold. It is run
// in the repository's root.
//
//	torture -runs 1000             so many trainings
//	torture -time 10m              for so long
//	torture -seed 123 -runs 1 -v   one training again
//
// A training is drawn from its seed alone: scenario.go says how, shape.go what
// data look like, parameter.go which values parameters have, checks.go what is
// checked. Trainings run in processes of their own, whose crashes and hangs
// are faults as well. The exit status is 1 if there were faults.
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
	flag.Uint64Var(&o.seed, "seed", 0, "seed of the first training; those after it follow (0: of the time)")
	flag.IntVar(&o.runs, "runs", 0, "trainings (0: no bound)")
	flag.DurationVar(&o.time, "time", 0, "time after which no training is begun (0: no bound)")
	flag.IntVar(&o.workers, "workers", runtime.NumCPU(), "processes")
	flag.DurationVar(&o.hang, "hang", 5*time.Minute, "time after which a training counts as hung")
	flag.Float64Var(&o.memory, "memory", 0.02, "share of the trainings whose memory is measured")
	flag.StringVar(&o.only, "check", "", "make this check alone, and of every training")
	flag.StringVar(&o.c, "c", "", "client.c, compiled: trains through C as well")
	flag.StringVar(&o.python, "python", "", "interpreter for client.py: trains through Python as well")
	flag.BoolVar(&o.verbose, "v", false, "print every training")
	flag.BoolVar(&o.worker, "worker", false, "be a worker: read seeds, write outcomes")
	flag.BoolVar(&o.memoryOf, "measure", false, "be the process that measures the memory of the training of -seed")
	flag.Parse()
	if flag.NArg() > 0 {
		log.Fatalf("argument %q; allowed: flags only", flag.Arg(0))
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
		w.clients = append(w.clients, newClient("python", o.python, "internal/torture/clients/client.py"))
	}
	return w
}

// shared is the flags that a worker, and one who tries a seed again, need.
func (o *options) shared() (flags []string) {
	flags = append(flags, fmt.Sprintf("-memory=%g", o.memory))
	for name, value := range map[string]string{"c": o.c, "python": o.python, "check": o.only} {
		if value != "" {
			flags = append(flags, fmt.Sprintf("-%s=%s", name, value))
		}
	}
	return flags
}

// torture tells whether there were no faults.
func (o *options) torture() bool {
	if o.seed == 0 {
		o.seed = uint64(time.Now().UnixMilli()) * 1000
	}
	if o.runs == 0 {
		o.runs = math.MaxInt
	}
	r := newReport(os.Stdout, o.verbose, "go run ./internal/torture "+strings.Join(o.shared(), " "))
	given := 0
	p := &pool{
		args: append([]string{"-worker"}, o.shared()...),
		hang: o.hang,
		next: func() (uint64, bool) {
			if given == o.runs || o.time > 0 && time.Since(r.start) > o.time {
				return 0, false
			}
			given++
			return o.seed + uint64(given-1), true
		},
		finish: r.add,
	}
	err := p.run(min(o.workers, o.runs))
	if err != nil {
		log.Print(err)
	}
	well := r.summary() && err == nil
	if o.only != "" && r.checks[o.only] == 0 {
		log.Printf("check is %q, which no training had; allowed: the names listed without -check", o.only)
		well = false
	}
	return well
}
