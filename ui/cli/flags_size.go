package cli

import (
	"errors"
	"strconv"
	"strings"
)

// byteSize is a number of bytes, as a person writes it. It is a pflag.Value.
type byteSize int64

// units are those of a size.
var units = []struct {
	name string
	of   byteSize
}{{"TiB", 1 << 40}, {"GiB", 1 << 30}, {"MiB", 1 << 20}, {"KiB", 1 << 10}}

// String implements pflag.Value.
func (s byteSize) String() string {
	for _, u := range units {
		if s >= u.of && s%u.of == 0 {
			return strconv.FormatInt(int64(s/u.of), 10) + u.name
		}
	}
	return strconv.FormatInt(int64(s), 10)
}

// Type implements pflag.Value.
func (s *byteSize) Type() string { return "size" }

// Set implements pflag.Value.
func (s *byteSize) Set(text string) error {
	number, of := text, byteSize(1)
	for _, u := range units {
		if rest, ok := strings.CutSuffix(text, u.name); ok {
			number, of = rest, u.of
			break
		}
	}
	n, err := strconv.ParseInt(number, 10, 64)
	if err != nil || n < 0 || n > int64((1<<62)/of) {
		return errors.New("want a number of bytes, such as 512MiB or 1GiB")
	}
	*s = byteSize(n) * of
	return nil
}
