package config_test

// better lists the vectors whose recorded outcome is a defect that this
// project does not copy; docs/compatibility.md says the same for users.
var better = map[string]string{
	"a-main-args-list":          "a flag may be given a list of values",
	"a-multi-merge-key":         "the merge key << works in every mapping",
	"a-multi-string-lead-blank": "text that starts with a blank is written so that it can be read again",
	"b-args-list":               "a flag may be given a list of values",
	"b-by-key-configfiles":      "appending a list adds only what is not in it",
	"b-by-key-selector-phys":    "a device selector with physical matches an equal one",
	"b-del-doc-named-noname":    "deleting a document that is not there is an error",
	"b-del-other-value":         "$patch: replace empties the place before the rest is merged; other words are errors",
	"b-doc-hostname":            "a host name over auto: stable turns auto off, so that the result is valid",
	"b-json-move-copy":          "the word y stays text in a JSON patch",
	"b-json-replace-absent":     "replace needs a value to replace (RFC 6902), use add",
	"b-list-append-dup":         "appending a list adds only what is not in it",
	"b-merge-alias-unrelated":   "a patch that does not mention an expression keeps it",
	"b-merge-disk-size":         "a size over a size replaces it",
	"b-merge-kmsg-url":          "a URL over a URL replaces it whole",
	"b-merge-oom-unrelated":     "a patch that does not mention an expression keeps it",
	"b-merge-rule-routing":      "routing rules can be patched",
	"b-size":                    "a patch that does not mention minSize keeps it",
	"b-size-min-cleared":        "a patch that does not mention minSize keeps it",
	"b-size-min-unrelated":      "a patch that does not mention minSize keeps it",
	"b-unstructured-null":       "null over a value in a free-form mapping changes nothing",
}
