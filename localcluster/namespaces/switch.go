package namespaces

import (
	"errors"
	"fmt"
	"io"
	"net"
	"net/netip"
	"os"
	"os/signal"
	"strconv"
	"sync"
	"syscall"
	"time"

	"github.com/vishvananda/netlink"
)

// bridgeName is the bridge inside the cluster's network namespace.
const bridgeName = "ichor0"

// listen opens the loopback listeners of a cluster, in this process's network
// namespace, in the order of targets.
func listen(spec Spec) ([]*os.File, error) {
	var files []*os.File
	for _, target := range targets(spec) {
		listener, err := net.Listen("tcp4", target.listenAddress())
		if err != nil {
			closeAll(files)
			return nil, fmt.Errorf("forward port: %s: %w", target.name, err)
		}
		file, err := listener.(*net.TCPListener).File()
		listener.Close()
		if err != nil {
			closeAll(files)
			return nil, fmt.Errorf("forward port: %s: %w", target.name, err)
		}
		files = append(files, file)
	}
	return files, nil
}

func closeAll(files []*os.File) {
	for _, f := range files {
		f.Close()
	}
}

// A target is where a listener leads: to one node, or to any of several.
type target struct {
	name      string
	listen    netip.Addr
	port      uint16
	addresses []netip.Addr
}

func (t target) listenAddress() string { return netip.AddrPortFrom(t.listen, t.port).String() }

// targets lists what is reached from this computer: each node on a loopback
// address of its own, and the cluster's endpoint on one that leads to any
// control plane node.
func targets(spec Spec) []target {
	list := []target{{"endpoint", spec.LoopbackEndpoint(), apiServerPort, spec.controlPlanes()}}
	for _, node := range spec.Nodes {
		for _, port := range node.ports() {
			list = append(list, target{node.Name, node.Loopback, port, []netip.Addr{node.Address}})
		}
	}
	return list
}

// inside lists what nodes reach on the bridge's address: the control plane.
func inside(spec Spec) []target {
	return []target{
		{"endpoint", spec.Gateway(), apiServerPort, spec.controlPlanes()},
		{"trustd", spec.Gateway(), trustdPort, spec.controlPlanes()},
	}
}

// runSwitch is the cluster's network process. It was cloned into a fresh network
// namespace; the listeners it inherited still belong to the computer's, so what
// it accepts comes from the computer and what it dials goes to the nodes.
func runSwitch(args []string) error {
	err := startSwitch(args)
	report(err)
	if err != nil {
		return err
	}
	stop := make(chan os.Signal, 1)
	signal.Notify(stop, syscall.SIGTERM, syscall.SIGINT)
	<-stop
	return nil
}

func startSwitch(args []string) error {
	if len(args) != 2 {
		return errors.New("usage: STATE CLUSTER")
	}
	spec, err := Store{Root: args[0]}.load(args[1])
	if err != nil {
		return err
	}
	if err := joinOutside(spec.ID); err != nil {
		return err
	}
	if err := makeBridge(spec); err != nil {
		return err
	}
	for i, target := range targets(spec) {
		file := os.NewFile(uintptr(readyFD+1+i), "listener")
		listener, err := net.FileListener(file)
		if err != nil {
			return fmt.Errorf("forward port: %s: %w", target.name, err)
		}
		file.Close()
		go forward(listener, target)
	}
	for _, target := range inside(spec) {
		listener, err := net.Listen("tcp4", target.listenAddress())
		if err != nil {
			return fmt.Errorf("forward port: %s: %w", target.name, err)
		}
		go forward(listener, target)
	}
	return nil
}

func makeBridge(spec Spec) error {
	lo, err := netlink.LinkByName("lo")
	if err != nil {
		return fmt.Errorf("make bridge: %w", err)
	}
	bridge := &netlink.Bridge{LinkAttrs: netlink.LinkAttrs{Name: bridgeName}}
	if err := netlink.LinkAdd(bridge); err != nil {
		return fmt.Errorf("make bridge: %w", err)
	}
	address, err := netlink.ParseAddr(spec.Gateway().String() + "/" + strconv.Itoa(spec.Network.Bits()))
	if err != nil {
		return fmt.Errorf("make bridge: %w", err)
	}
	if err := netlink.AddrAdd(bridge, address); err != nil {
		return fmt.Errorf("make bridge: %w", err)
	}
	for _, link := range []netlink.Link{lo, bridge} {
		if err := netlink.LinkSetUp(link); err != nil {
			return fmt.Errorf("make bridge: %w", err)
		}
	}
	return nil
}

// forward copies between each accepted connection and a new one to the target.
func forward(listener net.Listener, to target) {
	for turn := 0; ; turn++ {
		conn, err := listener.Accept()
		if errors.Is(err, net.ErrClosed) {
			return
		}
		if err != nil {
			// Out of files, most likely: let connections end first.
			time.Sleep(100 * time.Millisecond)
			continue
		}
		go func() {
			defer conn.Close()
			node, err := to.dial(turn)
			if err != nil {
				// A reset tells the client at once that nobody listens.
				_ = conn.(*net.TCPConn).SetLinger(0)
				return
			}
			defer node.Close()
			pipe(conn.(*net.TCPConn), node.(*net.TCPConn))
		}()
	}
}

// dial connects to the first address that answers, beginning with another one
// each turn.
func (t target) dial(turn int) (net.Conn, error) {
	failure := errors.New("there is no address")
	for i := range t.addresses {
		address := t.addresses[(turn+i)%len(t.addresses)]
		conn, err := net.DialTimeout("tcp4", netip.AddrPortFrom(address, t.port).String(), 2*time.Second)
		if err == nil {
			return conn, nil
		}
		failure = err
	}
	return nil, failure
}

// pipe copies both ways and passes on each side's end of sending.
func pipe(a, b *net.TCPConn) {
	var group sync.WaitGroup
	oneWay := func(to, from *net.TCPConn) {
		if _, err := io.Copy(to, from); err != nil {
			to.Close()
			from.Close()
			return
		}
		_ = to.CloseWrite()
	}
	group.Go(func() { oneWay(a, b) })
	group.Go(func() { oneWay(b, a) })
	group.Wait()
}
