package tcp

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"os"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/libaoso/aoso"
)

// Options says which rank this process is, and how the ranks find one another.
type Options struct {
	Rank int // of this process, from 0
	Size int // number of ranks

	// Address is the host:port where rank 0 listens, the same on all ranks. The others
	// may start earlier: they try until Timeout.
	Address string

	// Listener is where rank 0 waits for the others, in place of Address; Connect closes it. With port 0,
	// it listens at any free port, whose number an engine can hand to the others.
	Listener net.Listener

	// Secret is the same on all ranks, 16 bytes or more. Processes that do not know it cannot
	// join. It may be empty if rank 0 listens at a loopback address.
	Secret []byte

	// Timeout is how long a rank waits for the others, when it connects and in each call.
	// 0: 10 minutes.
	Timeout time.Duration

	// Version is the version of the program. All ranks must have the same. "": that of this module.
	Version string
}

// minSecret is the least length of a secret.
const minSecret = 16

// retry is the time between two tries to reach rank 0, which may start later.
const retry = 100 * time.Millisecond

const defaultTimeout = 10 * time.Minute

var keepAlive = net.KeepAliveConfig{Enable: true, Idle: 15 * time.Second, Interval: 5 * time.Second, Count: 3}

// check checks the options and completes them.
func (o *Options) check() error {
	switch {
	case o.Size < 1:
		return &aoso.ArgumentError{Argument: "Size", Value: o.Size, Allowed: "at least 1"}
	case o.Rank < 0 || o.Rank >= o.Size:
		return &aoso.ArgumentError{Argument: "Rank", Value: o.Rank, Allowed: fmt.Sprintf("0 to %d", o.Size-1)}
	case o.Timeout < 0:
		return &aoso.ArgumentError{Argument: "Timeout", Value: o.Timeout, Allowed: "above 0, or 0 for " + defaultTimeout.String()}
	case o.Timeout == 0:
		o.Timeout = defaultTimeout
	}
	if o.Version == "" {
		o.Version = moduleVersion()
	}
	return nil
}

// safe checks that only ranks can join one that listens at an address.
func (o *Options) safe(address net.Addr) error {
	if len(o.Secret) >= minSecret || len(o.Secret) == 0 && addressOf(address).IsLoopback() {
		return nil
	}
	allowed := fmt.Sprintf("%d bytes or more, or none if rank 0 listens at a loopback address such as 127.0.0.1", minSecret)
	return &aoso.ArgumentError{Argument: "length of Secret", Value: len(o.Secret), Allowed: allowed}
}

// moduleVersion returns the version of this module in the program; "" if it is unknown.
func moduleVersion() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return ""
	}
	for _, m := range append(info.Deps, &info.Main) {
		if m.Path == "github.com/libaoso/aoso" {
			return m.Version
		}
	}
	return ""
}

// Connect connects this process with the other ranks. All of them call it at the same time. Rank 0 listens at the address; the others
// listen at any free port of the address from which they reach rank 0. Afterwards no rank listens any more. The ranks prove to one another
// that they know the secret; what they send is not encrypted. The end of ctx ends Connect, and has no effect later.
func Connect(ctx context.Context, o Options) (*Collective, error) {
	if err := o.check(); err != nil {
		if o.Listener != nil {
			o.Listener.Close()
		}
		return nil, err
	}
	c := &Collective{rank: o.Rank, size: o.Size, timeout: o.Timeout, peers: make([]*peer, o.Size), received: make([]byte, chunk)}
	if o.Size == 1 {
		if o.Listener != nil {
			o.Listener.Close()
		}
		return c, nil
	}
	r := &rendezvous{Options: o, c: c, ctx: ctx, until: time.Now().Add(o.Timeout)}
	defer context.AfterFunc(ctx, func() { c.Abort(ctx.Err().Error()) })()
	do := r.join
	if o.Rank == 0 {
		do = r.host
	}
	if err := do(); err != nil {
		c.end(err.Error(), gaveUp)
		if _, wrong := errors.AsType[*aoso.ArgumentError](err); !wrong {
			err = fmt.Errorf("%w: %w", aoso.ErrCollective, err)
		}
		return nil, err
	}
	return c, nil
}

// rendezvous is a Connect in progress.
type rendezvous struct {
	Options
	c       *Collective
	ctx     context.Context
	until   time.Time
	refused error // the last connection that was not that of a rank
}

