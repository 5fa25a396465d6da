// Package tcp connects the ranks of a training run by TCP, each with each, where no engine such as MPI does so.
//
//	options, err := tcp.FromEnv()
//	ranks, err := tcp.Connect(options)
//	train, err := aoso.NewDataset(rows, labels, aoso.DatasetOptions{Collective: ranks})
//
// A call takes one message each way between two ranks, or two if they share the sums of many numbers. So every rank hears of every other
// directly, and knows which is lost.
package tcp

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"strings"
	"sync"
	"syscall"
	"time"
	"unsafe"

	"github.com/libaoso/aoso"
)

// kind is the kind of a message. Each follows a head of its kind and its length, 8 bytes each.
type kind uint64

const (
	reduceSum kind = iota
	reduceMax
	gather
	scatter
	gaveUp   // with the reason: the sender has an error of its own
	lostRank // with the reason: the sender has lost another rank
)

var kinds = [...]string{"AllReduce (sum)", "AllReduce (max)", "AllGather", "ReduceScatter"}

const (
	headBytes  = 16
	small      = 1 << 12 // bytes of a message that fits into the buffers of a connection, so that sending does not wait for the receiver
	few        = 1 << 12 // numbers that each rank sends to all others; of more, each sums a part
	chunk      = 1 << 16 // bytes that are received before they are added
	maxMessage = 1 << 40
	lastWords  = 2 * time.Second // in which a rank that gives up tells the others
)

// Collective is a rank. Its calls are for one goroutine; Abort and Close are for any. It is a [aoso.CollectiveScatterer].
type Collective struct {
	rank, size int
	timeout    time.Duration
	peers      []*peer // by rank; nil for this one
	received   []byte  // a chunk

	calling sync.Mutex // held in a call
	ending  sync.Mutex
	ended   string // why no calls follow; "" if they do
	leaving sync.WaitGroup
}

// peer is the connection to another rank.
type peer struct {
	rank    int
	conn    *net.TCPConn
	reader  reader
	writing sync.Mutex
	renewed time.Time // when the deadline was set
	message []byte    // a small one
}

func newPeer(rank int, conn *net.TCPConn) (*peer, error) {
	r, err := newReader(conn)
	return &peer{rank: rank, conn: conn, reader: r, message: make([]byte, 0, headBytes+small)}, err
}

func (p *peer) String() string { return fmt.Sprintf("rank %d (%s)", p.rank, p.conn.RemoteAddr()) }

func (c *Collective) Rank() int { return c.rank }
func (c *Collective) Size() int { return c.size }

// AllReduce implements [aoso.Collective].
func (c *Collective) AllReduce(op aoso.CollectiveOp, v []int64) error {
	k := reduceSum
	if op == aoso.CollectiveMax {
		k = reduceMax
	}
	if len(v) <= few || c.size <= 2 { // two ranks send as much either way
		sums, err := c.reduce(k, v, func(int) []int64 { return v })
		copy(v, sums)
		return err
	}
	first := func(rank int) int { return len(v) * rank / c.size }
	mine, err := c.reduce(k, v[first(c.rank):first(c.rank+1)], func(rank int) []int64 { return v[first(rank):first(rank+1)] })
	if err != nil {
		return err
	}
	copy(v[first(c.rank):], mine)
	return c.exchange(gather, func(int) []byte { return bytesOf(mine) }, func(p *peer, n int) error {
		part := bytesOf(v[first(p.rank):first(p.rank+1)])
		if n != len(part) {
			return fmt.Errorf("%v has passed other numbers of values", p)
		}
		return p.reader.full(part)
	})
}

// ReduceScatter implements [aoso.CollectiveScatterer].
func (c *Collective) ReduceScatter(v []int64, counts []int) ([]int64, error) {
	parts := make([][]int64, c.size)
	for rank, n := range counts {
		parts[rank], v = v[:n], v[n:]
	}
	return c.reduce(scatter, parts[c.rank], func(rank int) []int64 { return parts[rank] })
}

