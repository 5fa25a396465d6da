package table

import (
	"bytes"
	"time"

	"github.com/libaoso/aoso/internal/data"
)

// Date reads an ISO 8601 date, with or without a time of day, as seconds since 1970. A date without time zone is in UTC.
func Date(b []byte) (float64, bool) {
	const day = len("2006-01-02")
	if len(b) < day || b[4] != '-' || b[7] != '-' {
		return 0, false
	}
	year, ok1 := natural(b[:4])
	month, ok2 := natural(b[5:7])
	dayOf, ok3 := natural(b[8:day])
	if !ok1 || !ok2 || !ok3 {
		return 0, false
	}
	clock, fraction, ok := clockTime(b[day:])
	t := time.Date(year, time.Month(month), dayOf, 0, 0, 0, 0, time.UTC)
	if !ok || t.Month() != time.Month(month) || t.Day() != dayOf {
		return 0, false
	}
	return float64(t.Unix()+clock) + fraction, true
}

// clockTime reads the text after a date: nothing, or a time of day, with or without time zone.
func clockTime(b []byte) (seconds int64, fraction float64, ok bool) {
	if len(b) == 0 {
		return 0, 0, true
	}
	if b[0] != 'T' && b[0] != ' ' {
		return 0, 0, false
	}
	b, zone := cutZone(b[1:])
	offset, ok := offsetOf(zone)
	if !ok {
		return 0, 0, false
	}
	whole, rest, pointed := bytes.Cut(b, []byte{'.'})
	if pointed {
		n, ok := natural(rest)
		if !ok || len(rest) > 9 || len(whole) != len("15:04:05") {
			return 0, 0, false
		}
		per := int64(1)
		for range rest {
			per *= 10
		}
		fraction = data.Seconds(int64(n), per)
	}
	parts := bytes.Split(whole, []byte{':'})
	if len(parts) < 2 || len(parts) > 3 {
		return 0, 0, false
	}
	for i, part := range parts {
		n, ok := natural(part)
		if most := []int{23, 59, 59}[i]; !ok || len(part) != 2 || n > most {
			return 0, 0, false
		}
		seconds += int64(n) * []int64{3600, 60, 1}[i]
	}
	return seconds - offset, fraction, true
}

// cutZone divides a time into the time of day and the time zone: Z, +hh, +hhmm or +hh:mm.
func cutZone(b []byte) (clock, zone []byte) {
	if i := bytes.LastIndexAny(b, "Z+-"); i >= 0 {
		return b[:i], b[i:]
	}
	return b, nil
}

// offsetOf returns the seconds that a time zone is ahead of UTC.
func offsetOf(zone []byte) (int64, bool) {
	if len(zone) == 0 || string(zone) == "Z" {
		return 0, true
	}
	digits := bytes.Replace(zone[1:], []byte{':'}, nil, 1)
	n, ok := natural(digits)
	if !ok || zone[0] == 'Z' || len(digits) != 2 && len(digits) != 4 {
		return 0, false
	}
	if len(digits) == 2 {
		n *= 100
	}
	seconds := int64(n/100)*3600 + int64(n%100)*60
	if zone[0] == '-' {
		seconds = -seconds
	}
	return seconds, n/100 <= 23 && n%100 <= 59
}

// natural reads 1 to 9 digits.
func natural(b []byte) (n int, ok bool) {
	for _, c := range b {
		if c < '0' || c > '9' {
			return 0, false
		}
		n = 10*n + int(c-'0')
	}
	return n, len(b) > 0 && len(b) <= 9
}
