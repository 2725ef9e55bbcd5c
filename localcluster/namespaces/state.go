package namespaces

import (
	"encoding/json"
	"errors"
	"fmt"
	"hash/fnv"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"

	"golang.org/x/sys/unix"

	"github.com/ichor-os/ichor/atomicfile"
)

// Store keeps the clusters of this computer, a folder each.
type Store struct {
	// Root is the folder that holds a folder per cluster.
	Root string
}

const specFile = "cluster.json"

func (s Store) cluster(name string) string { return filepath.Join(s.Root, name) }

// group names the cluster's control group and seeds its loopback addresses. Two
// stores may hold clusters of one name; the dot keeps the part that tells them
// apart from being part of a name.
func (s Store) group(cluster string) string {
	root, err := filepath.Abs(s.Root)
	if err != nil {
		root = s.Root
	}
	hash := fnv.New32a()
	hash.Write([]byte(root))
	return fmt.Sprintf("%s.%08x", cluster, hash.Sum32())
}

func (s Store) node(cluster, node string) string { return filepath.Join(s.Root, cluster, node) }

// ErrNoCluster says that there is no cluster of that name.
var ErrNoCluster = errors.New("no such cluster")

// ErrExists says that there is a cluster of that name already.
var ErrExists = errors.New("cluster exists: destroy it first or choose another name")

// load reads a cluster's spec.
func (s Store) load(name string) (Spec, error) {
	text, err := os.ReadFile(filepath.Join(s.cluster(name), specFile))
	if errors.Is(err, fs.ErrNotExist) {
		return Spec{}, fmt.Errorf("%s: %w", name, ErrNoCluster)
	}
	if err != nil {
		return Spec{}, fmt.Errorf("read cluster state: %w", err)
	}
	var spec Spec
	if err := json.Unmarshal(text, &spec); err != nil {
		return Spec{}, fmt.Errorf("read cluster state: %s: %w", name, err)
	}
	return spec, nil
}

// writeJSON replaces a file so that a crash leaves the old or the new one.
func writeJSON(path string, value any) error {
	text, err := json.MarshalIndent(value, "", "  ")
	if err != nil {
		return fmt.Errorf("encode: %s: %w", path, err)
	}
	if err := atomicfile.Replace(path, append(text, '\n'), 0o600); err != nil {
		return fmt.Errorf("write: %w", err)
	}
	return nil
}

// prepare makes the folders and files of a new cluster.
func (s Store) prepare(spec Spec) error {
	if err := os.MkdirAll(s.Root, 0o755); err != nil {
		return fmt.Errorf("make state folder: %w", err)
	}
	if err := refuseOverlay(s.Root); err != nil {
		return err
	}
	if err := os.Mkdir(s.cluster(spec.Name), 0o700); err != nil {
		if errors.Is(err, fs.ErrExist) {
			return fmt.Errorf("%s: %w", spec.Name, ErrExists)
		}
		return fmt.Errorf("make cluster folder: %w", err)
	}
	if err := writeJSON(filepath.Join(s.cluster(spec.Name), specFile), spec); err != nil {
		return err
	}
	for _, node := range spec.Nodes {
		folder := s.node(spec.Name, node.Name)
		for _, sub := range []string{"meta", "state", "var"} {
			if err := os.MkdirAll(filepath.Join(folder, sub), 0o755); err != nil {
				return fmt.Errorf("make node folder: %w", err)
			}
		}
		about := platform{
			Hostname:  node.Name,
			Addresses: []string{fmt.Sprintf("%s/%d", node.Address, spec.Network.Bits())},
			Gateway:   spec.Gateway().String(),
			Link:      "eth0",
		}
		if err := writeJSON(filepath.Join(folder, PlatformFile), about); err != nil {
			return err
		}
	}
	return nil
}

// refuseOverlay refuses a folder on overlayfs: a node's containers are overlays
// themselves, and the kernel does not stack them.
func refuseOverlay(folder string) error {
	var stat unix.Statfs_t
	if err := unix.Statfs(folder, &stat); err != nil {
		return fmt.Errorf("look at state folder: %s: %w", folder, err)
	}
	if stat.Type == unix.OVERLAYFS_SUPER_MAGIC {
		return fmt.Errorf("state folder: %s: lies on overlayfs, which cannot hold a node's /var: choose a folder on a disk", folder)
	}
	return nil
}

// lock keeps two programs from changing the same cluster at once.
func (s Store) lock(name string) (unlock func(), err error) {
	if err := os.MkdirAll(s.Root, 0o755); err != nil {
		return nil, fmt.Errorf("make state folder: %w", err)
	}
	f, err := os.OpenFile(filepath.Join(s.Root, "."+name+".lock"), os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, fmt.Errorf("lock cluster: %w", err)
	}
	if err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); err != nil {
		f.Close()
		return nil, fmt.Errorf("lock cluster: %s: another command changes it: %w", name, err)
	}
	return func() {
		_ = os.Remove(f.Name())
		f.Close()
	}, nil
}
