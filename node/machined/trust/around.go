package trust

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"net/netip"
	"os"
	"slices"
	"sync"

	"github.com/ichor-os/ichor/config/documents/access"
	"github.com/ichor-os/ichor/node/apid/settings"
	clusterspec "github.com/ichor-os/ichor/node/cluster/spec"
	configspec "github.com/ichor-os/ichor/node/config/spec"
	"github.com/ichor-os/ichor/resource"
)

// around is what apid knows of what is around the node: by which names callers
// may mean the others, and from where they may call.
var around struct {
	mu      sync.Mutex
	members map[string]string
	allowed []netip.Prefix
}

// loopback is where a node's own programs call from.
var loopback = []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8"), netip.MustParsePrefix("::1/128")}

// Around is the mirror of members and of the document APISourceConfig into
// apid's settings.
func Around() resource.Block {
	return resource.Mirror("apid-surroundings", configspec.MachineConfigs, nil, ensureAround,
		func(context.Context, *resource.Session, resource.Resource[configspec.MachineConfigSpec]) error {
			return nil
		})
}

func ensureAround(_ context.Context, s *resource.Session, r resource.Resource[configspec.MachineConfigSpec]) error {
	if r.ID != configspec.Active {
		return nil
	}
	c, ok, err := configspec.Config(s)
	if err != nil || !ok {
		return err
	}
	members := map[string]string{}
	var others []netip.Prefix
	for _, m := range clusterspec.Members.List(s) {
		for i, address := range m.Spec.Addresses {
			others = append(others, netip.PrefixFrom(address, address.BitLen()))
			if i == 0 {
				members[m.ID], members[m.Spec.Hostname] = address.String(), address.String()
			}
		}
	}
	var allowed []netip.Prefix
	if doc, ok := c.Find(access.APISourceKind.Kind, "").(*access.APISourceConfig); ok {
		for _, subnet := range doc.Subnets {
			allowed = append(allowed, subnet.Prefix)
		}
		allowed = slices.Concat(allowed, loopback, others)
	}
	return surround(members, allowed)
}

// surround puts names and sources in force, in settings that are there and in
// those that are written later.
func surround(members map[string]string, allowed []netip.Prefix) error {
	around.mu.Lock()
	defer around.mu.Unlock()
	if maps.Equal(members, around.members) && slices.Equal(allowed, around.allowed) {
		return nil
	}
	around.members, around.allowed = members, allowed
	api, err := settings.Load[settings.API](settings.DefaultAPIPath)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("tell apid of the nodes around: %w", err)
	}
	return writeAPI(api)
}

// writeAPI writes apid's settings with what is around; around.mu is held.
func writeAPI(api *settings.API) error {
	if api.Mode != settings.Maintenance {
		api.Members, api.Allowed = around.members, around.allowed
	}
	return settings.Save(settings.DefaultAPIPath, api, APIDUID)
}

func removeAPI() error {
	around.mu.Lock()
	defer around.mu.Unlock()
	if err := os.Remove(settings.DefaultAPIPath); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("remove apid settings: %w", err)
	}
	return nil
}
