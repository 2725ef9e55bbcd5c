package scalar

// Expression is the source text of a CEL expression. It is kept as written,
// outer blanks included; package cel compiles it.
type Expression string
