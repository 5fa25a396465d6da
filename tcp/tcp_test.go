package tcp

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"math"
	"net"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/libaoso/aoso"
)

var hosts = []string{"127.0.0.1", "[::1]"}

// connected runs a function on every rank, with changed options.
func connected(t *testing.T, host string, size int, change func(*Options), do func(c *Collective, err error)) {
	t.Helper()
	listener, err := net.Listen("tcp", host+":0")
	if err != nil {
		t.Skipf("no %s: %v", host, err)
	}
	var all sync.WaitGroup
	for rank := range size {
		o := Options{Rank: rank, Size: size, Address: listener.Addr().String(), Secret: []byte("a secret of ranks"), Timeout: 5 * time.Second}
		if rank == 0 {
			o.Listener = listener
		}
		if change != nil {
			change(&o)
		}
		all.Go(func() {
			c, err := Connect(t.Context(), o)
			do(c, err)
			if c != nil {
				c.Close()
			}
		})
	}
	all.Wait()
}

// each runs a function on every rank, which must be connected.
func each(t *testing.T, host string, size int, do func(c *Collective)) {
	connected(t, host, size, nil, func(c *Collective, err error) {
		if err != nil {
			t.Error(err)
			return
		}
		do(c)
	})
}

// TestCalls compares all calls, with few and with many numbers, with those of one process.
func TestCalls(t *testing.T) {
	for _, host := range hosts {
		for size := 1; size <= 5; size++ {
			each(t, host, size, func(c *Collective) {
				for _, n := range []int{0, 1, 3, few, few + 1, 3*few + 7, 100_000} {
					if err := check(c, n); err != nil {
						t.Errorf("%s, rank %d of %d, %d numbers: %v", host, c.Rank(), size, n, err)
						return
					}
				}
			})
		}
	}
}

func check(c *Collective, n int) error {
	number := func(rank, i int) int64 { return int64(rank+1) * (math.MaxInt64/5 + int64(i)) }
	v, sums, most := make([]int64, n), make([]int64, n), make([]int64, n)
	for i := range v {
		v[i], most[i] = number(c.rank, i), math.MinInt64
		for rank := range c.size {
			sums[i] += number(rank, i)
			most[i] = max(most[i], number(rank, i))
		}
	}
	for op, want := range [][]int64{sums, most} {
		got := slices.Clone(v)
		if err := c.AllReduce(aoso.CollectiveOp(op), got); err != nil || !slices.Equal(got, want) {
			return fmt.Errorf("AllReduce %d: wrong, %v", op, err)
		}
	}
	counts, first := make([]int, c.size), 0
	for rank, left := 0, n; rank < c.size; rank++ {
		counts[rank] = left / 2
		if rank == c.size-1 {
			counts[rank] = left
		}
		left -= counts[rank]
		if rank < c.rank {
			first += counts[rank]
		}
	}
	part, err := c.ReduceScatter(v, counts)
	if err != nil || !slices.Equal(part, sums[first:first+counts[c.rank]]) {
		return fmt.Errorf("ReduceScatter: wrong, %v", err)
	}
	all, err := c.AllGather(bytes.Repeat([]byte{byte(c.rank)}, n*c.rank))
	if err != nil {
		return err
	}
	for rank, b := range all {
		if !bytes.Equal(b, bytes.Repeat([]byte{byte(rank)}, n*rank)) {
			return fmt.Errorf("AllGather: %d bytes of rank %d", len(b), rank)
		}
	}
	return nil
}

// TestMismatch: ranks that make other calls get an error.
func TestMismatch(t *testing.T) {
	for name, do := range map[string]func(c *Collective) error{
		"lengths": func(c *Collective) error { return c.AllReduce(aoso.CollectiveSum, make([]int64, 1+c.Rank())) },
		"many":    func(c *Collective) error { return c.AllReduce(aoso.CollectiveSum, make([]int64, 100_000+8*c.Rank())) },
		"ops":     func(c *Collective) error { return c.AllReduce(aoso.CollectiveOp(c.Rank()%2), make([]int64, 1)) },
		"calls": func(c *Collective) error {
			if c.Rank() == 0 {
				_, err := c.AllGather(nil)
				return err
			}
			return c.AllReduce(aoso.CollectiveSum, nil)
		},
	} {
		each(t, hosts[0], 3, func(c *Collective) {
			err := do(c)
			if err == nil { // what it has read was right
				err = c.AllReduce(aoso.CollectiveSum, make([]int64, 1))
			}
			if err == nil || !strings.Contains(err.Error(), "rank") {
				t.Errorf("%s, rank %d: %v", name, c.Rank(), err)
			}
		})
	}
}

