package scalar

import (
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/ichor-os/ichor/config/document"
)

var errSize = errors.New("want a number with an optional unit, such as 100GB, 1.5TiB or 4096")

// units maps lower-case unit names to their number of bytes. "k" and "kb" are
// decimal, "ki" and "kib" binary.
var units = func() map[string]float64 {
	out := map[string]float64{"": 1, "b": 1}

	for i, prefix := range []string{"k", "m", "g", "t", "p", "e"} {
		decimal, binary := math.Pow(1000, float64(i+1)), math.Pow(1024, float64(i+1))
		out[prefix], out[prefix+"b"] = decimal, decimal
		out[prefix+"i"], out[prefix+"ib"] = binary, binary
	}

	return out
}()

// ParseBytes reads a non-negative number of bytes: decimal digits with an
// optional fraction and commas between the thousands, then an optional unit in
// any case, decimal (k, kB, MB, …) or binary (KiB, MiB, …).
func ParseBytes(text string) (uint64, error) {
	end := 0
	for end < len(text) && (text[end] >= '0' && text[end] <= '9' || text[end] == '.' || text[end] == ',') {
		end++
	}

	number := strings.ReplaceAll(text[:end], ",", "")

	factor, known := units[strings.ToLower(strings.TrimSpace(text[end:]))]
	if !known {
		return 0, fmt.Errorf("size %q: unknown unit %q: %w", text, strings.TrimSpace(text[end:]), errSize)
	}

	if whole, err := strconv.ParseUint(number, 10, 64); err == nil && factor == 1 {
		return whole, nil
	}

	value, err := strconv.ParseFloat(number, 64)
	if err != nil {
		return 0, fmt.Errorf("size %q: %w", text, errSize)
	}

	value *= factor
	if value >= math.MaxUint64 {
		return 0, fmt.Errorf("size %q: does not fit 64 bits", text)
	}

	return uint64(value), nil
}

// Size is a number of bytes, possibly negative, that keeps the text it was
// given as. Negative sizes mean "all but".
type Size struct {
	text     string
	bytes    uint64
	negative bool
}

// ParseSize reads a size; empty text is the zero value.
func ParseSize(text string) (Size, error) {
	if text == "" {
		return Size{}, nil
	}

	number, negative := strings.CutPrefix(text, "-")

	bytes, err := ParseBytes(number)
	if err != nil {
		return Size{}, err
	}

	return Size{text: text, bytes: bytes, negative: negative}, nil
}

// DecodeYAML reads a size.
func (s *Size) DecodeYAML(n *yaml.Node) error {
	text, err := word(n)
	if err != nil {
		return err
	}

	parsed, err := ParseSize(text)
	if err != nil {
		return err
	}

	*s = parsed

	return nil
}

// EncodeYAML writes the text that was read.
func (s Size) EncodeYAML() *yaml.Node { return document.Text(s.text) }

// String returns the text that was read.
func (s Size) String() string { return s.text }

// IsZero tells whether no size was given. An explicit "0" is not zero.
func (s Size) IsZero() bool { return s.text == "" }

// Bytes is the amount without its sign.
func (s Size) Bytes() uint64 { return s.bytes }

// IsNegative tells whether the text had a leading "-".
func (s Size) IsNegative() bool { return s.negative }

// SizeOrPercent is a Size or a share of the whole, such as "75%".
type SizeOrPercent struct {
	size    Size
	percent float64
	isShare bool
}

// ParseSizeOrPercent reads a size or a percentage between 0 and 100; empty text
// is the zero value.
func ParseSizeOrPercent(text string) (SizeOrPercent, error) {
	share, isShare := strings.CutSuffix(text, "%")
	if !isShare {
		size, err := ParseSize(text)

		return SizeOrPercent{size: size}, err
	}

	digits, negative := strings.CutPrefix(share, "-")

	percent, err := strconv.ParseFloat(digits, 64)
	if err != nil || strings.ContainsAny(digits, "eEpPxX_+-iInN") || percent < 0 || percent > 100 {
		return SizeOrPercent{}, fmt.Errorf("percentage %q: want a number from 0 to 100 followed by %%", text)
	}

	return SizeOrPercent{size: Size{text: text, negative: negative}, percent: percent, isShare: true}, nil
}

// DecodeYAML reads a size or a percentage.
func (s *SizeOrPercent) DecodeYAML(n *yaml.Node) error {
	text, err := word(n)
	if err != nil {
		return err
	}

	parsed, err := ParseSizeOrPercent(text)
	if err != nil {
		return err
	}

	*s = parsed

	return nil
}

// EncodeYAML writes the text that was read.
func (s SizeOrPercent) EncodeYAML() *yaml.Node { return document.Text(s.size.text) }

// String returns the text that was read.
func (s SizeOrPercent) String() string { return s.size.text }

// IsZero tells whether nothing was given.
func (s SizeOrPercent) IsZero() bool { return s.size.text == "" }

// IsNegative tells whether the text had a leading "-": all but that much.
func (s SizeOrPercent) IsNegative() bool { return s.size.negative }

// IsPercent tells whether a share was given instead of a number of bytes.
func (s SizeOrPercent) IsPercent() bool { return s.isShare }

// Bytes is the absolute amount without its sign; 0 for a share.
func (s SizeOrPercent) Bytes() uint64 { return s.size.bytes }

// Percent is the share without its sign; 0 for an absolute amount.
func (s SizeOrPercent) Percent() float64 { return s.percent }

// JSONSchema accepts a number or text with a unit.
func (s SizeOrPercent) JSONSchema() map[string]any {
	return map[string]any{"anyOf": []any{
		s.size.JSONSchema(),
		map[string]any{"type": "string", "pattern": "^-?[0-9.]+%$"},
	}}
}

// JSONSchema accepts a number or text with a unit.
func (s Size) JSONSchema() map[string]any {
	return map[string]any{
		"type":    []any{"string", "number"},
		"pattern": "^(-?[0-9.,]+\\s*([kKmMgGtTpPeE]([iI]?[bB]|[iI])?|[bB])?)?\\s*$",
	}
}

// Form names the form of the value for readers.
func (Size) Form() string { return "size" }

// Form names the form of the value for readers.
func (SizeOrPercent) Form() string { return "size or percentage" }
