package link

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/ichor-os/ichor/config/cel"
	"github.com/ichor-os/ichor/config/documents/network"
	configspec "github.com/ichor-os/ichor/node/config/spec"
	"github.com/ichor-os/ichor/node/link/spec"
	"github.com/ichor-os/ichor/resource"
)

// reconcileAliases gives the links that LinkAliasConfig documents choose their
// second names. Only network cards are looked at. Documents count in their
// order; a link takes one alias, and an alias without %d belongs to one link: a
// selector that matches several names none.
func reconcileAliases(_ context.Context, s *resource.Session) error {
	c, ok, err := configspec.Config(s)
	if err != nil || !ok {
		return err
	}
	var documents []*network.LinkAliasConfig
	for _, doc := range c.Documents() {
		if d, ok := doc.(*network.LinkAliasConfig); ok {
			documents = append(documents, d)
		}
	}
	if len(documents) == 0 {
		return nil
	}
	cards := slices.DeleteFunc(spec.LinkStatuses.List(s), func(l resource.Resource[spec.LinkStatusSpec]) bool { return !l.Spec.Physical() })
	taken := map[string]bool{}
	for _, d := range documents {
		matching, err := choose(cards, string(d.Selector.Match))
		if err != nil {
			return fmt.Errorf("choose link for alias: %s: %w", d.DocName, err)
		}
		prefix, numbered := strings.CutSuffix(d.DocName, "%d")
		if !numbered && len(matching) > 1 {
			continue
		}
		for i, name := range matching {
			if taken[name] {
				continue
			}
			taken[name] = true
			alias := d.DocName
			if numbered {
				alias = prefix + strconv.Itoa(i)
			}
			spec.LinkAliasSpecs.Put(s, name, spec.LinkAliasSpecSpec{Alias: alias})
		}
	}
	return nil
}

// choose names the links for which an expression is true. The alias itself is
// no input, or it would undo what chose it.
func choose(links []resource.Resource[spec.LinkStatusSpec], expression string) ([]string, error) {
	program, err := compiled(expression)
	if err != nil {
		return nil, err
	}
	var names []string
	for _, l := range links {
		yes, err := program.Bool(map[string]any{"link": fields(l.Spec)})
		if err != nil {
			return nil, err
		}
		if yes {
			names = append(names, l.ID)
		}
	}
	return names, nil
}

// programs keeps compiled expressions: compiling costs far more than running.
var programs sync.Map

func compiled(expression string) (*cel.Program, error) {
	if p, ok := programs.Load(expression); ok {
		return p.(*cel.Program), nil
	}
	p, err := cel.Compile(cel.Link, expression)
	if err != nil {
		return nil, err
	}
	programs.Store(expression, p)
	return p, nil
}

func fields(l spec.LinkStatusSpec) *cel.LinkFields {
	return &cel.LinkFields{
		Index: l.Index, Type: int64(l.Type), LinkIndex: l.LinkIndex, Flags: uint32(l.Flags),
		HardwareAddr: l.HardwareAddr, BroadcastAddr: l.BroadcastAddr, PermanentAddr: l.PermanentAddr,
		MTU: l.MTU, QueueDisc: l.QueueDisc, MasterIndex: l.MasterIndex, OperationalState: int64(l.OperationalState),
		Kind: l.Kind, SlaveKind: l.SlaveKind, BusPath: l.BusPath, PCIID: l.PCIID,
		Driver: l.Driver, DriverVersion: l.DriverVersion, FirmwareVersion: l.FirmwareVersion,
		ProductID: l.ProductID, VendorID: l.VendorID, Product: l.Product, Vendor: l.Vendor,
		LinkState: l.LinkState, SpeedMegabits: int64(l.SpeedMbit), Port: int64(l.Port), Duplex: int64(l.Duplex), AltNames: l.AltNames,
	}
}
