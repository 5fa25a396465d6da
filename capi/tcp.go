package main

// #include "shim.h"
import "C"

import (
	"context"
	"net"
	"strconv"
	"sync"
	"time"
	"unsafe"

	"github.com/libaoso/aoso"
	"github.com/libaoso/aoso/tcp"
)

// tcpRank is a rank that TCP connects with the others.
type tcpRank struct {
	options   tcp.Options     // Listener is nil for other ranks than 0
	ctx       context.Context // ends when the rank is interrupted or freed
	interrupt context.CancelFunc

	mu         sync.Mutex
	connecting bool
	connected  *tcp.Collective // nil: not yet
	gathered   [][]byte        // from one call of C to the next
}

func (*tcpRank) noun() string { return "TCP rank" }

func findTCP(handle C.uintptr_t) (*tcpRank, error) { return find[*tcpRank]("tcp", uint64(handle)) }

//export goaoso_tcp_create
func goaoso_tcp_create(options *C.aoso_tcp_options, out *C.uintptr_t) C.aoso_status {
	return try(func() error {
		if err := checkPut(out, "TCP rank"); err != nil {
			return err
		}
		t, err := newTCPRank(options)
		if err != nil {
			return err
		}
		if err = put(out, t); err != nil {
			t.close()
		}
		return err
	})
}

func newTCPRank(options *C.aoso_tcp_options) (*tcpRank, error) {
	const mostSeconds, mostSecret = 1e9, 1 << 16
	o, err := readStruct("options", options, C.aoso_tcp_options{})
	if err != nil {
		return nil, err
	}
	for _, err := range []error{
		within("options.size", int64(o.size), 1, maxRanks), within("options.rank", int64(o.rank), 0, int64(o.size)-1),
		within("options.port", int64(o.port), 0, 1<<16-1), within("options.num_secret", int64(o.num_secret), 0, mostSecret),
	} {
		if err != nil {
			return nil, err
		}
	}
	if seconds := float64(o.timeout); !(seconds >= 0 && seconds <= mostSeconds) {
		return nil, badArgument("options.timeout", seconds, "0 to %g", mostSeconds)
	}
	if o.secret == nil && o.num_secret != 0 {
		return nil, badArgument("options.num_secret", o.num_secret, "0, because options.secret is null")
	}
	t := &tcpRank{options: tcp.Options{
		Rank: int(o.rank), Size: int(o.size), Secret: C.GoBytes(o.secret, C.int(o.num_secret)),
		Timeout: time.Duration(float64(o.timeout) * float64(time.Second)), Version: C.GoString(C.aoso_version_string()),
	}}
	t.ctx, t.interrupt = context.WithCancel(context.Background())
	if t.options.Rank != 0 {
		return t, nil
	}
	host := ""
	if o.host != nil {
		if host, err = goString("options.host", o.host); err != nil {
			return nil, err
		}
	}
	t.options.Listener, err = net.Listen("tcp", net.JoinHostPort(host, strconv.Itoa(int(o.port))))
	return t, onFile(err)
}

func (t *tcpRank) close() {
	t.interrupt()
	t.mu.Lock()
	defer t.mu.Unlock()
	switch {
	case t.connected != nil:
		t.connected.Close()
	case t.options.Listener != nil:
		t.options.Listener.Close()
	}
}

//export goaoso_tcp_port
func goaoso_tcp_port(handle C.uintptr_t, port *C.int32_t) C.aoso_status {
	return try(func() error {
		t, err := findTCP(handle)
		if err != nil {
			return err
		}
		if port == nil {
			return badArgument("port", null, "a pointer to the variable for the port")
		}
		*port = 0
		if t.options.Listener != nil {
			*port = C.int32_t(t.options.Listener.Addr().(*net.TCPAddr).Port)
		}
		return nil
	})
}

//export goaoso_tcp_connect
func goaoso_tcp_connect(handle C.uintptr_t, host *C.char, port C.int32_t, ranks *C.aoso_collective) C.aoso_status {
	return try(func() error {
		t, err := findTCP(handle)
		if err != nil {
			return err
		}
		if err := checkOut("ranks", ranks); err != nil {
			return err
		}
		o := t.options
		if o.Rank != 0 {
			name, err := goString("host", host)
			if err != nil {
				return err
			}
			if err := within("port", int64(port), 1, 1<<16-1); err != nil {
				return err
			}
			o.Address = net.JoinHostPort(name, strconv.Itoa(int(port)))
		}
		if err := t.connect(o); err != nil {
			return err
		}
		c := C.shim_tcp(handle)
		c.rank, c.size = C.int32_t(o.Rank), C.int32_t(o.Size)
		writeStruct(ranks, c)
		return nil
	})
}

