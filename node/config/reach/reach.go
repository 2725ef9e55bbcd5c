// Package reach looks at what shows that a node can be reached: the control
// plane endpoint answers, the gateways answer, and the ways to those who called
// the node's API lately are still there.
//
// Look notes what holds before a change of the network, Missing says what of it
// does not hold any more. Neither changes anything.
package reach

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"slices"
	"syscall"
	"time"
)

// Evidence is what held when Look looked.
type Evidence struct {
	// Endpoint: the control plane endpoint answered, and it is not on this node.
	Endpoint bool `json:"endpoint"`
	// Gateways are the address families ("IPv4", "IPv6") whose default gateway
	// answered.
	Gateways []string `json:"gateways,omitempty"`
	// Callers had a connection to the node's API.
	Callers []Caller `json:"callers,omitempty"`
}

// Caller is a connection: from whom, and to which of the node's addresses.
type Caller struct {
	From netip.Addr `json:"from"`
	To   netip.Addr `json:"to"`
}

// Network is how Witness looks at the network.
type Network interface {
	// Own lists the node's addresses.
	Own() ([]netip.Addr, error)
	// Gateways lists the default gateways.
	Gateways() ([]netip.Addr, error)
	// Answers tells whether a neighbour on the link answers.
	Answers(ctx context.Context, neighbour netip.Addr) bool
	// Route gives an error if packets to the address go nowhere.
	Route(to netip.Addr) error
	// Callers lists connections to the node's API.
	Callers() ([]Caller, error)
}

// Witness looks at the network.
type Witness struct {
	Network Network
	// Dial connects to the endpoint; (&net.Dialer{}).DialContext if nil.
	Dial func(ctx context.Context, network, address string) (net.Conn, error)
	// Lookup resolves names; the default resolver's if nil.
	Lookup func(ctx context.Context, network, host string) ([]netip.Addr, error)
}

// bound is how long one look at a thing may take.
const bound = 8 * time.Second

// Look notes what holds now. Endpoint is host:port of the control plane, or "".
func (w Witness) Look(ctx context.Context, endpoint string) Evidence {
	own, _ := w.Network.Own()
	e := Evidence{Endpoint: endpoint != "" && w.endpoint(ctx, endpoint, own) == nil}
	gateways, _ := w.Network.Gateways()
	for _, gateway := range gateways {
		if family := familyOf(gateway); !slices.Contains(e.Gateways, family) && w.answers(ctx, gateway) {
			e.Gateways = append(e.Gateways, family)
		}
	}
	callers, _ := w.Network.Callers()
	for _, c := range callers {
		if !c.From.IsLoopback() && !slices.Contains(own, c.From) && !slices.Contains(e.Callers, c) {
			e.Callers = append(e.Callers, c)
		}
	}
	return e
}

// Missing says what held before and does not hold now, a sentence each.
func (w Witness) Missing(ctx context.Context, before Evidence, endpoint string) []string {
	var missing []string
	own, err := w.Network.Own()
	if err != nil {
		return []string{err.Error()}
	}
	if before.Endpoint {
		if err := w.endpoint(ctx, endpoint, own); err != nil {
			missing = append(missing, fmt.Sprintf("the control plane endpoint %s does not answer any more: %v", endpoint, err))
		}
	}
	gateways, err := w.Network.Gateways()
	if err != nil {
		return append(missing, err.Error())
	}
	for _, family := range before.Gateways {
		if err := w.gateway(ctx, family, gateways); err != nil {
			missing = append(missing, err.Error())
		}
	}
	for _, caller := range before.Callers {
		if !slices.Contains(own, caller.To) {
			missing = append(missing, fmt.Sprintf("the node lost its address %s, by which %s reached it", caller.To, caller.From))
		} else if err := w.Network.Route(caller.From); err != nil {
			missing = append(missing, fmt.Sprintf("packets do not get to %s any more, which called the node: %v", caller.From, err))
		}
	}
	return missing
}

func (w Witness) gateway(ctx context.Context, family string, gateways []netip.Addr) error {
	found := false
	for _, gateway := range gateways {
		if familyOf(gateway) != family {
			continue
		}
		if w.answers(ctx, gateway) {
			return nil
		}
		found = true
	}
	if !found {
		return fmt.Errorf("the node has no default route of %s any more", family)
	}
	return fmt.Errorf("the default gateway of %s does not answer", family)
}

func (w Witness) answers(ctx context.Context, gateway netip.Addr) bool {
	bounded, cancel := context.WithTimeout(ctx, bound)
	defer cancel()
	return w.Network.Answers(bounded, gateway)
}

// endpoint tells why the endpoint gives no evidence: it does not answer, or it
// is on this node.
func (w Witness) endpoint(ctx context.Context, endpoint string, own []netip.Addr) error {
	host, port, err := net.SplitHostPort(endpoint)
	if err != nil {
		return err
	}
	lookup, dial := w.Lookup, w.Dial
	if lookup == nil {
		lookup = net.DefaultResolver.LookupNetIP
	}
	if dial == nil {
		dial = (&net.Dialer{}).DialContext
	}
	bounded, cancel := context.WithTimeout(ctx, bound/2)
	defer cancel()
	addresses, err := lookup(bounded, "ip", host)
	if err != nil {
		return err
	}
	err = fmt.Errorf("%s is this node", host)
	for _, address := range addresses {
		address = address.Unmap()
		if address.IsLoopback() || slices.Contains(own, address) {
			continue
		}
		conn, dialErr := dial(bounded, "tcp", net.JoinHostPort(address.String(), port))
		if dialErr == nil {
			return conn.Close()
		}
		if errors.Is(dialErr, syscall.ECONNREFUSED) {
			return nil // nothing listens, but packets go there and back
		}
		err = dialErr
	}
	return err
}

func familyOf(address netip.Addr) string {
	if address.Is4() {
		return "IPv4"
	}
	return "IPv6"
}
