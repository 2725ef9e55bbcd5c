package trust

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net/netip"
	"os"
	"reflect"
	"slices"
	"sync"

	"github.com/ichor-os/ichor/config"
	"github.com/ichor-os/ichor/config/documents/access"
	"github.com/ichor-os/ichor/node/apid/settings"
	clusterspec "github.com/ichor-os/ichor/node/cluster/spec"
	configspec "github.com/ichor-os/ichor/node/config/spec"
	"github.com/ichor-os/ichor/node/kubelet"
	"github.com/ichor-os/ichor/resource"
)

// surroundings are what apid and trustd know of what is around the node.
type surroundings struct {
	// members are the names by which callers may mean other nodes.
	members map[string]string
	// allowed is from where callers may call; nil is from everywhere.
	allowed []netip.Prefix
	// taken are the names that a node must not get a certificate for, unless it
	// is the one that has them.
	taken [][]string
}

var around struct {
	mu sync.Mutex
	surroundings
}

// loopback is where a node's own programs call from.
var loopback = []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8"), netip.MustParsePrefix("::1/128")}

// Around is the mirror of members and of the document APISourceConfig into the
// settings of apid and trustd.
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
	return surround(surroundingsOf(c, clusterspec.Members.List(s)))
}

func surroundingsOf(c *config.Config, members []resource.Resource[clusterspec.MemberSpec]) surroundings {
	out := surroundings{members: map[string]string{}}
	var others []netip.Prefix
	for _, m := range members {
		names := []string{m.ID, m.Spec.Hostname}
		for i, address := range m.Spec.Addresses {
			names = append(names, address.String())
			others = append(others, netip.PrefixFrom(address, address.BitLen()))
			if i == 0 {
				out.members[m.ID], out.members[m.Spec.Hostname] = address.String(), address.String()
			}
		}
		out.taken = append(out.taken, names)
	}
	var everyones []string
	for _, address := range kubelet.SharedAddresses(c) {
		everyones = append(everyones, address.String())
	}
	if main := c.Main(); main != nil && main.Cluster != nil && main.Cluster.ControlPlane != nil && main.Cluster.ControlPlane.Endpoint != nil {
		everyones = append(everyones, main.Cluster.ControlPlane.Endpoint.Hostname())
	}
	if len(everyones) > 0 {
		out.taken = append(out.taken, everyones)
	}
	if doc, ok := c.Find(access.APISourceKind.Kind, "").(*access.APISourceConfig); ok {
		for _, subnet := range doc.Subnets {
			out.allowed = append(out.allowed, subnet.Prefix)
		}
		out.allowed = slices.Concat(out.allowed, loopback, others)
	}
	return out
}

// surround puts what is around in force, in settings that are there and in those
// that are written later.
func surround(now surroundings) error {
	around.mu.Lock()
	defer around.mu.Unlock()
	if reflect.DeepEqual(now, around.surroundings) {
		return nil
	}
	around.surroundings = now
	api, err := settings.Load[settings.API](settings.DefaultAPIPath)
	if err == nil {
		err = writeAPI(api)
	}
	trust, err2 := settings.Load[settings.Trust](settings.DefaultTrustPath)
	if err2 == nil {
		err2 = writeTrust(trust)
	}
	return errors.Join(unlessMissing(err), unlessMissing(err2))
}

// unlessMissing is nil for settings that are not there yet: who writes them
// writes what is around too.
func unlessMissing(err error) error {
	if err == nil || errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return fmt.Errorf("tell of the nodes around: %w", err)
}

// writeAPI writes apid's settings with what is around; around.mu is held.
func writeAPI(api *settings.API) error {
	if api.Mode != settings.Maintenance {
		api.Members, api.Allowed = around.members, around.allowed
	}
	return settings.Save(settings.DefaultAPIPath, api, APIDUID)
}

// writeTrust writes trustd's settings with what is around; around.mu is held.
func writeTrust(trust *settings.Trust) error {
	trust.Taken = around.taken
	return settings.Save(settings.DefaultTrustPath, trust, TrustdUID)
}

func removeAPI() error {
	around.mu.Lock()
	defer around.mu.Unlock()
	if err := os.Remove(settings.DefaultAPIPath); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("remove apid settings: %w", err)
	}
	return nil
}
