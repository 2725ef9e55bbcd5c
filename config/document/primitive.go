package document

import (
	"encoding/base64"
	"errors"
	"fmt"
	"math"
	"reflect"
	"strconv"
	"strings"
	"time"

	"go.yaml.in/yaml/v3"
)

// TextOf reads text: any single value counts as its source text.
func TextOf(n *yaml.Node) (string, error) {
	if n.Kind != yaml.ScalarNode {
		return "", errors.New("expected text")
	}

	if n.ShortTag() == "!!binary" {
		raw, err := base64.StdEncoding.DecodeString(strings.Join(strings.Fields(n.Value), ""))
		if err != nil {
			return "", fmt.Errorf("not base64: %w", err)
		}

		return string(raw), nil
	}

	return n.Value, nil
}

// BooleanOf reads a boolean: bare true or false, or the words yes, no, on,
// off, y, n, bare or quoted.
func BooleanOf(n *yaml.Node) (bool, error) {
	if n.Kind == yaml.ScalarNode {
		switch n.Value {
		case "true", "True", "TRUE":
			if n.ShortTag() == "!!bool" {
				return true, nil
			}
		case "false", "False", "FALSE":
			if n.ShortTag() == "!!bool" {
				return false, nil
			}
		case "y", "Y", "yes", "Yes", "YES", "on", "On", "ON":
			return true, nil
		case "n", "N", "no", "No", "NO", "off", "Off", "OFF":
			return false, nil
		}
	}

	return false, fmt.Errorf("expected true or false, got %q", n.Value)
}

// DurationOf reads a duration in Go's syntax: 1h30m, 250ms; 0 needs no unit.
func DurationOf(n *yaml.Node) (time.Duration, error) {
	d, err := time.ParseDuration(n.Value)
	if n.Kind != yaml.ScalarNode || err != nil {
		return 0, fmt.Errorf("expected a duration with a unit (ns, us, ms, s, m, h), got %q", n.Value)
	}

	return d, nil
}

// IntegerOf reads a bare whole number: decimal, 0x, 0o, 0b, a leading zero
// for octal, with _ between digits, or a fraction or exponent form that is whole.
func IntegerOf(n *yaml.Node) (magnitude uint64, negative bool, err error) {
	tag := n.ShortTag()
	if n.Kind != yaml.ScalarNode || tag != "!!int" && tag != "!!float" {
		return 0, false, fmt.Errorf("expected a whole number without quotes, got %q", n.Value)
	}

	text := strings.ReplaceAll(n.Value, "_", "")
	negative = strings.HasPrefix(text, "-")
	bare := strings.TrimLeft(text, "+-")

	if len(text)-len(bare) <= 1 {
		if u, err := strconv.ParseUint(bare, 0, 64); err == nil {
			return u, negative && u != 0, nil
		}
	}

	f, err := strconv.ParseFloat(text, 64)
	if err != nil || f != math.Trunc(f) || math.Abs(f) >= math.MaxUint64 {
		return 0, false, fmt.Errorf("expected a whole number, got %q", n.Value)
	}

	return uint64(math.Abs(f)), f < 0, nil
}

// SetInteger reads a whole number into an integer of any width and checks that it fits.
func SetInteger(n *yaml.Node, v reflect.Value) error {
	u, negative, err := IntegerOf(n)
	if err != nil {
		return err
	}

	if v.CanUint() {
		if negative || v.OverflowUint(u) {
			return fmt.Errorf("number does not fit: %s: expected 0 to %d", n.Value, uint64(math.MaxUint64)>>(64-v.Type().Bits()))
		}

		v.SetUint(u)

		return nil
	}

	i := int64(u)
	if negative {
		i = -i
	}

	if u > math.MaxInt64 && !(negative && u == 1<<63) || v.OverflowInt(i) {
		top := int64(math.MaxInt64) >> (64 - v.Type().Bits())

		return fmt.Errorf("number does not fit: %s: expected %d to %d", n.Value, -top-1, top)
	}

	v.SetInt(i)

	return nil
}
