// Package enum gives numbers of the contract their text, and back, for spec
// types that are a number in protobuf and a word in YAML.
package enum

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// Int is what an enum's type is made of.
type Int interface {
	~int | ~int8 | ~int16 | ~int32 | ~int64 | ~uint8 | ~uint16 | ~uint32 | ~uint64
}

// Names holds the words of an enum. Make it with [New].
type Names[E Int] struct {
	text  map[E]string
	value map[string]E
}

// New makes the names from word by number.
func New[E Int](text map[E]string) *Names[E] {
	n := &Names[E]{text: text, value: make(map[string]E, len(text))}
	for e, t := range text {
		n.value[t] = e
	}
	return n
}

// Text gives the word for e, or its number in decimal where it has none.
func (n *Names[E]) Text(e E) string {
	if t, ok := n.text[e]; ok {
		return t
	}
	return strconv.FormatInt(int64(e), 10)
}

// Parse reads what Text gives.
func (n *Names[E]) Parse(text []byte, e *E) error {
	if v, ok := n.value[string(text)]; ok {
		*e = v
		return nil
	}
	v, err := strconv.ParseInt(string(text), 10, 64)
	if err != nil || int64(E(v)) != v {
		return fmt.Errorf("%q is none of %s", text, strings.Join(n.words(), ", "))
	}
	*e = E(v)
	return nil
}

// words lists the words by their numbers.
func (n *Names[E]) words() []string {
	var all []string
	for t := range n.value {
		all = append(all, t)
	}
	slices.SortFunc(all, func(a, b string) int { return cmp.Compare(n.value[a], n.value[b]) })
	return all
}

// FlagsText gives the words of the bits that are set in e, lowest first, with
// sep between them. Bits without a word come last, as one number in hex.
func (n *Names[E]) FlagsText(e E, sep string) string {
	var all []string
	rest := e
	for bit := E(1); bit > 0 && rest != 0; bit <<= 1 {
		if t, ok := n.text[bit]; ok && e&bit != 0 {
			all = append(all, t)
			rest &^= bit
		}
	}
	if rest != 0 {
		all = append(all, fmt.Sprintf("%#x", uint64(rest)))
	}
	return strings.Join(all, sep)
}

// ParseFlags reads what FlagsText gives.
func (n *Names[E]) ParseFlags(text []byte, sep string, e *E) error {
	*e = 0
	for t := range strings.SplitSeq(string(text), sep) {
		if t == "" {
			continue
		}
		bit, ok := n.value[t]
		if !ok {
			v, err := strconv.ParseUint(t, 0, 64)
			if err != nil || uint64(E(v)) != v {
				return fmt.Errorf("%q is none of %s", t, strings.Join(n.words(), ", "))
			}
			bit = E(v)
		}
		*e |= bit
	}
	return nil
}
