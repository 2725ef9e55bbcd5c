package scalar

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"
)

// ParseInteger reads an integer in the forms that config files may use: decimal
// with an optional sign, 0x, 0o and 0b, a leading zero for octal (unless a digit
// says otherwise), underscores between digits, and floats that are whole
// numbers. The result lies between low and high.
func ParseInteger(text string, low, high int64) (int64, error) {
	value, err := parseInteger(strings.ReplaceAll(text, "_", ""))
	if err != nil {
		return 0, fmt.Errorf("integer %q: want a whole number", text)
	}

	if value < low || value > high {
		return 0, fmt.Errorf("integer %q: want a number from %d to %d", text, low, high)
	}

	return value, nil
}

func parseInteger(text string) (int64, error) {
	if value, err := strconv.ParseInt(text, 0, 64); err == nil {
		return value, nil
	}

	if value, err := strconv.ParseInt(text, 10, 64); err == nil {
		return value, nil
	}

	value, err := strconv.ParseFloat(text, 64)
	if err != nil {
		return 0, err
	}

	if value != math.Trunc(value) || math.Abs(value) >= math.MaxInt64 {
		return 0, strconv.ErrRange
	}

	return int64(value), nil
}

// isNumber tells whether a scalar was written as a bare number.
func isNumber(n *yaml.Node) bool {
	tag := n.ShortTag()

	return tag == "!!int" || tag == "!!float"
}
