package apid

import (
	"net/netip"
	"strings"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"

	"github.com/ichor-os/ichor/api"
	"github.com/ichor-os/ichor/node/access"
	"github.com/ichor-os/ichor/node/apid/settings"
)

// Metadata keys that say where a call goes.
const (
	keyNode      = "node"
	keyNodes     = "nodes"
	keyProxyFrom = "proxyfrom"
)

// keyRequest is the metadata key with which a node that passes a call on gives
// it the id that joins the audit records of both.
const keyRequest = "ichor-request-id"

// A route is where a call goes: to the node itself, to one other, or to many.
type route struct {
	targets []string
	many    bool
}

// direct reads the route of a call from its metadata. A call that a node
// passed on has arrived, whatever else it says.
func direct(md metadata.MD, who caller, method string, limit int) (route, error) {
	if who.forwarded {
		return route{}, nil
	}

	one, many := md.Get(keyNode), splitTargets(md.Get(keyNodes))

	switch {
	case len(one) == 0 && len(many) == 0:
		return route{}, nil
	case len(one) > 0 && len(many) > 0:
		return route{}, status.Error(codes.InvalidArgument, "both node and nodes are set: name the targets in one of them")
	case len(one) > 1 || len(one) == 1 && one[0] == "":
		return route{}, status.Error(codes.InvalidArgument, "node takes one target: use nodes for more")
	case len(one) == 1:
		return route{targets: one}, checkTargets(one)
	case len(many) > limit:
		return route{}, status.Errorf(codes.InvalidArgument, "%d targets in one call, at most %d: ask in parts", len(many), limit)
	case !api.InMergedPackage(method):
		return route{}, status.Errorf(codes.InvalidArgument, "%s does not support one to many: name one target in node", method)
	case !api.Mergeable(method):
		if len(many) == 1 {
			return route{targets: many}, checkTargets(many)
		}

		return route{}, status.Errorf(codes.InvalidArgument,
			"%s has no place in its answer for the name of a node: name one target in node", method)
	}

	return route{targets: many, many: true}, checkTargets(many)
}

// splitTargets returns the targets of values that may each hold several, in
// order and once each.
func splitTargets(values []string) []string {
	var out []string

	seen := map[string]bool{}

	for _, value := range values {
		for target := range strings.SplitSeq(value, ",") {
			if target = strings.TrimSpace(target); target != "" && !seen[target] {
				seen[target] = true
				out = append(out, target)
			}
		}
	}

	return out
}

// checkTargets refuses what is neither an address nor a name. A port is not
// part of a target: nodes talk on one port only.
func checkTargets(targets []string) error {
	for _, target := range targets {
		if _, err := netip.ParseAddr(target); err == nil {
			continue
		}

		if len(target) > 253 || strings.ContainsFunc(target, func(r rune) bool {
			return r != '-' && r != '.' && r != '_' && (r < '0' || r > '9') && (r < 'a' || r > 'z') && (r < 'A' || r > 'Z')
		}) {
			return status.Errorf(codes.InvalidArgument, "target %q is neither an address nor a name", target)
		}
	}

	return nil
}

// A hop is one node that a call goes to, the connection to it, and the metadata
// it gets.
type hop struct {
	target  string
	conn    *grpc.ClientConn
	md      metadata.MD
	release func()
}

// hopTo prepares a hop. The node itself is reached without a detour.
func (s *Server) hopTo(target string, under *state, who caller, incoming metadata.MD) (hop, error) {
	md := passOn(incoming)
	md[access.MetadataKey] = who.roles.Names()
	md[keyRequest] = []string{who.request}

	if target == "" || under.self[canonical(target)] {
		if who.forwarded && who.node {
			md[keyProxyFrom] = incoming.Get(keyProxyFrom)
		}

		md[access.SourceKey] = []string{who.source.String()}

		return hop{target: target, conn: s.backend, md: md, release: func() {}}, nil
	}

	if under.mode != settings.ControlPlane {
		return hop{}, status.Errorf(codes.PermissionDenied,
			"this node does not forward calls, so it cannot reach %s: use a control plane node as endpoint", target)
	}

	md[keyProxyFrom] = []string{under.name}

	conn, release, err := s.peers.get(under, target)
	if err != nil {
		return hop{}, status.Errorf(codes.Unavailable, "%v", err)
	}

	return hop{target: target, conn: conn, md: md, release: release}, nil
}

// ownKeys are metadata keys that belong to one connection or that only apid
// may set.
var ownKeys = map[string]bool{
	access.MetadataKey: true,
	access.SourceKey:   true,
	keyNode:            true,
	keyNodes:           true,
	keyProxyFrom:       true,
	keyRequest:         true,
	"content-type":     true,
	"user-agent":       true,
	"te":               true,
}

// passOn returns the metadata of a caller that is none of apid's business.
func passOn(incoming metadata.MD) metadata.MD {
	out := metadata.MD{}

	for key, values := range incoming {
		if !ownKeys[key] && !strings.HasPrefix(key, ":") && !strings.HasPrefix(key, "grpc-") {
			out[key] = values
		}
	}

	return out
}
