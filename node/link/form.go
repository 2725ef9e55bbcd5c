package link

import (
	"github.com/vishvananda/netlink"

	"github.com/ichor-os/ichor/node/link/spec"
)

// form is what is special about a kind of link that software makes. A new kind
// is a new entry in forms.
type form struct {
	// make gives what the kernel is asked to create. Index finds the links
	// that it refers to; a missing one is the error.
	make func(want spec.LinkSpecSpec, attrs netlink.LinkAttrs, index func(name string) (int, error)) (netlink.Link, error)
	// status adds what is special to the status; nil for nothing.
	status func(l netlink.Link, s *spec.LinkStatusSpec)
	// same tells whether the link is as wanted in what is special; nil for
	// always. A link that is not is made anew.
	same func(want spec.LinkSpecSpec, is spec.LinkStatusSpec) bool
}

// forms are the kinds of links, by the kernel's names.
var forms = map[string]form{
	"dummy": {make: func(_ spec.LinkSpecSpec, attrs netlink.LinkAttrs, _ func(string) (int, error)) (netlink.Link, error) {
		return &netlink.Dummy{LinkAttrs: attrs}, nil
	}},
}
