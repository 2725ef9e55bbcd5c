package namespaces

import (
	"context"
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
		listener, err := net.Listen("tcp4", netip.AddrPortFrom(target.loopback, target.port).String())
		if err != nil {
			closeAll(files)
			return nil, fmt.Errorf("forward to node: %s: %w", target.node, err)
		}
		file, err := listener.(*net.TCPListener).File()
		listener.Close()
		if err != nil {
			closeAll(files)
			return nil, fmt.Errorf("forward to node: %s: %w", target.node, err)
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

type target struct {
	node              string
	loopback, address netip.Addr
	port              uint16
}

func targets(spec Spec) []target {
	var list []target
	for _, node := range spec.Nodes {
		for _, port := range node.ports() {
			list = append(list, target{node.Name, node.Loopback, node.Address, port})
		}
	}
	return list
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
	if err := joinOutside(spec.Name); err != nil {
		return err
	}
	if err := makeBridge(spec); err != nil {
		return err
	}
	for i, target := range targets(spec) {
		file := os.NewFile(uintptr(readyFD+1+i), "listener")
		listener, err := net.FileListener(file)
		if err != nil {
			return fmt.Errorf("forward port: %s:%d: %w", target.node, target.port, err)
		}
		file.Close()
		go forward(listener, netip.AddrPortFrom(target.address, target.port).String())
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

// forward copies between each accepted connection and a new one to address.
func forward(listener net.Listener, address string) {
	for {
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
			ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
			defer cancel()
			var dialer net.Dialer
			node, err := dialer.DialContext(ctx, "tcp4", address)
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
