package tcp

import (
	"io"
	"net"
	"os"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// spin is how long a rank asks for a message before it sleeps. To be woken takes longer than most messages.
const spin = 100 * time.Microsecond

// reader reads a connection.
type reader struct{ raw syscall.RawConn }

func newReader(conn *net.TCPConn) (r reader, err error) {
	r.raw, err = conn.SyscallConn()
	return r, err
}

// full fills b.
func (r reader) full(b []byte) error {
	for len(b) > 0 {
		n, err := 0, error(nil)
		waited := r.raw.Read(func(fd uintptr) bool {
			start := time.Time{}
			for {
				n, err = unix.Read(int(fd), b)
				if err != unix.EAGAIN && err != unix.EINTR {
					return true
				}
				if start.IsZero() {
					start = time.Now()
				} else if time.Since(start) > spin {
					return false
				}
				unix.RawSyscall(unix.SYS_SCHED_YIELD, 0, 0, 0) // to a process that computes, if there is one on this core
			}
		})
		switch {
		case waited != nil:
			return waited
		case err != nil:
			return &net.OpError{Op: "read", Err: os.NewSyscallError("read", err)}
		case n == 0:
			return io.EOF
		}
		b = b[n:]
	}
	return nil
}