// reduce sends part(rank) to each other rank and returns own combined with what they send, each of len(own) numbers. It leaves own as it is.
func (c *Collective) reduce(k kind, own []int64, part func(rank int) []int64) ([]int64, error) {
	sums := make([]int64, len(own))
	copy(sums, own)
	err := c.exchange(k, func(rank int) []byte { return bytesOf(part(rank)) }, func(p *peer, n int) error {
		if n != 8*len(own) {
			return fmt.Errorf("%v has passed %d numbers where this one has passed %d", p, n/8, len(own))
		}
		for to := sums; len(to) > 0; {
			b := c.received[:min(8*len(to), chunk)]
			if err := p.reader.full(b); err != nil {
				return err
			}
			combine(k, to, b)
			to = to[len(b)/8:]
		}
		return nil
	})
	return sums, err
}

func combine(k kind, to []int64, b []byte) {
	from := unsafe.Slice((*int64)(unsafe.Pointer(unsafe.SliceData(b))), len(b)/8)
	to = to[:len(from)]
	if k == reduceMax {
		for i, x := range from {
			to[i] = max(to[i], x)
		}
		return
	}
	for i, x := range from {
		to[i] += x
	}
}

// AllGather implements [aoso.Collective].
func (c *Collective) AllGather(b []byte) ([][]byte, error) {
	all := make([][]byte, c.size)
	all[c.rank] = append([]byte{}, b...)
	return all, c.exchange(gather, func(int) []byte { return b }, func(p *peer, n int) error {
		all[p.rank] = make([]byte, n)
		return p.reader.full(all[p.rank])
	})
}

// exchange sends give(rank) to each other rank and has take read the n bytes that each of them sends.
func (c *Collective) exchange(k kind, give func(rank int) []byte, take func(p *peer, n int) error) (err error) {
	c.calling.Lock()
	defer c.calling.Unlock()
	if err := c.err(); err != nil {
		return err
	}
	var sending sync.WaitGroup
	failures := make([]error, c.size)
	for _, p := range c.others() {
		p.renew(c.timeout)
		if b := give(p.rank); len(b) <= small {
			failures[p.rank] = p.send(k, b)
		} else {
			sending.Go(func() { failures[p.rank] = p.send(k, b) })
		}
	}
	defer func() {
		if err != nil {
			err = c.fail(err) // which ends the sending
		}
		sending.Wait()
		for rank, e := range failures {
			if err == nil && e != nil {
				err = c.fail(c.lost(c.peers[rank], e))
			}
		}
	}()
	for _, p := range c.others() {
		if err := c.receive(p, k, take); err != nil {
			return err
		}
	}
	return c.err()
}

// others returns the other ranks that are connected, from the next one on, so that not all wait for the same.
func (c *Collective) others() (others []*peer) {
	for i := range c.size - 1 {
		if p := c.peers[(c.rank+1+i)%c.size]; p != nil {
			others = append(others, p)
		}
	}
	return others
}

// receive reads the message of a rank in a call.
func (c *Collective) receive(p *peer, want kind, take func(p *peer, n int) error) error {
	var head [headBytes]byte
	if err := p.reader.full(head[:]); err != nil {
		return c.lost(p, err)
	}
	k, n := kind(binary.NativeEndian.Uint64(head[:])), binary.NativeEndian.Uint64(head[8:])
	switch {
	case n > maxMessage || k > lostRank:
		return fmt.Errorf("%v has sent what is not a message", p)
	case k == gaveUp || k == lostRank:
		reason := make([]byte, min(n, small))
		if err := p.reader.full(reason); err != nil {
			return c.lost(p, err)
		}
		if k == gaveUp {
			text := strings.TrimPrefix(string(reason), fmt.Sprintf("rank %d: ", p.rank)) // which some say themselves
			return fmt.Errorf("rank %d gave up: %s", p.rank, text)
		}
		return errors.New(string(reason))
	case k != want:
		return fmt.Errorf("%v has called %s where this one has called %s", p, kinds[k], kinds[want])
	}
	err := take(p, int(n))
	if isNet(err) {
		return c.lost(p, err)
	}
	return err
}

// send sends a message. One larger than small may have to wait for the receiver.
func (p *peer) send(k kind, b []byte) error {
	p.writing.Lock()
	defer p.writing.Unlock()
	return p.write(k, b)
}