func (t *tcpRank) connect(o tcp.Options) error {
	t.mu.Lock()
	again := t.connecting
	t.connecting = true
	t.mu.Unlock()
	if again {
		return busyError("the TCP rank has been connected; allowed: once")
	}
	c, err := tcp.Connect(t.ctx, o)
	if err != nil {
		return err
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.connected = c
	return nil
}

//export goaoso_tcp_interrupt
func goaoso_tcp_interrupt(handle C.uintptr_t) C.aoso_status {
	return try(func() error {
		t, err := findTCP(handle)
		if err == nil {
			t.interrupt()
		}
		return err
	})
}

//export goaoso_tcp_free
func goaoso_tcp_free(handle C.uintptr_t) C.aoso_status { return free("tcp", handle, (*tcpRank).close) }

// useTCP calls use with the ranks of a handle, and returns the code that functions of a collective return.
func useTCP(handle C.uintptr_t, use func(t *tcpRank, c *tcp.Collective) error) C.aoso_status {
	return try(func() error {
		t, err := findTCP(handle)
		if err != nil {
			return err
		}
		t.mu.Lock()
		c := t.connected
		t.mu.Unlock()
		if err := use(t, c); err != nil {
			return ofRank(c, err)
		}
		return nil
	})
}

//export goaoso_tcp_all_reduce
func goaoso_tcp_all_reduce(handle C.uintptr_t, op C.int32_t, v *C.int64_t, n C.int64_t) C.aoso_status {
	return useTCP(handle, func(_ *tcpRank, c *tcp.Collective) error {
		how := aoso.CollectiveSum
		if op == C.AOSO_MAX {
			how = aoso.CollectiveMax
		}
		return c.AllReduce(how, unsafe.Slice((*int64)(v), n))
	})
}

//export goaoso_tcp_gather_sizes
func goaoso_tcp_gather_sizes(handle C.uintptr_t, bytes unsafe.Pointer, n C.int64_t, sizes *C.int64_t) C.aoso_status {
	return useTCP(handle, func(t *tcpRank, c *tcp.Collective) (err error) {
		t.gathered, err = c.AllGather(unsafe.Slice((*byte)(bytes), n))
		if err != nil {
			return err
		}
		out := unsafe.Slice((*int64)(sizes), len(t.gathered))
		for rank, b := range t.gathered {
			out[rank] = int64(len(b))
		}
		return nil
	})
}

//export goaoso_tcp_gather
func goaoso_tcp_gather(handle C.uintptr_t, out unsafe.Pointer) C.aoso_status {
	return useTCP(handle, func(t *tcpRank, _ *tcp.Collective) error {
		for _, b := range t.gathered {
			out = unsafe.Add(out, copy(unsafe.Slice((*byte)(out), len(b)), b))
		}
		t.gathered = nil
		return nil
	})
}

//export goaoso_tcp_reduce_scatter
func goaoso_tcp_reduce_scatter(handle C.uintptr_t, v, counts, out *C.int64_t) C.aoso_status {
	return useTCP(handle, func(_ *tcpRank, c *tcp.Collective) error {
		var sizes []int
		total := 0
		for _, n := range unsafe.Slice((*int64)(counts), c.Size()) {
			sizes = append(sizes, int(n))
			total += int(n)
		}
		sums, err := c.ReduceScatter(unsafe.Slice((*int64)(v), total), sizes)
		copy(unsafe.Slice((*int64)(out), len(sums)), sums)
		return err
	})
}

//export goaoso_tcp_abort
func goaoso_tcp_abort(handle C.uintptr_t, reason *C.char) C.aoso_status {
	return useTCP(handle, func(_ *tcpRank, c *tcp.Collective) error {
		c.Abort(C.GoString(reason))
		return nil
	})
}

// direct are ranks that the library itself connects: their calls need no function of the host.
type direct struct{ *ranks }

// readDirect returns the connection of ranks that aoso_tcp_connect has made; nil for others.
func readDirect(c *C.aoso_collective, context C.uintptr_t) (*tcp.Collective, error) {
	if C.shim_is_tcp(c) == 0 {
		return nil, nil
	}
	t, err := find[*tcpRank]("options.collective.context", uint64(context))
	if err != nil {
		return nil, err
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.connected, nil
}

func (d direct) note(err error) error {
	if err != nil && d.failed == nil {
		d.failed = err
	}
	return err
}

func (d direct) AllReduce(op aoso.CollectiveOp, v []int64) error {
	return d.note(d.tcp.AllReduce(op, v))
}

func (d direct) AllGather(b []byte) ([][]byte, error) {
	all, err := d.tcp.AllGather(b)
	return all, d.note(err)
}

func (d direct) ReduceScatter(v []int64, counts []int) ([]int64, error) {
	sums, err := d.tcp.ReduceScatter(v, counts)
	return sums, d.note(err)
}
