// Package socket lists the network connections of a node and of the pods on it,
// as the kernel shows them in procfs.
//
// Each network namespace is read through a process that lives in it, so that a
// pod's connections are seen without entering the pod.
package socket

import (
	"bufio"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"net/netip"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	machinepb "github.com/ichor-os/ichor/api/machine"
)

// protocols are the tables of a namespace, in the order of their output.
var protocols = []string{"tcp", "tcp6", "udp", "udp6", "udplite", "udplite6", "raw", "raw6"}

// table reads one table, such as /proc/17/net/tcp. A protocol that the kernel
// does not have has none.
func table(path, protocol, namespace string) ([]*machinepb.ConnectRecord, error) {
	file, err := os.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	defer file.Close()
	var records []*machinepb.ConnectRecord
	lines := bufio.NewScanner(file)
	lines.Scan() // the names of the columns
	for lines.Scan() {
		r, err := record(strings.Fields(lines.Text()))
		if err != nil {
			return nil, fmt.Errorf("%s: %q: %w", path, lines.Text(), err)
		}
		r.L4Proto, r.Netns = protocol, namespace
		records = append(records, r)
	}
	return records, lines.Err()
}

// record reads the columns: sl local remote st tx:rx tr:when retrnsmt uid
// timeout inode ref pointer, and more for TCP.
func record(f []string) (*machinepb.ConnectRecord, error) {
	if len(f) < 10 {
		return nil, errors.New("there are too few columns")
	}
	var failure error
	number := func(text string, base int) uint64 {
		n, err := strconv.ParseUint(text, base, 64)
		failure = errors.Join(failure, err)
		return n
	}
	pair := func(text string) (uint64, uint64) {
		a, b, _ := strings.Cut(text, ":")
		return number(a, 16), number(b, 16)
	}
	r := &machinepb.ConnectRecord{}
	local, err := address(f[1])
	failure = errors.Join(failure, err)
	remote, err := address(f[2])
	failure = errors.Join(failure, err)
	r.Localip, r.Localport = local.Addr().String(), uint32(local.Port())
	r.Remoteip, r.Remoteport = remote.Addr().String(), uint32(remote.Port())
	r.State = machinepb.ConnectRecord_State(number(f[3], 16))
	r.Txqueue, r.Rxqueue = pair(f[4])
	timer, when := pair(f[5])
	r.Tr, r.Timerwhen = machinepb.ConnectRecord_TimerActive(timer), when
	r.Retrnsmt, r.Uid, r.Timeout, r.Inode = number(f[6], 16), uint32(number(f[7], 10)), number(f[8], 10), number(f[9], 10)
	if len(f) > 11 {
		r.Ref, r.Pointer = number(f[10], 10), number(f[11], 16)
	}
	return r, failure
}

// address reads an address as the kernel prints it: words of four bytes in the
// machine's order, then the port.
func address(text string) (netip.AddrPort, error) {
	ip, port, ok := strings.Cut(text, ":")
	raw, err := hex.DecodeString(ip)
	if !ok || err != nil || len(raw) != 4 && len(raw) != 16 {
		return netip.AddrPort{}, fmt.Errorf("address %q is not one", text)
	}
	for word := range slices.Chunk(raw, 4) {
		slices.Reverse(word) // little-endian, as all machines that we run on
	}
	number, err := strconv.ParseUint(port, 16, 16)
	if err != nil {
		return netip.AddrPort{}, fmt.Errorf("address %q: %w", text, err)
	}
	parsed, _ := netip.AddrFromSlice(raw)
	return netip.AddrPortFrom(parsed, uint16(number)), nil
}

// space is a network namespace and a process in it.
type space struct {
	name string // "" for the node's own
	pid  string
}

// spaces finds the network namespaces that processes live in, the node's own
// first. Those of pods are named as in /run/netns, others by their inode.
func spaces(proc, named string) ([]space, error) {
	own, err := os.Readlink(filepath.Join(proc, "self/ns/net"))
	if err != nil {
		return nil, err
	}
	names := map[string]string{}
	entries, err := os.ReadDir(named)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	for _, entry := range entries {
		if inode := inodeOf(filepath.Join(named, entry.Name())); inode != "" {
			names["net:["+inode+"]"] = entry.Name()
		}
	}
	out, seen := []space{{pid: "self"}}, map[string]bool{own: true}
	processes, err := os.ReadDir(proc)
	if err != nil {
		return nil, err
	}
	for _, p := range processes {
		if _, err := strconv.Atoi(p.Name()); err != nil {
			continue
		}
		id, err := os.Readlink(filepath.Join(proc, p.Name(), "ns/net"))
		if err != nil || seen[id] {
			continue // it is gone, or known already
		}
		seen[id] = true
		name, ok := names[id]
		if !ok {
			name = id
		}
		out = append(out, space{name: name, pid: p.Name()})
	}
	return out, nil
}

// owners maps inodes of sockets to the processes that hold them.
func owners(proc string) (map[uint64]*machinepb.ConnectRecord_Process, error) {
	processes, err := os.ReadDir(proc)
	if err != nil {
		return nil, err
	}
	out := map[uint64]*machinepb.ConnectRecord_Process{}
	for _, p := range processes {
		pid, err := strconv.ParseUint(p.Name(), 10, 32)
		if err != nil {
			continue
		}
		folder := filepath.Join(proc, p.Name(), "fd")
		descriptors, err := os.ReadDir(folder)
		if err != nil {
			continue // it is gone
		}
		name, err := os.ReadFile(filepath.Join(proc, p.Name(), "comm"))
		if err != nil {
			continue
		}
		owner := &machinepb.ConnectRecord_Process{Pid: uint32(pid), Name: strings.TrimSpace(string(name))}
		for _, d := range descriptors {
			target, err := os.Readlink(filepath.Join(folder, d.Name()))
			inner, ok := strings.CutPrefix(target, "socket:[")
			if err != nil || !ok {
				continue
			}
			if inode, err := strconv.ParseUint(strings.TrimSuffix(inner, "]"), 10, 64); err == nil {
				out[inode] = owner
			}
		}
	}
	return out, nil
}
