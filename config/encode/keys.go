package encode

import (
	"cmp"
	"strings"
	"unicode"
)

// CompareKeys orders the keys of free mappings as YAML libraries do, so that
// output stays comparable with theirs: numbers inside keys by their value, and
// at the first difference other characters before letters – but after a digit
// letters first, so that a1b comes before a1.
func CompareKeys(a, b string) int {
	x, y := []rune(a), []rune(b)

	for i := range min(len(x), len(y)) {
		if x[i] == y[i] {
			continue
		}

		letterX, letterY := unicode.IsLetter(x[i]), unicode.IsLetter(y[i])

		switch {
		case letterX && letterY:
			return cmp.Compare(x[i], y[i])
		case letterX || letterY:
			afterDigit := i > 0 && unicode.IsDigit(x[i-1])
			if letterX == afterDigit {
				return -1
			}

			return 1
		}

		return compareNumbers(x, y, i)
	}

	return cmp.Compare(len(x), len(y))
}

// compareNumbers orders keys that differ first at i, where neither has a
// letter: by the numbers that start or go on there, if any.
func compareNumbers(x, y []rune, i int) int {
	start := i
	for start > 0 && unicode.IsDigit(x[start-1]) {
		start--
	}

	numberX, numberY := digitsFrom(x, start), digitsFrom(y, start)

	valueX, valueY := strings.TrimLeft(numberX, "0"), strings.TrimLeft(numberY, "0")
	if c := cmp.Or(cmp.Compare(len(valueX), len(valueY)), strings.Compare(valueX, valueY)); c != 0 {
		return c
	}

	return cmp.Or(cmp.Compare(len(numberX), len(numberY)), cmp.Compare(x[i], y[i]))
}

func digitsFrom(s []rune, start int) string {
	end := start
	for end < len(s) && unicode.IsDigit(s[end]) {
		end++
	}

	return string(s[start:end])
}
