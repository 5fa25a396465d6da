//go:build !linux

package tcp

import (
	"io"
	"net"
)

// reader reads a connection.
type reader struct{ conn *net.TCPConn }

func newReader(conn *net.TCPConn) (reader, error) { return reader{conn}, nil }

// full fills b.
func (r reader) full(b []byte) error {
	_, err := io.ReadFull(r.conn, b)
	return err
}
