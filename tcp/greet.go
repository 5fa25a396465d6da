package tcp

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"errors"
	"io"
	"net"
)

// hello is what a rank says of itself.
type hello struct {
	Rank    int    `json:"rank"`
	Size    int    `json:"size"`
	Port    int    `json:"port"` // where it listens
	Version string `json:"version"`
}

const (
	magic      = "aoso tcp"
	nonceBytes = 32
	maxHello   = 1 << 10
)

// greet proves to the other end of a new connection that this process knows the secret, and has it prove the same. Each side sends a random
// number, and then its hello with an HMAC-SHA256 of it, of both random numbers and of its own part: dialed, or accepted. So no message of
// another connection, or of the other side, is a proof. What follows on the connection is neither encrypted nor authenticated.
func greet(conn net.Conn, secret []byte, mine hello, dialed bool) (them hello, err error) {
	text, err := json.Marshal(mine)
	if err != nil {
		return them, err
	}
	start := append([]byte(magic), make([]byte, nonceBytes)...)
	if _, err := rand.Read(start[len(magic):]); err != nil {
		return them, err
	}
	if _, err := conn.Write(start); err != nil {
		return them, err
	}
	theirStart := make([]byte, len(start))
	if _, err := io.ReadFull(conn, theirStart); err != nil {
		return them, err
	}
	if string(theirStart[:len(magic)]) != magic {
		return them, errors.New("it is not a rank of aoso")
	}
	proof := func(first, second, hello []byte, dialed bool) []byte {
		h := hmac.New(sha256.New, secret)
		h.Write([]byte(map[bool]string{false: "accepted", true: "dialed  "}[dialed]))
		h.Write(first)
		h.Write(second)
		h.Write(hello)
		return h.Sum(nil)
	}
	message := append(proof(start, theirStart, text, dialed), binary.LittleEndian.AppendUint16(nil, uint16(len(text)))...)
	if _, err := conn.Write(append(message, text...)); err != nil {
		return them, err
	}
	theirs := make([]byte, sha256.Size+2)
	if _, err := io.ReadFull(conn, theirs); err != nil {
		return them, err
	}
	theirText := make([]byte, min(binary.LittleEndian.Uint16(theirs[sha256.Size:]), maxHello))
	if _, err := io.ReadFull(conn, theirText); err != nil {
		return them, err
	}
	if !hmac.Equal(theirs[:sha256.Size], proof(theirStart, start, theirText, !dialed)) {
		return them, errors.New("its secret differs; allowed: the same on all ranks")
	}
	return them, json.Unmarshal(theirText, &them)
}
