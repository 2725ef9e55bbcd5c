// Flannel is the CNI plugin for networks that flanneld manages. It makes no
// interface itself: it takes the subnet that flanneld leased for this node from
// the file flanneld wrote, completes the configuration of another plugin with
// it (bridge, unless the network names one), and calls that.
//
// The completed configuration is kept until the container is deleted, so that
// the deletion finds the addresses that the addition reserved even if the lease
// has changed since.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/containernetworking/cni/pkg/invoke"
	"github.com/containernetworking/cni/pkg/skel"
	"github.com/containernetworking/cni/pkg/types"
	"github.com/containernetworking/cni/pkg/version"
)

const (
	defaultSubnetFile = "/run/flannel/subnet.env"
	defaultDataDir    = "/var/lib/cni/flannel"
)

// network is the configuration of the plugin.
type network struct {
	types.NetConf
	SubnetFile string         `json:"subnetFile"`
	DataDir    string         `json:"dataDir"`
	IPAM       map[string]any `json:"ipam"`
	Delegate   map[string]any `json:"delegate"`
	// RuntimeConfig is what the runtime adds for the capabilities of the
	// network; it is meant for the plugin that is called.
	RuntimeConfig map[string]any `json:"runtimeConfig"`
	PrevResult    map[string]any `json:"prevResult"`
}

func main() {
	skel.PluginMainFuncs(skel.CNIFuncs{
		Add: add, Check: check, Del: del, GC: collect, Status: status,
	}, version.All, "flannel: calls another plugin with the subnet that flanneld leased")
}

func load(stdin []byte) (network, error) {
	n := network{SubnetFile: defaultSubnetFile, DataDir: defaultDataDir}
	if err := json.Unmarshal(stdin, &n); err != nil {
		return network{}, fmt.Errorf("read network configuration: %w", err)
	}
	for _, key := range []string{"name", "ipam"} {
		if _, set := n.Delegate[key]; set {
			return network{}, fmt.Errorf("read network configuration: delegate.%s: is set by this plugin, remove it", key)
		}
	}
	return n, nil
}

func add(args *skel.CmdArgs) error {
	n, err := load(args.StdinData)
	if err != nil {
		return err
	}
	leased, err := readSubnet(n.SubnetFile)
	if err != nil {
		return types.NewError(types.ErrTryAgainLater, "the node has no subnet yet", err.Error())
	}
	config := delegate(n, leased)
	content, err := json.Marshal(config)
	if err != nil {
		return fmt.Errorf("write delegate configuration: %w", err)
	}
	if err := save(n.DataDir, args.ContainerID, content); err != nil {
		return fmt.Errorf("save delegate configuration: %s: %w", args.ContainerID, err)
	}
	result, err := invoke.DelegateAdd(context.Background(), config["type"].(string), content, nil)
	if err != nil {
		return err // names the plugin and the failure
	}
	return result.Print()
}

func check(args *skel.CmdArgs) error {
	n, err := load(args.StdinData)
	if err != nil {
		return err
	}
	content, plugin, err := saved(n.DataDir, args.ContainerID)
	if err != nil {
		return fmt.Errorf("find saved configuration: %s: %w", args.ContainerID, err)
	}
	if n.PrevResult != nil {
		var config map[string]any
		if err := json.Unmarshal(content, &config); err != nil {
			return fmt.Errorf("read saved configuration: %w", err)
		}
		config["prevResult"] = n.PrevResult
		if content, err = json.Marshal(config); err != nil {
			return fmt.Errorf("write delegate configuration: %w", err)
		}
	}
	return invoke.DelegateCheck(context.Background(), plugin, content, nil)
}

// del may be called several times, and for containers that were never added.
func del(args *skel.CmdArgs) error {
	n, err := load(args.StdinData)
	if err != nil {
		return err
	}
	content, plugin, err := saved(n.DataDir, args.ContainerID)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("find saved configuration: %s: %w", args.ContainerID, err)
	}
	if err := invoke.DelegateDel(context.Background(), plugin, content, nil); err != nil {
		return err
	}
	return os.Remove(filepath.Join(n.DataDir, args.ContainerID))
}