// TestLost: all ranks hear of one that gives up, ends, or does not answer, in the first call and later, with few numbers and with many. The
// error names the rank.
func TestLost(t *testing.T) {
	const size, bad = 3, 2
	for name, how := range map[string]struct {
		do   func(c *Collective)
		want string
	}{
		"gives up":        {func(c *Collective) { c.Abort("no more memory") }, "rank 2 gave up: no more memory"},
		"closes":          {func(c *Collective) { c.Close() }, "rank 2 (127.0.0.1"},
		"does not answer": {func(*Collective) { time.Sleep(1500 * time.Millisecond) }, "has not answered in 1s"},
	} {
		for _, n := range []int{1, 3 * few, 1 << 20} {
			for calls := range 2 {
				t.Run(fmt.Sprintf("%s/%d/%d", name, n, calls), func(t *testing.T) {
					t.Parallel()
					connected(t, hosts[0], size, func(o *Options) { o.Timeout = time.Second }, func(c *Collective, err error) {
						if err != nil {
							t.Error(err)
							return
						}
						for range calls {
							if err := c.AllReduce(aoso.CollectiveSum, make([]int64, n)); err != nil {
								t.Error(err)
							}
						}
						if c.rank == bad {
							how.do(c)
							return
						}
						start := time.Now()
						err = c.AllReduce(aoso.CollectiveSum, make([]int64, n))
						if err == nil || !strings.Contains(err.Error(), how.want) || !strings.Contains(err.Error(), "rank 2") {
							t.Errorf("rank %d: %v; want %s", c.rank, err, how.want)
						}
						if took := time.Since(start); took > 1400*time.Millisecond {
							t.Errorf("after %v", took)
						}
						if again := c.AllReduce(aoso.CollectiveSum, make([]int64, n)); again == nil {
							t.Error("a call after an error")
						}
					})
				})
			}
		}
	}
}

// TestAbortFromElsewhere ends a call in progress.
func TestAbortFromElsewhere(t *testing.T) {
	each(t, hosts[0], 2, func(c *Collective) {
		if c.rank == 0 {
			time.AfterFunc(50*time.Millisecond, func() { c.Abort("Ctrl-C") })
		} else {
			time.Sleep(300 * time.Millisecond)
		}
		err := c.AllReduce(aoso.CollectiveSum, make([]int64, 1))
		if err == nil && c.rank == 1 { // it has what rank 0 sent before
			err = c.AllReduce(aoso.CollectiveSum, make([]int64, 1))
		}
		if err == nil || !strings.Contains(err.Error(), "Ctrl-C") {
			t.Errorf("rank %d: %v", c.rank, err)
		}
	})
}

// TestConnectErrors: what is wrong with one rank is said on all that it reaches.
func TestConnectErrors(t *testing.T) {
	for want, change := range map[string]func(*Options){
		"two processes have rank 1": func(o *Options) { o.Rank = min(o.Rank, 1) },
		"allowed: the same number":  func(o *Options) { o.Size += o.Rank / 2 },
		"of aoso, rank":             func(o *Options) { o.Version = fmt.Sprint(1 + o.Rank/2) },
	} {
		heard := 0
		var mu sync.Mutex
		connected(t, hosts[0], 3, func(o *Options) { o.Timeout = time.Second; change(o) }, func(c *Collective, err error) {
			if err == nil {
				t.Errorf("%s: no error", want)
				return
			}
			mu.Lock()
			defer mu.Unlock()
			if strings.Contains(err.Error(), want) {
				heard++
			}
		})
		if heard < 2 {
			t.Errorf("%d ranks say: %s", heard, want)
		}
	}
}

// TestLostWhileConnecting: a rank that is lost when it knows the addresses ends the others at once. They name it.
func TestLostWhileConnecting(t *testing.T) {
	for bad := 1; bad <= 2; bad++ {
		listener := listening(t, 0)
		var all sync.WaitGroup
		for rank := range 4 {
			o := Options{Rank: rank, Size: 4, Address: listener.Addr().String(), Timeout: 20 * time.Second, Version: "1"}
			if rank == 0 {
				o.Listener = listener
			}
			all.Go(func() {
				if rank == bad {
					vanish(t, o)
					return
				}
				start := time.Now()
				_, err := Connect(t.Context(), o)
				if err == nil || !strings.Contains(err.Error(), fmt.Sprintf("rank %d (127.0.0.1", bad)) || time.Since(start) > 5*time.Second {
					t.Errorf("rank %d without %d, after %v: %v", rank, bad, time.Since(start), err)
				}
			})
		}
		all.Wait()
	}
}

// vanish connects with rank 0, waits for the addresses and ends.
func vanish(t *testing.T, o Options) {
	r := &rendezvous{Options: o, c: &Collective{peers: make([]*peer, o.Size)}, ctx: t.Context(), until: time.Now().Add(o.Timeout)}
	conn, err := r.dial(o.Address)
	if err != nil {
		t.Error(err)
		return
	}
	defer conn.Close()
	if err := r.introduce(conn, 0, 1); err != nil {
		t.Error(err)
	}
	conn.Read(make([]byte, 1))
}

