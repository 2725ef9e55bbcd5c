package bounded

import "fmt"

// MaxMarks is how many marks of structure a YAML text may have.
const MaxMarks = 500_000

// YAML refuses texts that a YAML library would need too much memory for. It
// counts the marks without which YAML makes no value: each , [ and {, and each
// - ? and : that a blank or the end of a line follows. A mark makes three
// values at most. Marks in comments and quotes count too: which
// those are, only a whole parser knows, and a text that fools a simple one
// must not pass.
func YAML(text []byte) error {
	if Marks(text) <= MaxMarks {
		return nil
	}

	return fmt.Errorf("YAML holds too many values: more than %d marks of structure (such as commas, colons and dashes)", MaxMarks)
}

// Marks counts the marks of structure in a text, as [YAML] does.
func Marks(text []byte) int {
	marks := 0

	for i, c := range text {
		if isMark[c] && (!needsBlank[c] || i+1 == len(text) || endsMark[text[i+1]]) {
			marks++
		}
	}

	return marks
}

var isMark, needsBlank, endsMark = table(",[{-?:"), table("-?:"), table(" \t\r\n\x00\xc2\xe2")

// table is a set of bytes. In endsMark, c2 and e2 begin the breaks of line that
// YAML 1.1 has outside of ASCII; 0 is the other half of a letter in UTF-16.
func table(bytes string) (set [256]bool) {
	for i := range len(bytes) {
		set[bytes[i]] = true
	}

	return set
}
