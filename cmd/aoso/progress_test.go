package main

import (
	"bytes"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/libaoso/aoso"
)

func TestFollowing(t *testing.T) {
	var got []int
	for n := 0; n < 1000; {
		n = following(n)
		got = append(got, n)
	}
	if want := []int{1, 2, 5, 10, 20, 50, 100, 200, 500, 1000}; !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

func TestLines(t *testing.T) {
	var out bytes.Buffer
	d := newDisplay(&out, 0)
	for i := 10; i <= 1010; i += 10 {
		d.show(aoso.Progress{Iteration: i, Trees: i, Elapsed: time.Second, Evaluated: true, TrainLoss: 1, Valid: &aoso.Evaluation{Errors: 7}})
	}
	d.close()
	if got := strings.Count(out.String(), "\n"); got != 2+8 || !strings.Contains(out.String(), "errors") {
		t.Errorf("%d lines:\n%s", got, out.String())
	}
}