func (p *peer) write(k kind, b []byte) error {
	p.message = binary.NativeEndian.AppendUint64(p.message[:0], uint64(k))
	p.message = binary.NativeEndian.AppendUint64(p.message, uint64(len(b)))
	if len(b) <= small {
		p.message = append(p.message, b...)
		_, err := p.conn.Write(p.message)
		return err
	}
	_, err := (&net.Buffers{p.message, b}).WriteTo(p.conn)
	return err
}

// renew lets the other rank take a time from now on, or up to an eighth less, which saves most of the work.
func (p *peer) renew(timeout time.Duration) {
	if now := time.Now(); now.Sub(p.renewed) > timeout/8 {
		p.renewed = now
		p.conn.SetDeadline(now.Add(timeout))
	}
}

func isNet(err error) bool {
	_, ok := errors.AsType[net.Error](err)
	return ok || errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF)
}

// lost returns the error of a rank that cannot be reached. It ends the sending of a message to it.
func (c *Collective) lost(p *peer, err error) error {
	if c.err() == nil { // else the last message may be on its way
		if p.writing.TryLock() {
			p.writing.Unlock()
		} else {
			p.conn.Close()
		}
	}
	switch {
	case errors.Is(err, os.ErrDeadlineExceeded):
		return fmt.Errorf("%v has not answered in %v", p, c.timeout)
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, syscall.ECONNRESET), errors.Is(err, syscall.EPIPE):
		return fmt.Errorf("%v is lost: its process has ended; it may have needed more memory than it may use", p)
	}
	if inner := errors.Unwrap(err); inner != nil {
		err = inner // without the addresses, which p has
	}
	return fmt.Errorf("%v is lost: %w", p, err)
}

func (c *Collective) err() error {
	c.ending.Lock()
	defer c.ending.Unlock()
	if c.ended != "" {
		return errors.New(c.ended)
	}
	return nil
}

// fail ends the collective because of an error of a call. If Abort or Close has caused the error, it returns their reason.
func (c *Collective) fail(err error) error {
	if already := c.end(err.Error(), lostRank); already != nil {
		return already
	}
	return err
}

// Abort implements [aoso.Collective]. It ends a call in progress.
func (c *Collective) Abort(reason string) { c.end(reason, gaveUp) }

// Close closes the connections, and ends a call in progress. After an error it first gives the other ranks a moment to hear of it, which they
// might not if the process ended at once.
func (c *Collective) Close() error {
	c.end("the collective is closed", 0)
	c.leaving.Wait()
	return nil
}

// end closes the connections, after it has told the other ranks the reason if k is gaveUp or lostRank. It returns why they have been closed before.
func (c *Collective) end(reason string, k kind) error {
	c.ending.Lock()
	defer c.ending.Unlock()
	if c.ended != "" {
		return errors.New(c.ended)
	}
	c.ended = reason
	var telling sync.WaitGroup
	for _, p := range c.others() {
		if k == 0 {
			p.conn.Close()
			continue
		}
		p.conn.SetReadDeadline(time.Unix(1, 0)) // ends the call in progress
		p.conn.SetWriteDeadline(time.Now().Add(lastWords))
		if p.writing.TryLock() {
			telling.Go(func() { c.leave(p, k, reason) })
		} else { // after the message on its way
			c.leaving.Go(func() {
				p.writing.Lock()
				c.leave(p, k, reason)
			})
		}
	}
	telling.Wait()
	return nil
}

// leave sends a last message, for which writing is locked. It closes the connection when the other rank has closed it: otherwise what that rank
// has not read might be lost.
func (c *Collective) leave(p *peer, k kind, reason string) {
	err := p.write(k, []byte(reason[:min(len(reason), small)]))
	p.writing.Unlock()
	if err != nil || p.conn.CloseWrite() != nil {
		p.conn.Close()
		return
	}
	c.leaving.Go(func() {
		defer p.conn.Close()
		c.calling.Lock() // after the call in progress
		p.conn.SetReadDeadline(time.Now().Add(lastWords))
		c.calling.Unlock()
		io.Copy(io.Discard, p.conn)
	})
}

func bytesOf(v []int64) []byte {
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(v))), 8*len(v))
}
