// Package document is the frame that every machine config document stands in.
//
// A document is a Go struct whose field tags hold everything the rest of the
// program needs to know about a key: its name and place, how patches merge
// into it, what a change of it takes, whether it is in force yet, whether it
// can cut the node off, whether it is secret, and what it means. TypeOf turns
// a struct into a schema tree once; decoding, encoding, merging, JSON schema,
// reference pages, explain, plan, redaction and completion walk that tree.
//
// The package knows no kind of document. Kinds live in config/documents.
package document

// Versions of documents.
const (
	// V1Alpha1 is the apiVersion of the documents of the Talos config API.
	V1Alpha1 = "v1alpha1"
	// IchorV1Alpha1 is the apiVersion of documents that only this project knows.
	IchorV1Alpha1 = "ichor.dev/v1alpha1"
	// MainKind is the kind under which the main document (which carries
	// neither apiVersion nor kind) is listed.
	MainKind = "v1alpha1"
)

// Kind describes one kind of document. There is one value a kind, made once
// and never changed.
type Kind struct {
	// APIVersion and Kind are what the document carries; the main document
	// has an empty APIVersion and the kind MainKind, and carries neither.
	APIVersion, Kind string
	// Named kinds carry a name and may appear more than once.
	Named bool
	// Since is the config version that introduced the kind: "1.13", "1.14".
	Since string
	// New makes an empty document, with the defaults that decoding needs.
	New func() Document
	// ConflictsWith lists kinds that may not share a name with this one.
	ConflictsWith []string
	// Doc says what the document is for; Example is YAML that validates.
	Doc, Example string
}

// IsMain tells the main document from the others.
func (k *Kind) IsMain() bool { return k.APIVersion == "" && k.Kind == MainKind }

// String is the kind's title: apiVersion/kind, or the kind alone.
func (k *Kind) String() string {
	if k.APIVersion == "" || k.APIVersion == V1Alpha1 {
		return k.Kind
	}

	return k.APIVersion + "/" + k.Kind
}

// Document is one decoded document. Implementations are pointers to structs
// with the tags that Field documents; the keys apiVersion and kind are not
// fields, the name of a named kind is (key "name", first).
type Document interface {
	// Kind returns the document's description.
	Kind() *Kind
	// Name returns the name of a named document, else "".
	Name() string
	// Validate reports what is wrong with this document alone.
	Validate(v *Validation)
}

// CrossValidator is a document with rules about the other documents of the
// same config. It runs after each document's own Validate.
type CrossValidator interface {
	// ValidateWith reports clashes with others, which includes the document itself.
	ValidateWith(v *Validation, others []Document)
}

// Settler is a document with keys that exclude each other. After a patch was
// merged into it, Settle lets what the patch gave win over what it excludes.
type Settler interface {
	Settle(patch Document)
}

// Title names a document in messages: "LinkConfig/eth0", "HostnameConfig",
// "v1alpha1.Config".
func Title(d Document) string {
	k := d.Kind()
	if k.IsMain() {
		return "v1alpha1.Config"
	}

	if name := d.Name(); name != "" {
		return k.String() + "/" + name
	}

	return k.String()
}
