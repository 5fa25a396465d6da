package main

import (
	"fmt"
	"os"
	"strings"
	"sync"
	"time"
)

// watch samples the memory of the process until the function that it returns is
// called, which tells the most: all that was resident, and without the pages of
// files, which the system can take back.
func watch() func() string {
	const interval = 20 * time.Millisecond
	var most struct {
		sync.Mutex
		anonymous, file float64
	}
	look := func() {
		most.Lock()
		defer most.Unlock()
		most.anonymous = max(most.anonymous, status("RssAnon"))
		most.file = max(most.file, status("RssFile"))
	}
	go func() {
		for range time.Tick(interval) {
			look()
		}
	}()
	return func() string {
		look()
		most.Lock()
		defer most.Unlock()
		return fmt.Sprintf("%.3f GB resident, and %.3f GB of files mapped", most.anonymous/1e9, most.file/1e9)
	}
}

// status returns a size in /proc/self/status, in bytes; 0 where there is none.
func status(name string) float64 {
	text, _ := os.ReadFile("/proc/self/status")
	_, rest, _ := strings.Cut(string(text), "\n"+name+":")
	var kB float64
	fmt.Sscan(rest, &kB)
	return 1024 * kB
}
