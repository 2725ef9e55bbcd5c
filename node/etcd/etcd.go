// Package etcd runs this node's member of etcd: its certificates, its arguments
// and its health. Whether there shall be a member, and of which cluster, is
// decided by Bootstrap and by joining.
package etcd

import (
	"context"
	"crypto/tls"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"net/http"
	"net/netip"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"go.etcd.io/etcd/api/v3/etcdserverpb"

	"github.com/ichor-os/ichor/node/service/spec"
)

// Places of etcd on a node.
const (
	DataFolder   = "/var/lib/etcd"
	SecretFolder = "/system/secrets/etcd"
	// UID is the user that etcd runs as.
	UID = 60
)

// Settings are what a member depends on.
type Settings struct {
	Image string
	// Name is the member's name, the node's host name.
	Name string
	// Advertised are the addresses that others are told, the first of which
	// names the member; the others are those that it listens on.
	Advertised, ListenPeers, ListenClients []netip.Addr
	// Initial lists the members of a new cluster or of the one to join, as
	// name=peer URL. It counts only while the data folder is empty.
	Initial []string
	// Existing says that Initial is a cluster to join.
	Existing bool
	// Extra are further arguments, name to values.
	Extra map[string][]string
}

// PeerURLs are where other members reach this one.
func (s Settings) PeerURLs() []string { return urls(s.Advertised, 2380) }

func urls(addresses []netip.Addr, port uint16) []string {
	var out []string
	for _, a := range addresses {
		out = append(out, "https://"+netip.AddrPortFrom(a, port).String())
	}
	return out
}

// isOurs reports whether a member has one of this node's peer URLs.
func (s Settings) isOurs(m *etcdserverpb.Member) bool {
	return slices.ContainsFunc(m.GetPeerURLs(), func(url string) bool { return slices.Contains(s.PeerURLs(), url) })
}

// Container describes the member's container.
func Container(s Settings) spec.Container {
	args := []string{
		"--name=" + s.Name,
		"--data-dir=" + DataFolder,
		"--listen-client-urls=" + strings.Join(urls(s.ListenClients, 2379), ","),
		"--advertise-client-urls=" + strings.Join(urls(s.Advertised, 2379), ","),
		"--listen-peer-urls=" + strings.Join(urls(s.ListenPeers, 2380), ","),
		"--initial-advertise-peer-urls=" + strings.Join(s.PeerURLs(), ","),
		"--cert-file=" + SecretFolder + "/server.crt",
		"--key-file=" + SecretFolder + "/server.key",
		"--trusted-ca-file=" + SecretFolder + "/ca.crt",
		"--client-cert-auth=true",
		"--peer-cert-file=" + SecretFolder + "/peer.crt",
		"--peer-key-file=" + SecretFolder + "/peer.key",
		"--peer-trusted-ca-file=" + SecretFolder + "/ca.crt",
		"--peer-client-cert-auth=true",
		"--feature-gates=InitialCorruptCheck=true,CompactHashCheck=true",
		"--watch-progress-notify-interval=5s",
	}
	if len(s.Initial) > 0 {
		state := "new"
		if s.Existing {
			state = "existing"
		}
		args = append(args, "--initial-cluster="+strings.Join(s.Initial, ","), "--initial-cluster-state="+state)
	}
	args = override(args, s.Extra)
	return spec.Container{
		ID:    "etcd",
		Image: s.Image,
		Args:  append([]string{"/usr/local/bin/etcd"}, args...),
		UID:   UID, GID: UID,
		Mounts: []spec.Mount{
			{Source: DataFolder, Target: DataFolder},
			{Source: SecretFolder, Target: SecretFolder, ReadOnly: true},
		},
		Group: "/system/etcd",
	}
}

// override lets further arguments replace those of the same name.
func override(args []string, extra map[string][]string) []string {
	var out []string
	for _, arg := range args {
		name, _, _ := strings.Cut(strings.TrimPrefix(arg, "--"), "=")
		if _, ok := extra[name]; !ok {
			out = append(out, arg)
		}
	}
	for _, name := range sorted(extra) {
		for _, value := range extra[name] {
			out = append(out, "--"+name+"="+value)
		}
	}
	return out
}

// HasData reports whether the node has been a member.
func HasData() (bool, error) {
	_, err := os.Stat(filepath.Join(DataFolder, "member"))
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	return err == nil, err
}

// MakeDataFolder makes the data folder for the user that etcd runs as.
func MakeDataFolder() error {
	if err := os.MkdirAll(DataFolder, 0o700); err != nil {
		return fmt.Errorf("make etcd data folder: %w", err)
	}
	if err := os.Chown(DataFolder, UID, UID); err != nil {
		return fmt.Errorf("make etcd data folder: %w", err)
	}
	return nil
}

// Healthy asks the local member whether it can serve, which takes a quorum.
func Healthy(ctx context.Context) error {
	pair, err := tls.LoadX509KeyPair(SecretFolder+"/admin.crt", SecretFolder+"/admin.key")
	if err != nil {
		return fmt.Errorf("load etcd client certificate: %w", err)
	}
	ca, err := os.ReadFile(SecretFolder + "/ca.crt")
	if err != nil {
		return fmt.Errorf("load etcd CA: %w", err)
	}
	pool, err := poolOf(ca)
	if err != nil {
		return err
	}
	transport := &http.Transport{
		TLSClientConfig:   &tls.Config{Certificates: []tls.Certificate{pair}, RootCAs: pool, MinVersion: tls.VersionTLS12},
		DialContext:       (&net.Dialer{}).DialContext,
		DisableKeepAlives: true,
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, "https://127.0.0.1:2379/health", nil)
	if err != nil {
		return err
	}
	response, err := (&http.Client{Transport: transport}).Do(request)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	var health struct{ Health, Reason string }
	if err := json.NewDecoder(response.Body).Decode(&health); err != nil {
		return fmt.Errorf("read etcd health: %w", err)
	}
	if health.Health != "true" {
		return fmt.Errorf("etcd is not healthy: %s", health.Reason)
	}
	return nil
}
