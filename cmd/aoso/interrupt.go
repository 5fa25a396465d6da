package main

import (
	"context"
	"os"
	"os/signal"
	"runtime"
	"sync/atomic"
	"syscall"
)

// interruption is a context that ends when a signal asks the program to end, so
// that the program can save its work. A second Ctrl-C ends the program at once.
// The other signals may come twice without effect, as when a terminal closes.
type interruption struct {
	context.Context
	signals chan os.Signal
	first   atomic.Int32 // 0: none
}

// interruptions waits for signals until stop. It leaves alone the signals that
// the program was started to ignore, as by nohup.
func interruptions() *interruption {
	ctx, cancel := context.WithCancel(context.Background())
	i := &interruption{Context: ctx, signals: make(chan os.Signal, 1)}
	for _, s := range []os.Signal{syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP} {
		if runtime.GOARCH != "wasm" && !signal.Ignored(s) { // WebAssembly has no signals, and Ignored panics there
			signal.Notify(i.signals, s)
		}
	}
	go func() {
		defer cancel()
		for s := range i.signals {
			number, _ := s.(syscall.Signal)
			if !i.first.CompareAndSwap(0, int32(number)) && number == syscall.SIGINT {
				os.Exit(exitSignal + int(number))
			}
			cancel()
		}
	}()
	return i
}

// code returns the exit code for the first signal; 0: there was none.
func (i *interruption) code() int {
	if s := i.first.Load(); s != 0 {
		return exitSignal + int(s)
	}
	return 0
}

func (i *interruption) stop() {
	signal.Stop(i.signals)
	close(i.signals)
}