// host connects rank 0.
func (r *rendezvous) host() error {
	listener := r.Listener
	if listener == nil {
		var err error
		if listener, err = net.Listen("tcp", r.Address); err != nil {
			return err
		}
	}
	if err := r.safe(listener.Addr()); err != nil {
		listener.Close()
		return err
	}
	ports := make([]int, r.Size)
	if err := r.accept(listener, r.others(0), ports); err != nil {
		return err
	}
	addresses := make([]string, r.Size)
	for rank, p := range r.c.peers {
		if p != nil {
			addresses[rank] = netip.AddrPortFrom(addressOf(p.conn.RemoteAddr()), uint16(ports[rank])).String()
		}
	}
	if err := r.tell([]byte(strings.Join(addresses, " "))); err != nil {
		return err
	}
	// They say when they are connected with one another, and then all begin: a rank that is lost meanwhile ends all at once.
	answers := make(chan error, r.Size)
	for _, p := range r.c.others() {
		go func() { answers <- r.c.receive(p, gather, nothing) }()
	}
	for range r.c.others() {
		if err := <-answers; err != nil {
			return r.c.fail(err)
		}
	}
	return r.tell(nil)
}

// tell sends a message of rank 0 to all others.
func (r *rendezvous) tell(b []byte) error {
	for _, p := range r.c.others() {
		p.conn.SetDeadline(r.until)
		if err := p.send(gather, b); err != nil {
			return r.c.fail(r.c.lost(p, err))
		}
	}
	return nil
}

func nothing(*peer, int) error { return nil }

// join connects a rank other than 0.
func (r *rendezvous) join() error {
	conn, err := r.dial(r.Address)
	if err != nil {
		return err
	}
	if err := r.safe(conn.RemoteAddr()); err != nil {
		conn.Close()
		return err
	}
	host := netip.AddrPortFrom(addressOf(conn.LocalAddr()), 0).String()
	listener, err := net.Listen("tcp", host)
	if err != nil {
		conn.Close()
		return err
	}
	defer listener.Close()
	if err := r.introduce(conn, 0, listener.Addr().(*net.TCPAddr).Port); err != nil {
		return err
	}
	first := r.c.peers[0]
	first.conn.SetDeadline(r.until)
	var text []byte
	if err := r.c.receive(first, gather, func(p *peer, n int) error {
		text = make([]byte, min(n, 64*r.Size))
		return p.reader.full(text)
	}); err != nil {
		return err
	}
	addresses := strings.Split(string(text), " ")
	if len(addresses) != r.Size {
		return fmt.Errorf("%v has sent %d addresses, must send %d", first, len(addresses), r.Size)
	}
	ctx, cancel := context.WithCancelCause(r.ctx)
	defer cancel(nil)
	begun := make(chan error, 1)
	r.c.calling.Lock()
	go func() {
		defer r.c.calling.Unlock()
		err := r.c.receive(first, gather, nothing)
		if err != nil {
			cancel(err)
		}
		begun <- err
	}()
	r.ctx = ctx
	if err := r.meet(addresses, listener); err != nil {
		return err
	}
	if err := first.send(gather, nil); err != nil {
		return r.c.lost(first, err)
	}
	return <-begun
}

// meet connects a rank with the others but rank 0.
func (r *rendezvous) meet(addresses []string, listener net.Listener) error {
	for rank := 1; rank < r.Rank; rank++ {
		conn, err := r.dial(addresses[rank])
		if err == nil {
			err = r.introduce(conn, rank, 0)
		}
		switch {
		case r.ctx.Err() != nil:
			return context.Cause(r.ctx)
		case err != nil:
			return fmt.Errorf("rank %d: %w", rank, err)
		}
	}
	return r.accept(listener, r.others(r.Rank), make([]int, r.Size))
}

// others returns the ranks above a rank.
func (r *rendezvous) others(above int) (ranks []int) {
	for rank := above + 1; rank < r.Size; rank++ {
		ranks = append(ranks, rank)
	}
	return ranks
}

// dial opens a connection to an address where a rank listens, or will listen.
func (r *rendezvous) dial(address string) (*net.TCPConn, error) {
	ctx, cancel := context.WithDeadline(r.ctx, r.until)
	defer cancel()
	dialer := net.Dialer{KeepAliveConfig: keepAlive}
	for {
		conn, err := dialer.DialContext(ctx, "tcp", address)
		if err == nil {
			return conn.(*net.TCPConn), nil
		}
		select {
		case <-ctx.Done():
			if r.ctx.Err() != nil {
				return nil, context.Cause(r.ctx)
			}
			return nil, fmt.Errorf("rank %d has not reached %s in %v: %w", r.Rank, address, r.Timeout, err)
		case <-time.After(retry):
		}
	}
}

// introduce makes a new connection that to a rank, by telling it who this one is.
func (r *rendezvous) introduce(conn *net.TCPConn, rank, port int) error {
	conn.SetDeadline(r.until)
	defer context.AfterFunc(r.ctx, func() { conn.Close() })()
	them, err := greet(conn, r.Secret, hello{Rank: r.Rank, Size: r.Size, Port: port, Version: r.Version}, true)
	if err == nil && them.Rank != rank {
		err = fmt.Errorf("it is rank %d, must be rank %d", them.Rank, rank)
	}
	if err == nil {
		err = r.match(them)
	}
	if errors.Is(err, os.ErrDeadlineExceeded) { // the system accepts connections to a process that is stopped
		err = fmt.Errorf("it has not answered in %v", r.Timeout)
	}
	if err != nil {
		err = fmt.Errorf("rank %d and rank %d at %s: %w", r.Rank, rank, conn.RemoteAddr(), err)
		conn.Close()
		return err
	}
	if err := r.add(rank, conn); err != nil {
		conn.Close()
		return err
	}
	return nil
}

