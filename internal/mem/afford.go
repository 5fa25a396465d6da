package mem

import (
	"errors"
	"fmt"
	"runtime"
)

// ErrShort matches every [ShortError].
var ErrShort = errors.New("aoso: there is not enough memory")

// ShortError reports that there is not enough memory for something.
type ShortError struct {
	What       string // that needs memory
	Need, Have float64
	Limit      string // what sets the limit
}

func (e *ShortError) Error() string {
	return fmt.Sprintf("aoso: %s needs %.3g GB; %s %.3g GB", e.What, e.Need/1e9, e.Limit, e.Have/1e9)
}

func (e *ShortError) Unwrap() error { return ErrShort }

// Afford returns a [ShortError] if the process cannot get enough memory for something that
// needs the least bytes in any case and the most at worst. The least must fit the
// machine, and the most the limits of the process: Go ends the process when an allocation fails.
func Afford(what string, least, most float64) error {
	const little = 1 << 20 // below this the check takes longer than it is worth
	if total := Machine(); least > total {
		return &ShortError{what, least, total, "the machine has"}
	}
	if most < little || most < Left() {
		return nil
	}
	runtime.GC()
	if left := Left(); most > left {
		return &ShortError{what, most, left, "the limits of the process (RLIMIT_AS, RLIMIT_DATA) leave"}
	}
	return nil
}