// TestStrangers: connections without the secret are refused. Ranks with it go on.
func TestStrangers(t *testing.T) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	address := listener.Addr().String()
	var all sync.WaitGroup
	o := Options{Size: 2, Address: address, Secret: []byte("the right secret"), Timeout: 10 * time.Second}
	for rank := range 2 {
		all.Go(func() {
			o := o
			if o.Rank = rank; rank == 0 {
				o.Listener = listener
			} else {
				time.Sleep(200 * time.Millisecond)
			}
			c, err := Connect(t.Context(), o)
			if err != nil {
				t.Error(err)
				return
			}
			defer c.Close()
			if err := c.AllReduce(aoso.CollectiveSum, []int64{1}); err != nil {
				t.Error(err)
			}
		})
	}
	silent, err := net.Dial("tcp", address)
	if err != nil {
		t.Fatal(err)
	}
	defer silent.Close()
	browser, _ := net.Dial("tcp", address)
	io.WriteString(browser, "GET / HTTP/1.1\r\nHost: localhost\r\nAccept: */*\r\n\r\n")
	stranger := o
	stranger.Rank, stranger.Secret, stranger.Timeout = 1, []byte("the wrong secret"), time.Second
	if _, err := Connect(t.Context(), stranger); err == nil || !strings.Contains(err.Error(), "secret differs") {
		t.Errorf("a stranger: %v", err)
	}
	all.Wait()
}

func TestMissing(t *testing.T) {
	for rank, want := range []string{"rank 1, 2 has not connected in 300ms", "rank 1 has not reached"} {
		start := time.Now()
		_, err := Connect(t.Context(), Options{Rank: rank, Size: 3, Address: "127.0.0.1:1", Listener: listening(t, rank), Timeout: 300 * time.Millisecond})
		if err == nil || !strings.Contains(err.Error(), want) || time.Since(start) > 2*time.Second {
			t.Errorf("rank %d: %v", rank, err)
		}
	}
}

// TestSilent: the system accepts connections to a process that is stopped, which does not answer.
func TestSilent(t *testing.T) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	_, err = Connect(t.Context(), Options{Rank: 1, Size: 2, Address: listener.Addr().String(), Timeout: 200 * time.Millisecond})
	if want := "rank 1 and rank 0 at " + listener.Addr().String() + ": it has not answered in 200ms"; err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("%v, want %s", err, want)
	}
}

// TestInterrupted: the end of the context ends Connect, also of a rank that waits for the others to be complete.
func TestInterrupted(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), 500*time.Millisecond)
	defer cancel()
	listener := listening(t, 0)
	start := time.Now()
	var all sync.WaitGroup
	for rank, o := range []Options{{Size: 3, Listener: listener}, {Rank: 1, Size: 3, Address: listener.Addr().String()}, {Rank: 1, Size: 2, Address: "127.0.0.1:1"}} {
		all.Go(func() {
			if _, err := Connect(ctx, o); err == nil || time.Since(start) > 3*time.Second {
				t.Errorf("%d: %v", rank, err)
			}
		})
	}
	all.Wait()
}

// TestSecret: without a secret, rank 0 must listen at a loopback address.
func TestSecret(t *testing.T) {
	for secret, want := range map[string]string{"": "length of Secret is 0", "short": "length of Secret is 5"} {
		_, err := Connect(t.Context(), Options{Size: 2, Address: ":0", Secret: []byte(secret), Timeout: time.Second})
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v", secret, err)
		}
	}
}

func listening(t *testing.T, rank int) net.Listener {
	if rank != 0 {
		return nil
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	return listener
}

func TestEnv(t *testing.T) {
	for name, value := range map[string]string{"RANK": "1", "WORLD_SIZE": "3", "MASTER_ADDR": "::1", "MASTER_PORT": "4000", "SECRET": "s"} {
		t.Setenv("AOSO_"+name, value)
	}
	o, err := FromEnv()
	if err != nil || o.Rank != 1 || o.Size != 3 || o.Address != "[::1]:4000" || string(o.Secret) != "s" {
		t.Errorf("%+v, %v", o, err)
	}
	for name, value := range map[string]string{"RANK": "3", "WORLD_SIZE": "-1", "MASTER_ADDR": "", "MASTER_PORT": "40 00"} {
		t.Run(name, func(t *testing.T) {
			t.Setenv("AOSO_"+name, value)
			if _, err := FromEnv(); err == nil || !strings.Contains(err.Error(), "AOSO_"+name+" is") {
				t.Error(err)
			}
		})
	}
}

func BenchmarkAllReduce(b *testing.B) {
	for size := 2; size <= 4; size++ {
		for _, n := range []int{8, 1 << 17} {
			b.Run(fmt.Sprintf("ranks:%d/bytes:%d", size, 8*n), func(b *testing.B) {
				listener, _ := net.Listen("tcp", "127.0.0.1:0")
				var all sync.WaitGroup
				for rank := range size {
					all.Go(func() {
						o := Options{Rank: rank, Size: size, Address: listener.Addr().String(), Timeout: time.Minute}
						if rank == 0 {
							o.Listener = listener
						}
						c, err := Connect(b.Context(), o)
						if err != nil {
							panic(err)
						}
						v := make([]int64, n)
						if rank == 0 {
							b.ResetTimer()
						}
						for range b.N {
							c.AllReduce(aoso.CollectiveSum, v)
						}
					})
				}
				all.Wait()
			})
		}
	}
}