// collect removes what belongs to containers that the runtime no longer knows.
func collect(args *skel.CmdArgs) error {
	n, err := load(args.StdinData)
	if err != nil {
		return err
	}
	valid := make(map[string]bool)
	for _, attachment := range n.ValidAttachments {
		valid[attachment.ContainerID] = true
	}
	if leased, err := readSubnet(n.SubnetFile); err == nil {
		config := delegate(n, leased)
		config["cni.dev/valid-attachments"] = n.ValidAttachments
		content, err := json.Marshal(config)
		if err != nil {
			return fmt.Errorf("write delegate configuration: %w", err)
		}
		if err := invoke.DelegateGC(context.Background(), config["type"].(string), content, nil); err != nil {
			return err
		}
	}
	return forget(n, valid)
}

// forget removes the saved configurations of this network's containers that are
// not valid. Networks may share the folder.
func forget(n network, valid map[string]bool) error {
	entries, err := os.ReadDir(n.DataDir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("list saved configurations: %w", err)
	}
	for _, entry := range entries {
		if valid[entry.Name()] || strings.HasPrefix(entry.Name(), ".") {
			continue
		}
		content, _, err := saved(n.DataDir, entry.Name())
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return fmt.Errorf("read saved configuration: %s: %w", entry.Name(), err)
		}
		var config types.NetConf
		if err := json.Unmarshal(content, &config); err != nil {
			return fmt.Errorf("read saved configuration: %s: %w", entry.Name(), err)
		}
		if config.Name != n.Name {
			continue
		}
		if err := os.Remove(filepath.Join(n.DataDir, entry.Name())); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("remove saved configuration: %w", err)
		}
	}
	return nil
}

// status tells the runtime whether containers can be added.
func status(args *skel.CmdArgs) error {
	n, err := load(args.StdinData)
	if err != nil {
		return err
	}
	if _, err := readSubnet(n.SubnetFile); err != nil {
		return types.NewError(types.ErrPluginNotAvailable, "the node has no subnet yet", err.Error())
	}
	return nil
}

// delegate completes the configuration of the plugin to call. What the network
// sets for that plugin wins.
func delegate(n network, leased subnet) map[string]any {
	config := map[string]any{"type": "bridge"}
	for key, value := range n.Delegate {
		config[key] = value
	}
	setDefault := func(key string, value any) {
		if _, set := config[key]; !set {
			config[key] = value
		}
	}
	setDefault("mtu", leased.MTU)
	// flanneld or the plugin translates addresses, not both.
	setDefault("ipMasq", !leased.IPMasq)
	if config["type"] == "bridge" {
		setDefault("isGateway", true)
	}
	config["name"] = n.Name
	if n.CNIVersion != "" {
		config["cniVersion"] = n.CNIVersion
	}
	if len(n.RuntimeConfig) > 0 {
		config["runtimeConfig"] = n.RuntimeConfig
	}
	config["ipam"] = ipam(n, leased)
	return config
}

// ipam makes host-local give out the addresses of the leased subnets, and
// routes the whole network through the node.
func ipam(n network, leased subnet) map[string]any {
	config := map[string]any{"type": "host-local"}
	for key, value := range n.IPAM {
		config[key] = value
	}
	var ranges, routes []any
	for _, prefix := range leased.Subnets {
		ranges = append(ranges, []any{map[string]any{"subnet": prefix.String()}})
	}
	for _, prefix := range leased.Networks {
		routes = append(routes, map[string]any{"dst": prefix.String()})
	}
	if more, ok := config["routes"].([]any); ok {
		routes = append(routes, more...)
	}
	config["ranges"], config["routes"] = ranges, routes
	return config
}

// save writes the configuration of a container, completely or not at all.
func save(dir, containerID string, content []byte) error {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	file, err := os.CreateTemp(dir, "."+containerID+".*")
	if err != nil {
		return err
	}
	defer os.Remove(file.Name())
	_, err = file.Write(content)
	if err = errors.Join(err, file.Sync(), file.Close()); err != nil {
		return err
	}
	return os.Rename(file.Name(), filepath.Join(dir, containerID))
}

// saved returns the configuration of a container and the plugin it is for.
func saved(dir, containerID string) (content []byte, plugin string, err error) {
	if containerID == "" || strings.ContainsRune(containerID, filepath.Separator) {
		return nil, "", fmt.Errorf("container id %q is not a file name", containerID)
	}
	content, err = os.ReadFile(filepath.Join(dir, containerID))
	if err != nil {
		return nil, "", err
	}
	var config types.NetConf
	if err := json.Unmarshal(content, &config); err != nil {
		return nil, "", err
	}
	return content, config.Type, nil
}
