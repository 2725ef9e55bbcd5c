package decode_test

import (
	"encoding/binary"
	"testing"
	"unicode/utf16"

	"github.com/ichor-os/ichor/config/decode"
	"github.com/ichor-os/ichor/config/documents/v1alpha1"
)

func withUTF16(text string, order binary.ByteOrder) string {
	out := order.(binary.AppendByteOrder).AppendUint16(nil, 0xFEFF)
	for _, u := range utf16.Encode([]rune(text)) {
		out = order.(binary.AppendByteOrder).AppendUint16(out, u)
	}

	return string(out)
}

func TestDecode_AcceptsEveryFormOfYAML(t *testing.T) {
	plain := "machine:\n  type: worker\n"

	for name, text := range map[string]string{
		"line feeds":         plain,
		"both":               "machine:\r\n  type: worker\r\n",
		"carriage returns":   "machine:\r  type: worker\r",
		"byte order mark":    "\xef\xbb\xbf" + plain,
		"UTF-16":             withUTF16(plain, binary.LittleEndian),
		"UTF-16, big endian": withUTF16(plain, binary.BigEndian),
		"end marker":         plain + "...\n",
		"%YAML 1.1":          "%YAML 1.1\n---\n" + plain,
		"%YAML 1.2":          "%YAML 1.2\n---\n" + plain,
		"JSON":               `{"machine": {"type": "worker"}}`,
		"anchors":            "machine: &m\n  token: &t worker\n  type: *t\n",
		"merge key":          "machine:\n  <<: {type: worker}\n",
		"local tag":          "machine:\n  type: !word worker\n",
		"binary":             "machine:\n  type: !!binary d29ya2Vy\n",
		"comments":           "# a\nmachine: # b\n  # c\n  type: worker # d\n# e\n",
	} {
		parsed, err := decode.Decode([]byte(text), options())
		if err != nil {
			t.Errorf("%s: %v", name, err)

			continue
		}

		if got := parsed[0].Document.(*v1alpha1.Config).Machine.Type; got != "worker" {
			t.Errorf("%s: type: got %q", name, got)
		}
	}

	for name, text := range map[string]string{
		"tabs":                 "machine:\n\ttype: worker\n",
		"control characters":   "machine:\n  type: a\x01b\n",
		"invalid UTF-8":        "machine:\n  type: \xff\n",
		"unclosed":             "machine: {type: worker\n",
		"a mark in the middle": plain + "---\n\xef\xbb\xbfmachine: {}\n",
		"key of two types":     "machine:\n  sysctls: {1: a, \"1\": b}\n",
		"list as key":          "machine:\n  sysctls: {[a]: b}\n",
		"version alone":        "version: v1alpha1\n",
		"kind of main":         "kind: v1alpha1\nmachine: {}\n",
		"apiVersion of main":   "apiVersion: v1alpha1\nmachine: {}\n",
		"unknown null":         "machine: {wings: null}\n",
		"two halves":           "machine: {}\n---\ncluster: {}\n",
	} {
		if _, err := decode.Decode([]byte(text), options()); err == nil {
			t.Errorf("%s: got no error", name)
		}
	}
}