// accept waits for the connections of ranks and closes the listener. A connection that does not know the secret does not count.
func (r *rendezvous) accept(listener net.Listener, missing []int, ports []int) error {
	defer listener.Close()
	if len(missing) == 0 {
		return nil
	}
	var (
		mu     sync.Mutex
		closed bool
		done   = make(chan error, 1)
	)
	welcome := func(conn *net.TCPConn) {
		conn.SetDeadline(r.until)
		conn.SetKeepAliveConfig(keepAlive)
		them, err := greet(conn, r.Secret, hello{Rank: r.Rank, Size: r.Size, Version: r.Version}, false)
		mu.Lock()
		defer mu.Unlock()
		if err != nil { // not a rank
			r.refused = fmt.Errorf("%s: %w", conn.RemoteAddr(), err)
		}
		if err != nil || closed {
			conn.Close()
			return
		}
		i := slices.Index(missing, them.Rank)
		if err = r.match(them); err == nil && i < 0 {
			err = fmt.Errorf("two processes have rank %d", them.Rank)
		}
		if err == nil {
			err = r.add(them.Rank, conn)
		}
		if err != nil {
			conn.Close()
		} else {
			missing, ports[them.Rank] = slices.Delete(missing, i, i+1), them.Port
		}
		if closed = err != nil || len(missing) == 0; closed {
			done <- err
		}
	}
	go func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return // it is closed, when this function returns
			}
			go welcome(conn.(*net.TCPConn))
		}
	}()
	select {
	case err := <-done:
		return err
	case <-r.ctx.Done():
	case <-time.After(time.Until(r.until)):
	}
	mu.Lock()
	defer mu.Unlock()
	closed = true
	if r.ctx.Err() != nil {
		return context.Cause(r.ctx)
	}
	err := fmt.Errorf("rank %s has not connected in %v", list(missing), r.Timeout)
	if r.refused != nil {
		err = fmt.Errorf("%w; refused: %w", err, r.refused)
	}
	return err
}

func list(ranks []int) string {
	return strings.Trim(strings.Join(strings.Fields(fmt.Sprint(ranks)), ", "), "[]")
}

// match checks that another rank is of the same run.
func (r *rendezvous) match(them hello) error {
	switch {
	case them.Size != r.Size:
		return fmt.Errorf("rank %d is one of %d ranks, rank %d one of %d; allowed: the same number", them.Rank, them.Size, r.Rank, r.Size)
	case them.Version != r.Version:
		return fmt.Errorf("rank %d has version %q of aoso, rank %d has %q; allowed: the same", them.Rank, them.Version, r.Rank, r.Version)
	}
	return nil
}

// add makes a connection that to a rank.
func (r *rendezvous) add(rank int, conn *net.TCPConn) error {
	p, err := newPeer(rank, conn)
	if err != nil {
		return err
	}
	r.c.ending.Lock()
	defer r.c.ending.Unlock()
	if r.c.ended != "" {
		return errors.New(r.c.ended)
	}
	r.c.peers[rank] = p
	return nil
}

func addressOf(a net.Addr) netip.Addr { return a.(*net.TCPAddr).AddrPort().Addr().Unmap() }

// FromEnv returns the options in the environment variables: AOSO_RANK, AOSO_WORLD_SIZE, AOSO_MASTER_ADDR, AOSO_MASTER_PORT and AOSO_SECRET.
func FromEnv() (o Options, err error) {
	number := func(name string, least, most int) int {
		text, set := os.LookupEnv(name)
		n, e := strconv.Atoi(text)
		if e != nil || n < least || n > most {
			value := strconv.Quote(text)
			if !set {
				value = "unset"
			}
			err = cmp.Or(err, fmt.Errorf("the environment variable %s is %s; allowed: %d to %d", name, value, least, most))
		}
		return n
	}
	o.Size = number("AOSO_WORLD_SIZE", 1, 1<<20)
	o.Rank = number("AOSO_RANK", 0, max(o.Size-1, 0))
	if o.Size == 1 || err != nil {
		return o, err
	}
	host := os.Getenv("AOSO_MASTER_ADDR")
	if host == "" {
		return o, errors.New("the environment variable AOSO_MASTER_ADDR is unset; allowed: the host name or address of rank 0")
	}
	o.Address = net.JoinHostPort(host, fmt.Sprint(number("AOSO_MASTER_PORT", 1, 65535)))
	o.Secret = []byte(os.Getenv("AOSO_SECRET"))
	return o, err
}
